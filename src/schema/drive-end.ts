import type { Drive } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { Location, type Position, tell } from './location.ts';

type End = {
  position: Position;
  odometerKm: number | null;
  batteryLevelPct: number | null;
  usableBatteryLevelPct: number | null;
  rangeRatedKm: number | null;
};

/** The vehicle where a drive started. */
export function startOf(drive: Drive): End {
  return {
    position: {
      vehicleId: drive.vehicleId,
      latitude: drive.startLatitude,
      longitude: drive.startLongitude,
      placeId: drive.startPlaceId,
      observedAt: drive.startedAt,
    },
    odometerKm: drive.startOdometerKm,
    batteryLevelPct: drive.startBatteryLevelPct,
    usableBatteryLevelPct: drive.startUsableBatteryLevelPct,
    rangeRatedKm: drive.startRangeRatedKm,
  };
}

/** The vehicle where a drive ended; null while it is under way. */
export function endOf(drive: Drive): End | null {
  if (drive.endedAt === null) return null;
  return {
    position: {
      vehicleId: drive.vehicleId,
      latitude: drive.endLatitude,
      longitude: drive.endLongitude,
      placeId: drive.endPlaceId,
      observedAt: drive.endedAt,
    },
    odometerKm: drive.endOdometerKm,
    batteryLevelPct: drive.endBatteryLevelPct,
    usableBatteryLevelPct: drive.endUsableBatteryLevelPct,
    rangeRatedKm: drive.endRangeRatedKm,
  };
}

/** The vehicle at an end of a drive. */
export const DriveEnd = builder.objectRef<End>('DriveEnd').implement({
  description: 'The vehicle at an end of a drive.',
  authScopes: vehicles,
  fields: (t) => ({
    location: t.field({
      type: Location,
      nullable: true,
      description: 'Where it was.',
      resolve: (end, _args, context) => tell(context, end.position),
    }),
    odometerKm: t.exposeFloat('odometerKm', { nullable: true, description: 'Odometer [km].' }),
    batteryLevelPct: t.exposeFloat('batteryLevelPct', {
      nullable: true,
      description: 'State of charge [%].',
    }),
    usableBatteryLevelPct: t.exposeFloat('usableBatteryLevelPct', {
      nullable: true,
      description: 'State of charge usable then [%].',
    }),
    rangeRatedKm: t.exposeFloat('rangeRatedKm', {
      nullable: true,
      description: 'Rated range [km].',
    }),
  }),
});
