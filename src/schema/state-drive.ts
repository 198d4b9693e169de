import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import type { Context } from './context.ts';
import { Location, tell } from './location.ts';
import { currentPlaceId } from './place.ts';
import { type ReadingFields, type SectionReading, signalField, signalsOf } from './state-fields.ts';

/** Signals of the section `drive` that its location tells. */
export const locatedFields = ['latitude', 'longitude', 'headingDeg', 'elevationM', 'locatedAt'];

const number = (value: unknown) => (typeof value === 'number' ? value : null);

/** Where a vehicle was last seen; null while nobody knows. */
export async function lastLocation(
  context: Context,
  { vehicleId, observedAt, values }: SectionReading,
) {
  const latitude = number(values.latitude);
  const longitude = number(values.longitude);
  return tell(context, {
    vehicleId,
    latitude,
    longitude,
    headingDeg: number(values.headingDeg),
    elevationM: number(values.elevationM),
    placeId: await currentPlaceId(context, latitude, longitude),
    observedAt: number(values.locatedAt) ?? observedAt,
  });
}

const inRoute = signalsOf('drive').filter(({ steps }) => steps[0] === 'route');
const plainInRoute = inRoute.filter(
  ({ name }) => !['routeDestination', 'routeLatitude', 'routeLongitude'].includes(name),
);

const Route = builder.objectRef<SectionReading>('VehicleStateDriveRoute').implement({
  description: 'What the navigation of a vehicle is set to.',
  authScopes: vehicles,
  fields: (t) => ({
    destination: signalField(t, {
      name: 'routeDestination',
      description: 'Name of the destination; null where positions are not told exactly.',
    }),
    location: t.field({
      type: Location,
      nullable: true,
      description: 'Where the destination is.',
      resolve: ({ vehicleId, observedAt, values }, _args, context) =>
        tell(context, {
          vehicleId,
          latitude: number(values.routeLatitude),
          longitude: number(values.routeLongitude),
          placeId: null,
          observedAt,
        }),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the vehicle last told of it.',
      resolve: ({ observedAt }) => observedAt,
    }),
    ...Object.fromEntries(
      plainInRoute.map((signal) => [signal.steps.at(-1), signalField(t, signal)]),
    ),
  }),
});

/** Where the vehicle is and where it is going. */
export function driveFields(t: ReadingFields) {
  return {
    location: t.field({
      type: Location,
      nullable: true,
      description: 'Where the vehicle was last seen.',
      resolve: (reading, _args, context) => lastLocation(context, reading),
    }),
    route: t.field({
      type: Route,
      nullable: true,
      description: 'What the navigation is set to; null when it is not.',
      resolve: (reading) =>
        inRoute.some(({ name }) => reading.values[name] != null) ? reading : null,
    }),
  };
}
