import type {
  DriveRow,
  Effect,
  IdleReason,
  InstallationRow,
  ParkedSpanRow,
  TripRow,
  VehicleStatus,
} from '../contract/effects.ts';
import type { OpenPart } from '../contract/left-open.ts';
import type { Section, SignalValues } from '../contract/signals.ts';
import type { Connectivity, Observation } from '../maker/observation.ts';
import type { Position } from './geodesy.ts';
import type { Mean } from './mean.ts';
import type { OpenCharge } from './open-charge.ts';
import type { PlaceShape } from './places.ts';
import type { StateNews } from './state-pace.ts';

/** What happens to a vehicle's machine: something was learned of it, or time passed (epoch ms). */
export type IngestEvent =
  | { kind: 'observation'; observation: Observation }
  | { kind: 'tick'; at: number };

/** What the reducer may know beside its state; all of it is configuration. */
export type MachineContext = {
  vehicleId: string;
  /** Consumption that turns rated range into energy [Wh/km]; null where it is not known. */
  efficiencyWhPerKm: number | null;
  places: readonly PlaceShape[];
  /** What a person ended while it was under way. */
  closes?: readonly Close[];
  /** How long the vehicle may stand open before that is told [min]; 0, as where it is absent, for never. */
  leftOpenMinutes?: number;
};

/** A person's word that a drive or trip that had begun by `at` (epoch ms) is over then. */
export type Close = { what: 'drive' | 'trip'; at: number };

/** Whether a person ended what began at `from` by `at`; both epoch ms. */
export function isClosed(
  { closes = [] }: MachineContext,
  what: Close['what'],
  { from, at }: { from: number; at: number },
): boolean {
  return closes.some((close) => close.what === what && close.at > from && close.at <= at);
}

/** A drive under way: its row so far and what the next sample is measured against. */
export type OpenDrive = {
  row: DriveRow;
  lastAt: number;
  lastMovingAt: number;
  lastPosition: Position | null;
  lastElevationM: number | null;
  lastPowerKw: number | null;
  pathKm: number;
  /** Speed over time, and the speed heard last [km, km/h]; what an earlier version opened lacks both. */
  speedKm?: number;
  lastSpeedKmh?: number;
  positiveKwh: number;
  negativeKwh: number;
  startEnergyKwh: number | null;
  insideTemp: Mean;
  outsideTemp: Mean;
  /** Whether the gear was never anything but N. */
  onlyNeutral: boolean;
};

/**
 * A drive that was given up because nothing more was heard of it while it moved: its row, when and how fast it was heard
 * last, and its trip, which may have ended since.
 */
export type LostDrive = {
  row: DriveRow;
  lastAt: number;
  speedKmh: number;
  trip: OpenTrip | null;
  /** Until when it may go on (epoch ms), where only the odometer tells of it; as long as nothing is heard, where absent. */
  until?: number;
};

/** A trip that may go on; it is told to nobody before it is long enough (contract §5). */
export type OpenTrip = {
  row: TripRow;
  driveIds: string[];
  chargeIds: string[];
  lastEndAt: number;
  told: boolean;
};

/**
 * What is remembered of a stream beyond the last values, because its records carry only what changed; null for a
 * vehicle that never streamed.
 */
export type StreamMemory = {
  /** Whether the charger's own status was heard since the vehicle last drove or was unplugged (contract §0 Ingest). */
  statusHeard: boolean;
  /** When and with what odometer [km] the vehicle was last known to have come to rest. */
  restAt: number;
  restOdometerKm: number | null;
  /** When an odometer was heard that rest does not explain; null while there is none. */
  movedAt: number | null;
  /** The drive that just ended, whose last odometer may still be on its way. */
  lastDrive: DriveRow | null;
  /** The charge whose cable was just pulled, whose last energy may still be on its way. */
  lastCharge?: OpenCharge;
  /** A level that only a charge explains, and what was known before it: whether it still goes on may be on its way. */
  risen?: { at: number; before: Earlier } | null;
};

