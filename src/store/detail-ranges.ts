import type { Sample } from '../contract/samples.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import { unpackSamples } from './track-codec.ts';
import { type TrackDetail, unpackDetail } from './track-detail.ts';
import { readSampleRanges, type TrackRange } from './track-ranges.ts';

/** A stretch of a track: what was computed of a batch that lies in it as a whole, or its samples themselves. */
export type Piece = { detail: TrackDetail } | { samples: Sample[] };

type Row = {
  n: number;
  startedAt: Date;
  endedAt: Date;
  detail: Uint8Array | null;
  data: Uint8Array | null;
};

/**
 * Several stretches in pieces, in time order, in one statement: samples are read only of batches that have no detail, or that
 * the stretch cuts.
 */
export async function readDetailRanges(
  prisma: Pick<PrismaClient, '$queryRaw' | 'trackBatch'>,
  ranges: readonly TrackRange[],
): Promise<Piece[][]> {
  const rows = await prisma.$queryRaw<Row[]>`
    SELECT p.n::int AS n, b.started_at AS "startedAt", b.ended_at AS "endedAt",
      CASE WHEN whole THEN b.detail END AS detail, CASE WHEN whole THEN NULL ELSE b.data END AS data
    FROM unnest(${ranges.map(({ vehicleId }) => vehicleId)}::uuid[], ${times(ranges, 'fromMs')}::timestamptz[],
      ${times(ranges, 'toMs')}::timestamptz[]) WITH ORDINALITY AS p(vehicle_id, from_at, to_at, n)
    JOIN LATERAL (
      SELECT *, detail IS NOT NULL AND started_at >= p.from_at AND ended_at <= p.to_at AS whole
      FROM track_batch t
      WHERE t.vehicle_id = p.vehicle_id AND t.started_at <= p.to_at AND t.ended_at >= p.from_at
    ) AS b ON true
    ORDER BY p.n, b.started_at`;
  return Promise.all(
    ranges.map(async (range, index) => {
      const own = rows.filter(({ n }) => n === index + 1);
      const pieces = follow(own) ? own.map((row) => pieceOf(row, range)) : [];
      if (pieces.length === own.length && pieces.every((piece) => piece !== null)) return pieces;
      const [samples = []] = await readSampleRanges(prisma, [range]);
      return [{ samples }];
    }),
  );
}

const times = (ranges: readonly TrackRange[], end: 'fromMs' | 'toMs') =>
  ranges.map((range) => new Date(range[end]).toISOString());

/** Whether each batch begins after the one before ended: where they overlap, their samples have to be put in order. */
function follow(rows: readonly Row[]): boolean {
  return rows.every(({ startedAt }, index) => {
    const before = rows[index - 1];
    return before === undefined || before.endedAt < startedAt;
  });
}

/** Null where the detail is of a version that this program does not know. */
function pieceOf({ detail, data }: Row, { fromMs, toMs }: TrackRange): Piece | null {
  if (data !== null) {
    return { samples: unpackSamples(data).filter(({ at }) => at >= fromMs && at <= toMs) };
  }
  const known = detail === null ? null : unpackDetail(detail);
  return known === null ? null : { detail: known };
}
