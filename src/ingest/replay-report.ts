import { rounded } from '../base/units.ts';
import type {
  ChargeRow,
  ChargeSegmentRow,
  DriveRow,
  InstallationRow,
  StateSpanRow,
} from '../contract/effects.ts';
import type { CollectedTrace, RejectedLine } from './replay-trace.ts';

/** What a replay made of one vehicle. */
export type VehicleHistory = {
  vin: string;
  drives: readonly DriveFigures[];
  charges: readonly ChargeFigures[];
  installations: readonly InstallationFigures[];
  spans: readonly Omit<StateSpanRow, 'id'>[];
};

/** What is reported of a drive. */
export type DriveFigures = Pick<
  DriveRow,
  | 'state'
  | 'discardReason'
  | 'startedAt'
  | 'endedAt'
  | 'distanceKm'
  | 'durationS'
  | 'speedMaxKmh'
  | 'speedAvgKmh'
  | 'startOdometerKm'
  | 'endOdometerKm'
  | 'startBatteryLevelPct'
  | 'endBatteryLevelPct'
  | 'startRangeRatedKm'
  | 'endRangeRatedKm'
  | 'energyUsedKwh'
  | 'sampleCount'
>;

/** What is reported of a charge. */
export type ChargeFigures = Pick<
  ChargeRow,
  | 'state'
  | 'discardReason'
  | 'startedAt'
  | 'endedAt'
  | 'kind'
  | 'durationS'
  | 'energyAddedKwh'
  | 'energyPartial'
  | 'energyUsedKwh'
  | 'startBatteryLevelPct'
  | 'endBatteryLevelPct'
  | 'powerMaxKw'
  | 'sampleCount'
> & {
  segments: readonly ChargeSegmentRow[];
};

/** What is reported of an installation. */
export type InstallationFigures = Omit<InstallationRow, 'id' | 'commit'>;

/** What a replay made of one vehicle, as it is printed. */
export type ReplayedVehicle = { vin: string } & ReturnType<typeof parts> & {
    rejected: RejectedLine[];
  };

/** What `odograph replay` prints: one line of JSON, snake_case, RFC 3339, km, kWh (issue 3). */
export type ReplayReport = {
  vehicles: ReplayedVehicle[];
  /** Lines that name no vehicle, where there are several vehicles or none. */
  rejected?: readonly RejectedLine[];
};

/** The report of a replay; lines that name no vehicle are those of the only one there is. */
export function reportOf(
  histories: readonly VehicleHistory[],
  { rejected, unnamed }: CollectedTrace,
): ReplayReport {
  const vins = new Set([...histories.map(({ vin }) => vin), ...rejected.keys()]);
  const only = vins.size === 1;
  const vehicles = [...vins].sort().map((vin) => {
    const history = histories.find((candidate) => candidate.vin === vin);
    const lines = [...(rejected.get(vin) ?? []), ...(only ? unnamed : [])];
    return { vin, ...parts(history), rejected: lines.sort((a, b) => a.line - b.line) };
  });
  return only || unnamed.length === 0 ? { vehicles } : { vehicles, rejected: unnamed };
}

function parts(history: VehicleHistory | undefined) {
  const drives = byTime(history?.drives ?? []);
  const charges = byTime(history?.charges ?? []);
  return {
    drives: drives.filter((drive) => drive.state !== 'DISCARDED').map(driveOf),
    charges: charges.filter((charge) => charge.state !== 'DISCARDED').map(chargeOf),
    discarded: byTime([
      ...drives.map((drive) => ({ kind: 'drive', ...drive })),
      ...charges.map((charge) => ({ ...charge, kind: 'charge' })),
    ])
      .filter(({ state }) => state === 'DISCARDED')
      .map(({ kind, discardReason, startedAt, endedAt }) => ({
        kind,
        reason: discardReason,
        started_at: time(startedAt),
        ended_at: time(endedAt),
      })),
    software: [...(history?.installations ?? [])]
      .sort((a, b) => a.seenAt - b.seenAt)
      .map(({ version, state, seenAt, startedAt, endedAt }) => ({
        version,
        state,
        seen_at: time(seenAt),
        started_at: time(startedAt),
        ended_at: time(endedAt),
      })),
    states: byTime(history?.spans ?? []).map(({ status, startedAt, endedAt }) => ({
      state: status.toLowerCase(),
      from: time(startedAt),
      to: time(endedAt),
    })),
  };
}

function byTime<T extends { startedAt: number }>(rows: readonly T[]): T[] {
  return [...rows].sort((a, b) => a.startedAt - b.startedAt);
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function number(value: number | null, digits = 3): number | null {
  return value === null ? null : rounded(value, digits);
}

function driveOf(drive: DriveFigures) {
  return {
    state: drive.state,
    started_at: time(drive.startedAt),
    ended_at: time(drive.endedAt),
    distance_km: number(drive.distanceKm),
    duration_s: drive.durationS,
    speed_max_kmh: number(drive.speedMaxKmh),
    speed_avg_kmh: number(drive.speedAvgKmh),
    odometer_start_km: number(drive.startOdometerKm),
    odometer_end_km: number(drive.endOdometerKm),
    battery_start_pct: number(drive.startBatteryLevelPct),
    battery_end_pct: number(drive.endBatteryLevelPct),
    range_start_km: number(drive.startRangeRatedKm),
    range_end_km: number(drive.endRangeRatedKm),
    energy_used_kwh: number(drive.energyUsedKwh),
    sample_count: drive.sampleCount,
  };
}

function chargeOf(charge: ChargeFigures) {
  return {
    state: charge.state,
    started_at: time(charge.startedAt),
    ended_at: time(charge.endedAt),
    kind: charge.kind,
    duration_s: charge.durationS,
    energy_added_kwh: number(charge.energyAddedKwh),
    energy_partial: charge.energyPartial,
    energy_used_kwh: number(charge.energyUsedKwh),
    battery_start_pct: number(charge.startBatteryLevelPct),
    battery_end_pct: number(charge.endBatteryLevelPct),
    power_max_kw: number(charge.powerMaxKw),
    sample_count: charge.sampleCount,
    segments: [...charge.segments]
      .sort((a, b) => a.ordinal - b.ordinal)
      .map((segment) => ({
        started_at: time(segment.startedAt),
        ended_at: time(segment.endedAt),
        kind: segment.kind,
        energy_added_kwh: number(segment.energyAddedKwh),
        battery_start_pct: number(segment.startBatteryLevelPct),
        battery_end_pct: number(segment.endBatteryLevelPct),
        power_max_kw: number(segment.powerMaxKw),
      })),
  };
}