/** The places that the vehicle was in when its position was last heard, at `at` (epoch ms). */
export type Visits = { inside: string[]; at: number };

/** What stands open of a parked vehicle: since when (epoch ms), and whether it was told that it was left so. */
export type LeftOpen = { [part in OpenPart]?: { since: number; told: boolean } };

/** What draws on a parked vehicle, as long as nothing else is heard. */
export type ParkedDraw = { charging: boolean; climate: boolean; sentry: boolean };

/** The running sums of a parked span's losses. */
export type ParkedLosses = {
  lastAt: number;
  draw: ParkedDraw;
  /** Net energy lost; null until two readings of it could be compared [kWh]. */
  lostKwh: number | null;
  /** Net level lost by what drew then [%]. */
  lostPct: { [R in IdleReason]: number };
  /** Level lost, and time passed, while neither climate nor sentry drew and nothing charged [%, ms]. */
  quietLostPct: number;
  quietMs: number;
  climateMs: number;
  sentryMs: number;
};

/** All that the reducer remembers of a vehicle; JSON, stored with its effects. */
export type MachineState = {
  version: 1;
  seenAt: number | null;
  sectionAt: Partial<Record<Section, number>>;
  values: SignalValues;
  /** Odometer when the battery was last heard of [km]. */
  chargeOdometerKm: number | null;
  connectivity: Connectivity | null;
  /** The connection that a stream comes over, and the one before it, whose end may be told later. */
  connection?: { id: string; replacedId: string | null };
  inService: boolean;
  status: VehicleStatus;
  statusSince: number | null;
  spanId: string | null;
  /** When something last kept the vehicle awake. */
  activeAt: number | null;
  drive: OpenDrive | null;
  /** The drive before, while nobody knows where it ended. */
  lost: LostDrive | null;
  charge: OpenCharge | null;
  parked: ParkedSpanRow | null;
  /** The sums behind the losses of `parked`; null without it. */
  losses: ParkedLosses | null;
  trip: OpenTrip | null;
  installation: InstallationRow | null;
  stream: StreamMemory | null;
  visits: Visits | null;
  leftOpen: LeftOpen;
  /** What was told of the state; kept by whoever stores it, and nothing to the reducer. */
  news: StateNews | null;
};

export const initialState: MachineState = {
  version: 1,
  seenAt: null,
  sectionAt: {},
  values: {},
  chargeOdometerKm: null,
  connectivity: null,
  inService: false,
  status: 'UNKNOWN',
  statusSince: null,
  spanId: null,
  activeAt: null,
  drive: null,
  lost: null,
  charge: null,
  parked: null,
  losses: null,
  trip: null,
  installation: null,
  stream: null,
  visits: null,
  leftOpen: {},
  news: null,
};

/** A step's result: the state after it and what the store has to do. */
export type Step = { state: MachineState; effects: Effect[] };

/** What a step may ask of the time before it: when the vehicle last told what (epoch ms), and the few values that matter. */
export type Earlier = {
  /** When the vehicle last told where it is and how it moves; the maker's word on the link is not the vehicle's. */
  driveSeenAt: number | null;
  /** When the battery was last heard of. */
  chargeSeenAt: number | null;
  /** Odometer then [km]. */
  chargeOdometerKm: number | null;
  connectivity: Connectivity | null;
  values: Pick<SignalValues, EarlierSignal>;
};

export type EarlierSignal =
  | 'latitude'
  | 'longitude'
  | 'odometerKm'
  | 'batteryLevelPct'
  | 'usableBatteryLevelPct'
  | 'rangeRatedKm'
  | 'energyRemainingKwh'
  | 'chargeStatus'
  | 'pluggedIn'
  | 'chargeEnergyAddedKwh'
  | 'dcEnergyInKwh'
  | 'softwareVersion';

/** One observation in the course of its step: what was new, what was before, and the effects so far. */
export type Moment = {
  at: number;
  observation: Observation;
  /** The signals of the observation that were not stale. */
  fresh: SignalValues;
  before: Earlier;
  context: MachineContext;
  effects: Effect[];
};
