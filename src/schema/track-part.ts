import DataLoader from 'dataloader';
import type { LocationPrecision as Precision } from '../auth/principal.ts';
import type { Sample } from '../contract/samples.ts';
import { located } from '../store/track-detail.ts';
import { nextParts } from '../store/track-parts.ts';
import { readSampleRanges, type TrackRange } from '../store/track-ranges.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { type Context, perOperation } from './context.ts';
import { Drive } from './drive.ts';
import { LocationPrecision } from './enums.ts';
import { PathPoint, toldPoint } from './path.ts';
import { precisionFor } from './precision.ts';
import { Vehicle } from './vehicle.ts';

/** Cost of a part: that of telling some thousand points. */
const PART_COST = { field: 400, multiplier: 0 };

type Part = { samples: Sample[]; nextMs: number | null };

/** The first parts of ranges, those of one operation read in two statements. */
const partsOf = perOperation(
  (context) =>
    new DataLoader<TrackRange, Part, string>(
      async (ranges) => {
        const next = await nextParts(context.prisma, ranges);
        // Times are whole milliseconds, so a part ends with the one before the next.
        const cut = ranges.map((range, n) => ({ ...range, toMs: (next[n] ?? range.toMs + 1) - 1 }));
        const samples = await readSampleRanges(context.prisma, cut);
        return samples.map((own, n) => ({ samples: own, nextMs: next[n] ?? null }));
      },
      { cacheKeyFn: ({ vehicleId, fromMs, toMs }) => `${vehicleId} ${fromMs} ${toMs}` },
    ),
);

type Told = { points: Sample[]; next: number | null; precision: Precision };

const TrackPart = builder.objectRef<Told>('TrackPart').implement({
  description: 'A part of where a vehicle was, with every point that was recorded.',
  authScopes: vehicles,
  fields: (t) => ({
    points: t.field({
      type: [PathPoint],
      description: 'The points in time order; there may be none although more parts follow.',
      resolve: ({ points }) => points,
    }),
    next: t.expose('next', {
      type: 'DateTime',
      nullable: true,
      description: 'Give this as `after` for the part that follows; null after the last.',
    }),
    precision: t.expose('precision', {
      type: LocationPrecision,
      description: 'How exactly the positions are told.',
    }),
  }),
});

async function partIn(context: Context, range: TrackRange): Promise<Told> {
  const { samples, nextMs } = await partsOf(context).load(range);
  const precision = await precisionFor(context, range.vehicleId);
  const points = samples.flatMap(located).map((sample) => toldPoint(sample, precision));
  return { points, next: nextMs, precision };
}

const afterArg = builder.args((t) => ({
  after: t.field({ type: 'DateTime', description: '`next` of the part before.' }),
}));

const partDescription =
  'Where it was, point by point and in parts, so that any range can be read in bounded memory.';

builder.prismaObjectField(Vehicle, 'trackPart', (t) =>
  t.field({
    type: TrackPart,
    description: partDescription,
    args: {
      from: t.arg({ type: 'DateTime', description: 'From this time on; from the beginning.' }),
      to: t.arg({ type: 'DateTime', description: 'Up to this time; up to now.' }),
      ...afterArg,
    },
    complexity: PART_COST,
    resolve: ({ id: vehicleId }, { from, to, after }, context) =>
      partIn(context, { vehicleId, fromMs: after ?? from ?? 0, toMs: to ?? context.clock() }),
  }),
);

builder.prismaObjectField(Drive, 'trackPart', (t) =>
  t.field({
    type: TrackPart,
    description: partDescription,
    args: afterArg,
    complexity: PART_COST,
    resolve: ({ vehicleId, startedAt, endedAt }, { after }, context) =>
      partIn(context, {
        vehicleId,
        fromMs: Math.max(startedAt.getTime(), after ?? 0),
        toMs: endedAt?.getTime() ?? context.clock(),
      }),
  }),
);
