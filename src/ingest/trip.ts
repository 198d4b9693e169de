import { derivedUuid } from '../base/ids.ts';
import { MINUTE_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { ChargeRow, DriveRow, Effect, TripRow } from '../contract/effects.ts';
import {
  isClosed,
  type MachineContext,
  type MachineState,
  type Moment,
  type OpenTrip,
} from './state.ts';

/** A stop of this length ends a trip (contract §5). */
const LONGEST_STOP_MS = 120 * MINUTE_MS;
/** Drives that come to less than this are no trip [km] (contract §5). */
const SHORTEST_TRIP_KM = 20;

/** Adds a drive that ended to the trip under way, or begins one with it. */
export function withDrive(
  state: MachineState,
  drive: DriveRow,
  context: MachineContext,
  effects: Effect[],
): MachineState {
  if (drive.state === 'DISCARDED') return state;
  const open = tripUntil(state, { at: drive.startedAt, context, effects });
  const trip = open === null ? begun(drive, context) : joined(open, drive);
  const next = tell({ ...trip, lastEndAt: drive.endedAt ?? drive.startedAt }, effects);
  return { ...state, trip: isBack(drive, context) ? finish(next, effects) : next };
}

/**
 * Brings the trip up to its last drive, `before`, which turned out longer, as `row`; that may be a `trip` that has ended
 * since.
 */
export function withLongerDrive(
  state: MachineState,
  { before, row, trip }: { before: DriveRow; row: DriveRow; trip: OpenTrip | null },
  { context, effects }: Pick<Moment, 'context' | 'effects'>,
): MachineState {
  if (row.distanceKm === before.distanceKm && row.endedAt === before.endedAt) return state;
  if (state.trip?.driveIds.at(-1) === row.id) {
    const next = tell(lengthened(state.trip, before, row), effects);
    return { ...state, trip: isBack(row, context) ? finish(next, effects) : next };
  }
  if (trip?.driveIds.at(-1) !== row.id) return state;
  const { row: longer, ...rest } = lengthened(trip, before, row);
  tell({ ...rest, row: { ...longer, state: 'ENDED' } }, effects);
  return state;
}

function lengthened(trip: OpenTrip, before: DriveRow, drive: DriveRow): OpenTrip {
  const { row } = trip;
  const distanceKm = rounded(row.distanceKm + drive.distanceKm - before.distanceKm, 3);
  const drivingS = row.drivingS + (drive.durationS ?? 0) - (before.durationS ?? 0);
  const usedKwh = row.energyUsedKwh;
  const { endedAt, endLatitude, endLongitude, endPlaceId } = drive;
  return {
    ...trip,
    lastEndAt: endedAt ?? trip.lastEndAt,
    row: {
      ...{ ...row, distanceKm, drivingS, endedAt, endLatitude, endLongitude, endPlaceId },
      efficiencyWhPerKm:
        usedKwh === null || distanceKm < 0.1 ? null : rounded((usedKwh / distanceKm) * 1000, 1),
    },
  };
}

/** Whether a drive ended where trips end. */
function isBack({ endPlaceId }: DriveRow, { places }: MachineContext): boolean {
  const kind = places.find((place) => place.id === endPlaceId)?.kind;
  return kind === 'HOME' || kind === 'WORK';
}

/** Adds a charge that ended on the way. */
export function withCharge(
  state: MachineState,
  charge: ChargeRow,
  effects: Effect[],
): MachineState {
  const trip = state.trip;
  if (trip === null || charge.state === 'DISCARDED' || charge.startedAt < trip.row.startedAt)
    return state;
  const row: TripRow = {
    ...trip.row,
    chargingS: trip.row.chargingS + charge.durationS,
    energyAddedKwh: rounded((trip.row.energyAddedKwh ?? 0) + (charge.energyAddedKwh ?? 0), 3),
  };
  return {
    ...state,
    trip: tell({ ...trip, row, chargeIds: [...trip.chargeIds, charge.id] }, effects),
  };
}

/** Adds energy to the trip under way that its last charge told of late. */
export function withMoreCharged(
  state: MachineState,
  chargeId: string,
  kwh: number,
  effects: Effect[],
): MachineState {
  const { trip } = state;
  if (trip?.chargeIds.at(-1) !== chargeId) return state;
  const energyAddedKwh = rounded((trip.row.energyAddedKwh ?? 0) + kwh, 3);
  return { ...state, trip: tell({ ...trip, row: { ...trip.row, energyAddedKwh } }, effects) };
}

/** Ends a trip whose last stop grew too long. */
export function followTrip(
  state: MachineState,
  moment: Pick<Moment, 'at' | 'context' | 'effects'>,
): MachineState {
  if (state.trip === null || state.drive !== null) return state;
  const trip = tripUntil(state, moment);
  return trip === state.trip ? state : { ...state, trip };
}

function tripUntil(
  { trip }: MachineState,
  { at, context, effects }: Pick<Moment, 'at' | 'context' | 'effects'>,
): OpenTrip | null {
  if (trip === null) return null;
  const closed = isClosed(context, 'trip', { from: trip.row.startedAt, at });
  return closed || at - trip.lastEndAt >= LONGEST_STOP_MS ? finish(trip, effects) : trip;
}

function begun(drive: DriveRow, context: MachineContext): OpenTrip {
  const row: TripRow = {
    id: derivedUuid(drive.startedAt, context.vehicleId, 'trip'),
    auto: true,
    state: 'ONGOING',
    startedAt: drive.startedAt,
    endedAt: drive.endedAt,
    distanceKm: drive.distanceKm,
    drivingS: drive.durationS ?? 0,
    chargingS: 0,
    stoppedS: 0,
    energyUsedKwh: drive.energyUsedKwh,
    energyAddedKwh: null,
    efficiencyWhPerKm: drive.efficiencyWhPerKm,
    startLatitude: drive.startLatitude,
    startLongitude: drive.startLongitude,
    endLatitude: drive.endLatitude,
    endLongitude: drive.endLongitude,
    startPlaceId: drive.startPlaceId,
    endPlaceId: drive.endPlaceId,
  };
  return {
    row,
    driveIds: [drive.id],
    chargeIds: [],
    lastEndAt: drive.endedAt ?? drive.startedAt,
    told: false,
  };
}

function joined(trip: OpenTrip, drive: DriveRow): OpenTrip {
  const km = trip.row.distanceKm + drive.distanceKm;
  const known = trip.row.energyUsedKwh !== null && drive.energyUsedKwh !== null;
  const usedKwh = known ? (trip.row.energyUsedKwh ?? 0) + (drive.energyUsedKwh ?? 0) : null;
  const endedAt = drive.endedAt ?? drive.startedAt;
  const drivingS = trip.row.drivingS + (drive.durationS ?? 0);
  const elapsedS = Math.round((endedAt - trip.row.startedAt) / SECOND_MS);
  return {
    ...trip,
    driveIds: [...trip.driveIds, drive.id],
    row: {
      ...trip.row,
      endedAt,
      distanceKm: rounded(km, 3),
      drivingS,
      stoppedS: Math.max(0, elapsedS - drivingS - trip.row.chargingS),
      energyUsedKwh: usedKwh === null ? null : rounded(usedKwh, 3),
      efficiencyWhPerKm: usedKwh === null || km < 0.1 ? null : rounded((usedKwh / km) * 1000, 1),
      endLatitude: drive.endLatitude,
      endLongitude: drive.endLongitude,
      endPlaceId: drive.endPlaceId,
    },
  };
}

function tell(trip: OpenTrip, effects: Effect[]): OpenTrip {
  if (trip.row.distanceKm < SHORTEST_TRIP_KM) return trip;
  effects.push({ kind: 'trip', row: trip.row, driveIds: trip.driveIds, chargeIds: trip.chargeIds });
  effects.push({
    kind: 'event',
    type: 'trip.updated',
    occurredAt: trip.lastEndAt,
    data: { tripId: trip.row.id, state: trip.row.state },
  });
  return { ...trip, told: true };
}

/** The state with the trip under way ended, wherever it was. */
export function endTrip(state: MachineState, effects: Effect[]): MachineState {
  return state.trip === null ? state : { ...state, trip: finish(state.trip, effects) };
}

function finish(trip: OpenTrip, effects: Effect[]): null {
  if (trip.told) tell({ ...trip, row: { ...trip.row, state: 'ENDED' } }, effects);
  return null;
}
