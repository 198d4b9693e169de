import DataLoader from 'dataloader';
import { ServiceError } from '../base/errors.ts';
import type { Sample } from '../contract/samples.ts';
import { type Piece, readDetailRanges } from '../store/detail-ranges.ts';
import { withPeaks } from '../store/min-max.ts';
import { readSampleRanges, type TrackRange } from '../store/track-ranges.ts';
import { builder } from './builder.ts';
import { type Context, perOperation } from './context.ts';

/** Points that one answer may hold (contract §13). */
const LARGEST_POINTS = 50_000;
const DEFAULT_POINTS = 1_000;

/** Cost of a stretch of samples: that of reading it, or of telling its points where they are many. */
export function trackCost(args: { maxPoints?: number | null }): {
  field: number;
  multiplier: number;
} {
  const points = Math.min(args.maxPoints ?? DEFAULT_POINTS, LARGEST_POINTS);
  return { field: Math.max(50, Math.ceil(points / 10)), multiplier: 0 };
}

/** Samples of stretches of tracks, those of one operation read in one statement. */
export const samplesIn = perOperation(
  (context) =>
    new DataLoader<TrackRange, Sample[], string>(
      (ranges) => readSampleRanges(context.prisma, ranges),
      { cacheKeyFn: ({ vehicleId, fromMs, toMs }) => `${vehicleId} ${fromMs} ${toMs}` },
    ),
);

/** The same in pieces, with what was computed of whole batches in the place of their samples. */
export const piecesIn = perOperation(
  (context) =>
    new DataLoader<TrackRange, Piece[], string>(
      (ranges) => readDetailRanges(context.prisma, ranges),
      { cacheKeyFn: ({ vehicleId, fromMs, toMs }) => `${vehicleId} ${fromMs} ${toMs}` },
    ),
);

/** The argument that bounds how many points are answered. */
export const maxPointsArg = builder.args((t) => ({
  maxPoints: t.int({
    defaultValue: DEFAULT_POINTS,
    description: `At most this many points; 2 to ${LARGEST_POINTS}.`,
  }),
}));

/** The number of points asked for. Throws `validation_failed` where it is none that can be. */
export function pointsAsked(maxPoints: number | null | undefined): number {
  const asked = maxPoints ?? DEFAULT_POINTS;
  if (asked >= 2 && asked <= LARGEST_POINTS) return asked;
  const sentence = `Give a number from 2 to ${LARGEST_POINTS}.`;
  throw new ServiceError('validation_failed', `maxPoints: ${sentence}`, {
    fields: { maxPoints: [sentence] },
  });
}

/**
 * At most so many samples of a stretch that show its peaks; from what was computed of its batches where that is fine enough.
 */
export async function chartIn(
  context: Context,
  range: TrackRange,
  maxPoints: number | null | undefined,
): Promise<Sample[]> {
  const most = pointsAsked(maxPoints);
  const pieces = await piecesIn(context).load(range);
  const stored = pieces.flatMap((piece) =>
    'detail' in piece ? piece.detail.chart : piece.samples,
  );
  const fine = stored.length >= most || pieces.every((piece) => 'samples' in piece);
  return withPeaks(fine ? stored : await samplesIn(context).load(range), most);
}
