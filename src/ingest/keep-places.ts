import type { ChargeRow, DriveRow } from '../contract/effects.ts';
import type { Folded } from '../store/history.ts';
import { positionOf } from './geodesy.ts';
import { type PlaceShape, placeAt } from './places.ts';
import type { MachineState } from './state.ts';

/**
 * A state whose open rows name the places of now. Places change while a drive, charge or stop is under way, and a state
 * that was kept for a late record may name one that is gone.
 */
export function withPlaces(state: MachineState, places: readonly PlaceShape[]): MachineState {
  const { drive, charge, parked, trip, stream } = state;
  const at = (latitude: number | null, longitude: number | null) =>
    placeAt(places, positionOf(latitude, longitude))?.id ?? null;
  return {
    ...state,
    drive: drive && { ...drive, row: driveWithPlaces(drive.row, places) },
    charge: charge && { ...charge, row: chargeWithPlace(charge.row, places) },
    parked: parked && { ...parked, placeId: at(parked.latitude, parked.longitude) },
    trip: trip && {
      ...trip,
      row: {
        ...trip.row,
        startPlaceId: at(trip.row.startLatitude, trip.row.startLongitude),
        endPlaceId: at(trip.row.endLatitude, trip.row.endLongitude),
      },
    },
    stream: stream && {
      ...stream,
      lastDrive: stream.lastDrive && driveWithPlaces(stream.lastDrive, places),
    },
  };
}

/** Gives rows that wait to be written the places of now; their reduction may have begun before one of them changed. */
export function placeFolded(folded: Folded, places: readonly PlaceShape[]): void {
  const { drives, charges, parkedSpans, trips } = folded;
  for (const [id, row] of drives) drives.set(id, driveWithPlaces(row, places));
  for (const [id, charge] of charges) {
    charges.set(id, { ...charge, row: chargeWithPlace(charge.row, places) });
  }
  for (const [id, row] of parkedSpans) {
    const place = placeAt(places, positionOf(row.latitude, row.longitude));
    parkedSpans.set(id, { ...row, placeId: place?.id ?? null });
  }
  for (const [id, trip] of trips) {
    const ends = driveWithPlaces({ ...trip.row, endedAt: trip.row.startedAt }, places);
    const { startPlaceId, endPlaceId } = ends;
    trips.set(id, { ...trip, row: { ...trip.row, startPlaceId, endPlaceId } });
  }
}

/** Ends of a drive with the places they lie in; one under way has no end yet. */
export function driveWithPlaces<
  D extends Pick<DriveRow, 'startLatitude' | 'startLongitude' | 'endLatitude' | 'endLongitude'> & {
    endedAt: unknown;
  },
>(drive: D, places: readonly PlaceShape[]): D & Pick<DriveRow, 'startPlaceId' | 'endPlaceId'> {
  const start = positionOf(drive.startLatitude, drive.startLongitude);
  const end = drive.endedAt === null ? null : positionOf(drive.endLatitude, drive.endLongitude);
  return {
    ...drive,
    startPlaceId: placeAt(places, start)?.id ?? null,
    endPlaceId: placeAt(places, end)?.id ?? null,
  };
}

/** A charge with the place it lies in, and whose charger that makes it where the vehicle did not say. */
export function chargeWithPlace<C extends Pick<ChargeRow, 'latitude' | 'longitude' | 'network'>>(
  charge: C,
  places: readonly PlaceShape[],
): C & Pick<ChargeRow, 'placeId' | 'network'> {
  const place = placeAt(places, positionOf(charge.latitude, charge.longitude));
  const { network } = charge;
  const said = network === 'MAKER_FAST' || network === 'THIRD_PARTY';
  return {
    ...charge,
    placeId: place?.id ?? null,
    network: said ? network : networkAt(place?.kind),
  };
}

/** Whose charger stands at a place of a kind, as far as that says it. */
export function networkAt(kind: PlaceShape['kind'] | undefined): ChargeRow['network'] {
  return kind === 'HOME' || kind === 'WORK' ? kind : 'UNKNOWN';
}
