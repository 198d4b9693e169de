import type { SignalName } from '../signals.ts';

/** The groups of commands, which an instance can allow one by one (contract §11). */
export const commandGroups = {
  wake: 'Waking the vehicle.',
  alerts: 'Horn, lights and sounds.',
  doors: 'Locks, keyless driving and garage doors.',
  trunk: 'Trunks and bed covers.',
  windows: 'Windows and sunroof.',
  climate: 'Heating, cooling, seats and steering wheel.',
  charging: 'Charging, its limits and the charge port.',
  schedules: 'Plans for charging and for preparing the cabin.',
  media: 'What plays, and how loud.',
  navigation: 'Destinations and notes sent to the vehicle.',
  security: 'Guard, valet, PINs, speed limits and modes.',
  software: 'Installation of software updates.',
} as const satisfies Record<string, string>;

export type CommandGroup = keyof typeof commandGroups;

/** A parameter's value as the service holds it: in our names and units. */
export type ParamValue = string | number | boolean | readonly string[];
export type CommandParams = Readonly<Record<string, ParamValue>>;

/** One choice of a parameter: what the maker takes for it, and what it means. */
export type Choice = { wire: string | number | boolean; sentence: string };

type Described = {
  sentence: string;
  /** The maker's name for it; where there are several, all are sent and any is taken (maker.md §2, "→ ours" 4). */
  wire: string | readonly string[];
  optional?: true;
  /** Needed although optional, when another parameter has this value. */
  neededWhen?: { param: string; is: ParamValue };
  /** The parameter whose value is sent where this one is not given. */
  elseAs?: string;
  /** Name of the parameter on the legacy routes. */
  legacy?: string;
  /** Says in words or ids where something is: told only to those who may know positions exactly. */
  place?: true;
  /** Key of the object in which some of the maker's clients put the value; the pass-through takes it out. */
  wrappedIn?: string;
};

/** Unit of the parameters that are a latitude or a longitude. */
export const degreeUnit = '°';

/** How a value of ours becomes the maker's: km/h to whole mph, a level counted from 1, or the maker's form of minutes. */
export type Conversion = 'mph' | 'plus_one';

/** A parameter of a command: kind, unit, bounds, and how the maker is told. */
export type Param =
  | (Described & { kind: 'boolean' })
  | (Described & {
      kind: 'int' | 'float';
      unit?: string;
      min: number;
      max: number;
      step?: number;
      convert?: Conversion;
      /** Signals in which the vehicle reports bounds of its own. */
      within?: { min?: SignalName; max?: SignalName };
    })
  | (Described & { kind: 'choice'; choices: Readonly<Record<string, Choice>> })
  | (Described & { kind: 'days' })
  | (Described & { kind: 'text'; maxLength: number })
  | (Described & { kind: 'places'; most: number })
  /** Four digits; never logged, stored or answered. */
  | (Described & { kind: 'pin' });

/**
 * Who may carry a maker's command: signed for the infotainment or the vehicle-security computer by the maker's proxy;
 * signable but not offered by it; or plain REST only (maker.md §2).
 */
export type Signing = 'INFOTAINMENT' | 'SECURITY' | 'PROXYLESS' | 'REST';

/** One command of the maker, and when and with what a row uses it. */
export type MakerUse = {
  command: string;
  signing: Signing;
  /** Used where this parameter is given, or has this value; always where absent. */
  when?: { param: string; is?: ParamValue };
  /** Parameters it takes; all of the row's where absent. */
  takes?: readonly string[];
  /** Further fields of the body: whether a parameter is given. */
  given?: Readonly<Record<string, string>>;
  /** Further fields of the body, which hold unless a parameter says otherwise. */
  fixed?: Readonly<Record<string, string | number | boolean>>;
  /** Field of the body that says when it was asked for (epoch ms, as text). */
  stamped?: string;
  /** What the maker takes for parameters that a body leaves out. */
  absent?: CommandParams;
};

/** What a signal has to be once the command has happened: one of some values, or a number within a tolerance. */
export type Expectation = { signal: SignalName; in: readonly (string | number | boolean | null)[] } | { signal: SignalName; near: number; tolerance: number };

export type Precondition = 'parked' | 'plugged_in' | 'climate_on';

/** What a vehicle has to be able to do, words of `vehicle.capabilities`, as a vehicle lacks it. */
export const capabilities = {
  SUNROOF: 'sunroof that can be moved',
  SEAT_COOLING: 'seats that can be cooled',
  POWERED_TRUNK: 'trunk that opens by itself',
  SENTRY: 'guard',
  REMOTE_START: 'driving without a key',
} as const satisfies Record<string, string>;

export type Capability = keyof typeof capabilities;

/** Commands of one of these replace an earlier one that was not sent yet. */
export type SupersedeGroup = 'charging' | 'charge_limit' | 'charging_amps' | 'climate' | 'temperature' | 'sentry' | 'windows' | 'lock';

/** Another name for a command with some of its parameters given. */
export type Shortcut = { sentence: string; params: CommandParams; legacy?: string };

/** One row of the catalogue. */
export type CommandRow = {
  group: CommandGroup;
  sentence: string;
  maker: readonly MakerUse[];
  params: Readonly<Record<string, Param>>;
  /** Exactly one of these sets of parameters has to be given, or at least one of them. */
  choose?: { how: 'one' | 'any'; of: readonly (readonly string[])[] };
  /** Opens the vehicle, lets it be driven or is hard to take back. */
  danger?: true;
  /** Allowed only where the vehicle's `allow_unlock` says so. */
  unlocks?: true;
  /** Whether repeating it is harmless: always, never, or where a parameter is given or has a value. */
  idempotent: boolean | { param: string; is?: ParamValue };
  /** Which of the maker's permissions is enough for it. */
  scope: 'COMMANDS' | 'CHARGING';
  supersedes?: SupersedeGroup;
  /** What shows that it happened; nothing where the vehicle does not tell. */
  verify?: (params: CommandParams) => readonly Expectation[];
  needs?: Capability;
  precondition?: { is: Precondition; unless?: { param: string; is: ParamValue } };
  legacy?: string;
  shortcuts?: Readonly<Record<string, Shortcut>>;
  /** The maker's reasons that mean that the vehicle was already as asked. */
  alreadySo?: readonly string[];
  /** `passthrough` rows are offered only under the maker's own name, and only where the operator says so. */
  surface: 'all' | 'passthrough';
};

/** That a signal equals a parameter's value; nothing where it was not given. */
export function equals(signal: SignalName, value: ParamValue | undefined): Expectation[] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [{ signal, in: [value] }] : [];
}

/** That a signal lies within `tolerance` of a parameter's value. */
export function near(signal: SignalName, value: ParamValue | undefined, tolerance: number): Expectation[] {
  return typeof value === 'number' ? [{ signal, near: value, tolerance }] : [];
}

/** That a signal is one of some values. */
export function oneOf(signal: SignalName, ...values: (string | number | boolean | null)[]): Expectation[] {
  return [{ signal, in: values }];
}

/** A use of one maker command, signed for the infotainment computer unless it says otherwise. */
export function use<C extends string>(command: C, signing: Signing = 'INFOTAINMENT') {
  return { command, signing } as const;
}
