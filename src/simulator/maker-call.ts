import type { CallKind, FaultBoard } from './faults.ts';
import type { Notice } from './notices.ts';
import type { PartnerDesk } from './partner.ts';
import type { Random } from './random.ts';
import type { Reply } from './reply.ts';
import type { Car } from './state.ts';
import type { TelemetryDesk } from './telemetry-config.ts';
import type { Bearer } from './tokens.ts';
import type { ToldCommand } from './told.ts';

/** How long a wake-up takes in simulated milliseconds; `never` leaves the car asleep, null draws 10 to 30 s. */
export type WakeTime = number | 'never' | null;

/** What calls of the maker's API work on. */
export type Garage = {
  cars: readonly Car[];
  faults: FaultBoard;
  random: Random;
  wakeTime: WakeTime;
  /** VINs that an account may see; every car where the account is not listed. */
  vinsOf: Map<string, readonly string[]>;
  /** Cars that have the service's key. */
  keyedVins: Set<string>;
  /** Told every command that a car took. */
  onCommand: (car: Car, told: ToldCommand) => void;
  baseUrl: () => string;
  region: string;
  partners: PartnerDesk;
  /** Cars that charge at fast chargers for nothing. */
  freeVins: Set<string>;
  /** Alerts that a test raised, by VIN. */
  notices: Map<string, readonly Notice[]>;
  telemetry: TelemetryDesk;
};

/** One call, after its bearer is known. */
export type Call = {
  garage: Garage;
  bearer: Bearer;
  nowMs: number;
  url: URL;
  car: Car | null;
  /** Text of the request's body. */
  body: string;
};

/** One path of the maker's API: what it counts as, the scopes of which one is needed, and its answer. */
export type Operation = {
  kind: CallKind;
  method: 'GET' | 'POST' | 'DELETE';
  path: RegExp;
  scopes: readonly string[];
  /** Whether only an application with a token of its own may ask. */
  partner?: boolean;
  answer: (call: Call) => Reply | Promise<Reply>;
};
