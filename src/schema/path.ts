import type { LocationPrecision as Precision } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import type { Sample } from '../contract/samples.ts';
import type { Piece } from '../store/detail-ranges.ts';
import { simplified, spaced, thinned } from '../store/simplify.ts';
import { type LevelM, type Located, levelsM, located } from '../store/track-detail.ts';
import type { TrackRange } from '../store/track-ranges.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import type { Context } from './context.ts';
import { LocationPrecision } from './enums.ts';
import { degree, precisionFor } from './precision.ts';
import { maxPointsArg, piecesIn, pointsAsked, samplesIn } from './track.ts';

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
      description:
        'Direction the vehicle pointed to, clockwise from north; null where positions are not told exactly [°].',
    }),
    speedKmh: t.exposeFloat('speedKmh', { nullable: true, description: 'Speed [km/h].' }),
    powerKw: t.exposeFloat('powerKw', {
      nullable: true,
      description: 'Power out of the pack; negative flows back [kW].',
    }),
    elevationM: t.exposeFloat('elevationM', {
      nullable: true,
      description:
        'Height above sea level; null where the maker does not give it, or positions are not told exactly [m].',
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
  const precision = await precisionFor(context, range.vehicleId);
  const { line, sampleCount } = await (precision === 'EXACT'
    ? lineIn(context, range, { ...args, toleranceM })
    : coarseLineIn(context, range, { ...args, toleranceM, precision }));
  return {
    points: thinned(line, maxPoints).map((sample) => toldPoint(sample, precision)),
    sampleCount,
    precision,
  };
}

/**
 * The line as it is told, simplified after that: which points the true line keeps would tell where it bends. A hidden one
 * has no bends to keep.
 */
async function coarseLineIn(
  context: Context,
  range: TrackRange,
  { toleranceM, intervalMs = 0, precision }: LineWish & { precision: Precision },
): Promise<Line> {
  const { line, sampleCount } = await lineIn(context, range, { toleranceM: 0, intervalMs });
  if (precision === 'HIDDEN' || toleranceM === 0) return { line, sampleCount };
  const told = line.map((sample) => toldPoint(sample, precision)).flatMap(located);
  return { line: simplified(told, toleranceM), sampleCount };
}

type Line = { line: Located[]; sampleCount: number };
type LineWish = { toleranceM: number; intervalMs?: number };

/** The line through a stretch; from a level of detail that is stored, where one is fine enough. */
async function lineIn(
  context: Context,
  range: TrackRange,
  { toleranceM, intervalMs = 0 }: LineWish,
): Promise<Line> {
  // Of two simplifications after each other, the tolerances add up.
  const level = levelsM.findLast((one) => one === toleranceM || one <= toleranceM / 2);
  if (level !== undefined && intervalMs === 0) {
    return lineOfPieces(await piecesIn(context).load(range), level, toleranceM - level);
  }
  const samples = (await samplesIn(context).load(range)).flatMap(located);
  const apart = spaced(samples, intervalMs);
  const line = toleranceM === 0 ? apart : simplified(apart, toleranceM);
  return { line, sampleCount: samples.length };
}

/** The line through pieces at a level of detail, made coarser by `furtherM`. */
function lineOfPieces(pieces: readonly Piece[], level: LevelM, furtherM: number): Line {
  let sampleCount = 0;
  const line = pieces.flatMap((piece) => {
    if ('detail' in piece) {
      sampleCount += piece.detail.locatedCount;
      return piece.detail.path(level);
    }
    const points = piece.samples.flatMap(located);
    sampleCount += points.length;
    return simplified(points, level);
  });
  return { line: furtherM === 0 ? line : simplified(line, furtherM), sampleCount };
}

/** A sample as the caller may learn it. */
export function toldPoint(sample: Located, precision: Precision): Sample {
  const exact = precision === 'EXACT';
  return {
    ...sample,
    latitude: degree(sample.latitude, precision),
    longitude: degree(sample.longitude, precision),
    headingDeg: exact ? sample.headingDeg : null,
    elevationM: exact ? sample.elevationM : null,
  };
}
