import type { LocationPrecision as Precision } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import type { Sample } from '../contract/samples.ts';
import type { TrackRange } from '../store/track-ranges.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import type { Context } from './context.ts';
import { LocationPrecision } from './enums.ts';
import { degree, precisionFor } from './precision.ts';
import { simplified, spaced, thinned } from './simplify.ts';
import { maxPointsArg, pointsAsked, samplesIn } from './track.ts';

type PathShape = { points: Sample[]; sampleCount: number; precision: Precision };

/** A vehicle at one moment of a path. */
export const PathPoint = builder.objectRef<Sample>('PathPoint').implement({
  description: 'A vehicle at one moment of a path.',
  authScopes: vehicles,
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    latitude: t.exposeFloat('latitude', {
      nullable: true,
      description: 'Latitude, WGS 84; null when it is hidden [°].',
    }),
    longitude: t.exposeFloat('longitude', {
      nullable: true,
      description: 'Longitude, WGS 84; null when it is hidden [°].',
    }),
    headingDeg: t.exposeFloat('headingDeg', {
      nullable: true,
      description: 'Direction the vehicle pointed to, clockwise from north [°].',
    }),
    speedKmh: t.exposeFloat('speedKmh', { nullable: true, description: 'Speed [km/h].' }),
    powerKw: t.exposeFloat('powerKw', {
      nullable: true,
      description: 'Power out of the pack; negative flows back [kW].',
    }),
    elevationM: t.exposeFloat('elevationM', {
      nullable: true,
      description: 'Height above sea level; null where the maker does not give it [m].',
    }),
    batteryLevelPct: t.exposeFloat('batteryLevelPct', {
      nullable: true,
      description: 'State of charge [%].',
    }),
    rangeRatedKm: t.exposeFloat('rangeRatedKm', {
      nullable: true,
      description: 'Rated range [km].',
    }),
    odometerKm: t.exposeFloat('odometerKm', { nullable: true, description: 'Odometer [km].' }),
    insideTempC: t.exposeFloat('insideTempC', {
      nullable: true,
      description: 'Temperature inside [°C].',
    }),
    outsideTempC: t.exposeFloat('outsideTempC', {
      nullable: true,
      description: 'Temperature outside [°C].',
    }),
  }),
});

/** The way a vehicle went. */
export const Path = builder.objectRef<PathShape>('Path').implement({
  description: 'The way a vehicle went.',
  authScopes: vehicles,
  fields: (t) => ({
    points: t.field({
      type: [PathPoint],
      description: 'The points that are left after simplifying, in time order.',
      resolve: ({ points }) => points,
    }),
    sampleCount: t.exposeInt('sampleCount', {
      description: 'How many samples with a position there are.',
    }),
    precision: t.expose('precision', {
      type: LocationPrecision,
      description: 'How exactly the positions are told.',
    }),
  }),
});

/** The arguments of a path. */
export const pathArgs = {
  ...maxPointsArg,
  ...builder.args((t) => ({
    simplify: t.float({
      description:
        'Leaves out points that lie less than this from the line that is left, 0 to 1000 [m].',
    }),
  })),
};

/** The way through a stretch of a track, as the caller may learn it. */
export async function pathIn(
  context: Context,
  range: TrackRange,
  args: { maxPoints?: number | null; simplify?: number | null; intervalMs?: number },
): Promise<PathShape> {
  const maxPoints = pointsAsked(args.maxPoints);
  const toleranceM = args.simplify ?? 0;
  if (!(toleranceM >= 0 && toleranceM <= 1000)) {
    throw new ServiceError('validation_failed', 'simplify: Give 0 to 1000.', {
      fields: { simplify: ['Give 0 to 1000.'] },
    });
  }
  const samples = (await samplesIn(context).load(range)).flatMap(located);
  const precision = await precisionFor(context, range.vehicleId);
  const apart = spaced(samples, args.intervalMs ?? 0);
  const line = toleranceM === 0 ? apart : simplified(apart, toleranceM);
  return {
    points: thinned(line, maxPoints).map((sample) => toldPoint(sample, precision)),
    sampleCount: samples.length,
    precision,
  };
}

/** A sample as the caller may learn it. */
export function toldPoint(sample: Located, precision: Precision): Sample {
  const hidden = precision === 'HIDDEN';
  return {
    ...sample,
    latitude: degree(sample.latitude, precision),
    longitude: degree(sample.longitude, precision),
    headingDeg: hidden ? null : sample.headingDeg,
    elevationM: hidden ? null : sample.elevationM,
  };
}

type Located = Sample & { latitude: number; longitude: number };

/** The sample where it has a position. */
export function located(sample: Sample): Located[] {
  const { latitude, longitude } = sample;
  return latitude === null || longitude === null ? [] : [{ ...sample, latitude, longitude }];
}
