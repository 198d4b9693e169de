import type { signals } from '../contract/signals.ts';

type Table = typeof signals;
/** Signals of a vehicle's state that say one of a few words. */
type WordSignal = {
  [N in keyof Table]: Table[N]['path'] extends `config.${string}`
    ? never
    : Table[N]['kind'] extends readonly string[]
      ? N
      : never;
}[keyof Table];

type WordsOf<K> = K extends readonly (infer W extends string)[] ? W : never;

/** An enum of the schema: its name, its sentence and one for every word. */
export type Words<W extends string = string> = {
  name: string;
  description: string;
  values: Record<W, string>;
};

const windowState: Words<'CLOSED' | 'VENTED' | 'OPEN'> = {
  name: 'WindowState',
  description: 'State of a window.',
  values: { CLOSED: 'Closed.', VENTED: 'Open a little.', OPEN: 'Open.' },
};

/** What the words of `contract/signals.ts` mean; a word without a sentence does not compile. */
export const stateWords: { [N in WordSignal]: Words<WordsOf<Table[N]['kind']>> } = {
  chargeStatus: {
    name: 'ChargingStatus',
    description: 'What the charger is doing.',
    values: {
      DISCONNECTED: 'No cable is in the port.',
      NO_POWER: 'A cable is in the port and gives nothing.',
      STARTING: 'Charging is about to start.',
      CHARGING: 'Energy flows.',
      COMPLETE: 'The limit is reached.',
      STOPPED: 'Stopped before the limit.',
      UNKNOWN: 'The vehicle does not say.',
    },
  },
  chargePortLatch: {
    name: 'ChargePortLatch',
    description: 'State of the latch that holds the cable.',
    values: {
      ENGAGED: 'It holds the cable.',
      DISENGAGED: 'It lets the cable go.',
      BLOCKING: 'It cannot close.',
    },
  },
  chargeScheduleMode: {
    name: 'ChargeScheduleMode',
    description: 'How charging is scheduled.',
    values: {
      OFF: 'It starts when the cable goes in.',
      START_AT: 'It starts at a time.',
      DEPART_BY: 'It is done by a time of departure.',
    },
  },
  climatePower: {
    name: 'ClimatePower',
    description: 'Why heating or cooling runs.',
    values: {
      OFF: 'It does not run.',
      ON: 'Somebody switched it on.',
      PRECONDITION: 'It prepares the cabin for a departure.',
      OVERHEAT_PROTECT: 'It keeps the cabin from overheating.',
    },
  },
  climateKeeperMode: {
    name: 'ClimateKeeperMode',
    description: 'Mode that keeps the climate on while parked.',
    values: {
      OFF: 'Off.',
      KEEP: 'The temperature is kept.',
      DOG: 'For an animal in the vehicle.',
      CAMP: 'For people who stay in the vehicle.',
    },
  },
  defrostMode: {
    name: 'DefrostMode',
    description: 'Defrosting of the windscreen.',
    values: { OFF: 'Off.', NORMAL: 'On.', MAX: 'On, with everything there is.' },
  },
  cabinOverheatMode: {
    name: 'CabinOverheatMode',
    description: 'Protection of the cabin from heat.',
    values: { OFF: 'Off.', ON: 'By cooling.', FAN_ONLY: 'By the fan alone.' },
  },
  gear: {
    name: 'Gear',
    description: 'A gear.',
    values: { P: 'Park.', R: 'Reverse.', N: 'Neutral.', D: 'Drive.' },
  },
  windowFrontLeft: windowState,
  windowFrontRight: windowState,
  windowRearLeft: windowState,
  windowRearRight: windowState,
  sentry: {
    name: 'SentryState',
    description: 'State of the guard mode.',
    values: {
      OFF: 'Off.',
      IDLE: 'On, and not watching.',
      ARMED: 'Watching.',
      AWARE: 'Something moves near the vehicle.',
      PANIC: 'The alarm sounds.',
      QUIET: 'Watching without sound.',
    },
  },
  updateStatus: {
    name: 'SoftwareUpdateStatus',
    description: 'What a pending software update is doing.',
    values: {
      NONE: 'There is none.',
      AVAILABLE: 'Offered.',
      DOWNLOADING: 'Being downloaded.',
      WAITING_WIFI: 'Waits for a wireless network to be downloaded over.',
      SCHEDULED: 'Scheduled.',
      INSTALLING: 'Being installed.',
      FAILED: 'It failed.',
    },
  },
};
