/** A plan that somebody sent to the car, as the maker keeps it; minutes after local midnight. */
export type Plan = Readonly<Record<string, unknown>> & { id: number };

/** A four-digit PIN and whether what it guards is on. */
type Guarded = { on: boolean; pin: string | null };

/** What commands from afar changed about a car; plain data, so that it can be copied. */
export type Remote = {
  /** When a command last changed something, epoch ms; between two moments of the car its sections carry this time. */
  changedAtMs: number;
  name: string | null;
  driverTempC: number;
  passengerTempC: number;
  /** Levels 0 to 3 by the maker's number of the seat. */
  seatHeat: Record<number, number>;
  seatCool: Record<number, number>;
  seatAuto: Record<number, boolean>;
  wheelLevel: number;
  wheelAuto: boolean;
  defrost: boolean;
  bioweapon: boolean;
  keeper: 'off' | 'keep' | 'dog' | 'camp';
  overheat: 'Off' | 'On' | 'FanOnly';
  overheatLimit: 'Low' | 'Medium' | 'High';
  windowsOpen: boolean;
  frunkOpen: boolean;
  trunkOpen: boolean;
  tonneau: 'closed' | 'open' | 'stopped';
  /** Null while nobody moved it. */
  sunroof: { state: string; percent: number } | null;
  sentry: boolean;
  valet: Guarded;
  pinToDrive: Guarded;
  speedLimit: Guarded & { mph: number };
  parental: Guarded & { mph: number; settings: Record<string, boolean> };
  guest: boolean;
  lowPower: boolean;
  accessoryPower: boolean;
  volume: number;
  /** Null while nobody chose; then it plays while the car drives. */
  playing: boolean | null;
  track: number;
  favourite: number;
  /** Where the navigation was sent. */
  destination: { name: string; lat: number | null; lon: number | null } | null;
  chargeAmps: number;
  portOpen: boolean;
  cableLoose: boolean;
  /** Null while the car follows its own habit. */
  schedule: {
    mode: 'Off' | 'StartAt' | 'DepartBy';
    startMinute: number;
    departMinute: number;
  } | null;
  preconditioning: { enabled: boolean; weekdaysOnly: boolean };
  offPeak: { enabled: boolean; weekdaysOnly: boolean; endMinute: number };
  chargePlans: Plan[];
  preconditionPlans: Plan[];
  managed: {
    amps: number | null;
    startMinute: number | null;
    lat: number | null;
    lon: number | null;
  };
  remoteStartUntilMs: number;
  erasedAtMs: number | null;
  /** How often it flashed, honked, played a sound, drove a garage door and took a note. */
  flashes: number;
  honks: number;
  sounds: number;
  homelinks: number;
  notes: string[];
  calendars: number;
};

/** The volume's step, as the maker gives it. */
export const VOLUME_STEP = 0.333333;
export const VOLUME_MAX = 10.333333;

/** A car that nobody sent a command to. */
export function untouched(): Remote {
  return {
    changedAtMs: 0,
    name: null,
    driverTempC: 21,
    passengerTempC: 21,
    seatHeat: {},
    seatCool: {},
    seatAuto: { 1: true, 2: true },
    wheelLevel: 0,
    wheelAuto: false,
    defrost: false,
    bioweapon: false,
    keeper: 'off',
    overheat: 'On',
    overheatLimit: 'High',
    windowsOpen: false,
    frunkOpen: false,
    trunkOpen: false,
    tonneau: 'closed',
    sunroof: null,
    sentry: false,
    valet: { on: false, pin: null },
    pinToDrive: { on: false, pin: null },
    speedLimit: { on: false, pin: null, mph: 85 },
    parental: { on: false, pin: null, mph: 85, settings: {} },
    guest: false,
    lowPower: false,
    accessoryPower: false,
    volume: 2.6667,
    playing: null,
    track: 0,
    favourite: 0,
    destination: null,
    chargeAmps: 16,
    portOpen: false,
    cableLoose: false,
    schedule: null,
    preconditioning: { enabled: false, weekdaysOnly: false },
    offPeak: { enabled: false, weekdaysOnly: false, endMinute: 0 },
    chargePlans: [],
    preconditionPlans: [],
    managed: { amps: null, startMinute: null, lat: null, lon: null },
    remoteStartUntilMs: 0,
    erasedAtMs: null,
    flashes: 0,
    honks: 0,
    sounds: 0,
    homelinks: 0,
    notes: [],
    calendars: 0,
  };
}
