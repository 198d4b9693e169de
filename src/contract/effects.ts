import type { EventType } from './events.ts';
import type { Sample } from './samples.ts';
import type { Section, SignalValues } from './signals.ts';

/**
 * What the reducer asks the store to do, as data. Rows are whole: applying an effect twice, or only the last of several
 * with one id, gives the same result, so a replay changes nothing. Times are epoch milliseconds.
 */

export type Source = 'STREAM' | 'POLL' | 'COMMAND' | 'IMPORT';
export type VehicleStatus = 'ONLINE' | 'ASLEEP' | 'OFFLINE' | 'WAITING_FOR_SLEEP' | 'DRIVING' | 'CHARGING' | 'UPDATING' | 'IN_SERVICE' | 'UNKNOWN';
export type ChargeKind = 'AC' | 'DC';

export type DriveRow = {
  id: string;
  state: 'ONGOING' | 'ENDED' | 'INCOMPLETE' | 'DISCARDED';
  discardReason: string | null;
  startedAt: number;
  endedAt: number | null;
  durationS: number | null;
  startLatitude: number | null;
  startLongitude: number | null;
  endLatitude: number | null;
  endLongitude: number | null;
  startPlaceId: string | null;
  endPlaceId: string | null;
  startOdometerKm: number | null;
  endOdometerKm: number | null;
  startBatteryLevelPct: number | null;
  endBatteryLevelPct: number | null;
  startUsableBatteryLevelPct: number | null;
  endUsableBatteryLevelPct: number | null;
  startRangeRatedKm: number | null;
  endRangeRatedKm: number | null;
  distanceKm: number;
  odometerDistanceKm: number | null;
  energyUsedKwh: number | null;
  energyRegenKwh: number | null;
  efficiencyWhPerKm: number | null;
  reducedRange: boolean;
  isPrecise: boolean;
  speedMaxKmh: number | null;
  speedAvgKmh: number | null;
  powerMaxKw: number | null;
  powerMinKw: number | null;
  ascentM: number | null;
  descentM: number | null;
  insideTempAvgC: number | null;
  outsideTempAvgC: number | null;
  sampleCount: number;
  source: Source;
};

export type ChargeRow = {
  id: string;
  state: 'ONGOING' | 'COMPLETE' | 'STOPPED' | 'INCOMPLETE' | 'DISCARDED';
  discardReason: string | null;
  startedAt: number;
  endedAt: number | null;
  durationS: number;
  latitude: number | null;
  longitude: number | null;
  placeId: string | null;
  kind: ChargeKind | null;
  network: 'MAKER_FAST' | 'THIRD_PARTY' | 'HOME' | 'WORK' | 'UNKNOWN';
  startBatteryLevelPct: number | null;
  endBatteryLevelPct: number | null;
  startRangeRatedKm: number | null;
  endRangeRatedKm: number | null;
  energyAddedKwh: number | null;
  energyPartial: boolean;
  energyUsedKwh: number | null;
  efficiencyPct: number | null;
  powerMaxKw: number | null;
  powerAvgKw: number | null;
  odometerKm: number | null;
  outsideTempAvgC: number | null;
  idleMinutes: number | null;
  limitPct: number | null;
  sampleCount: number;
  source: Source;
};

export type ChargeSegmentRow = {
  ordinal: number;
  startedAt: number;
  endedAt: number | null;
  kind: ChargeKind;
  startBatteryLevelPct: number | null;
  endBatteryLevelPct: number | null;
  energyAddedKwh: number | null;
  powerMaxKw: number | null;
};

export type TripRow = {
  id: string;
  auto: boolean;
  state: 'ONGOING' | 'ENDED';
  startedAt: number;
  endedAt: number | null;
  distanceKm: number;
  drivingS: number;
  chargingS: number;
  stoppedS: number;
  energyUsedKwh: number | null;
  energyAddedKwh: number | null;
  efficiencyWhPerKm: number | null;
  startLatitude: number | null;
  startLongitude: number | null;
  endLatitude: number | null;
  endLongitude: number | null;
  startPlaceId: string | null;
  endPlaceId: string | null;
};

export type StateSpanRow = { id: string; status: VehicleStatus; startedAt: number; endedAt: number | null };

/** Why a parked vehicle loses energy (contract §7). */
export const idleReasons = ['SENTRY', 'CLIMATE', 'COLD', 'UNKNOWN'] as const;
export type IdleReason = (typeof idleReasons)[number];

export type ParkedSpanRow = {
  id: string;
  placeId: string | null;
  startedAt: number;
  endedAt: number | null;
  latitude: number | null;
  longitude: number | null;
  startBatteryLevelPct: number | null;
  endBatteryLevelPct: number | null;
  startRangeRatedKm: number | null;
  endRangeRatedKm: number | null;
  energyAddedKwh: number;
  energyLostKwh: number | null;
  drainPctPerDay: number | null;
  preconditioningMinutes: number;
  sentryMinutes: number;
  reasons: IdleReason[];
};

export type InstallationRow = {
  id: string;
  version: string;
  commit: string | null;
  state: 'AVAILABLE' | 'DOWNLOADING' | 'WAITING_WIFI' | 'SCHEDULED' | 'INSTALLING' | 'INSTALLED' | 'CANCELLED';
  seenAt: number;
  startedAt: number | null;
  endedAt: number | null;
};

/** The newest values of one section of a vehicle's state. */
export type SectionState = { observedAt: number; receivedAt: number; source: Source; values: SignalValues };

export type VehicleChanges = {
  status?: VehicleStatus;
  statusSince?: number;
  connectivity?: 'ONLINE' | 'ASLEEP' | 'OFFLINE' | null;
  lastSeenAt?: number;
  config?: SignalValues;
};

export type Effect =
  | { kind: 'section'; section: Section; state: SectionState }
  | { kind: 'raw'; fields: Record<string, unknown> }
  | { kind: 'vehicle'; changes: VehicleChanges }
  | { kind: 'drive'; row: DriveRow }
  | { kind: 'charge'; row: ChargeRow; segments: ChargeSegmentRow[] }
  | { kind: 'trip'; row: TripRow; driveIds: string[]; chargeIds: string[] }
  | { kind: 'stateSpan'; row: StateSpanRow }
  | { kind: 'parkedSpan'; row: ParkedSpanRow }
  | { kind: 'installation'; row: InstallationRow }
  | { kind: 'sample'; sample: Sample }
  | { kind: 'seal'; from: number; to: number }
  | { kind: 'event'; type: EventType; occurredAt: number; data: Record<string, unknown> };
