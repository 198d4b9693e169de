import type { PrismaClient } from './generated/prisma/client.ts';
import type { TrackRange } from './track-ranges.ts';

/** Samples that a part holds at most, but for its first batches, which are taken whole. */
const PART_SAMPLES = 4_000;

/** Batches that a part begins at most. */
const PART_BATCHES = 32;

/**
 * Where the first part of each range ends, in epoch ms, and with it the part after it begins; null where the range is one
 * part. A part holds the batch that `fromMs` lies in and the batches after it while they are small, so however long the range
 * is, a part is read in bounded memory, and parts follow each other without a gap or an overlap.
 */
export async function nextParts(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  ranges: readonly TrackRange[],
): Promise<(number | null)[]> {
  const rows = await prisma.$queryRaw<{ n: number; startedAt: Date; count: number }[]>`
    SELECT p.n::int AS n, b.started_at AS "startedAt", b.count
    FROM unnest(${ranges.map(({ vehicleId }) => vehicleId)}::uuid[], ${times(ranges, 'fromMs')}::timestamptz[],
      ${times(ranges, 'toMs')}::timestamptz[]) WITH ORDINALITY AS p(vehicle_id, from_at, to_at, n)
    CROSS JOIN LATERAL (
      SELECT started_at, count FROM track_batch t
      WHERE t.vehicle_id = p.vehicle_id AND t.started_at > p.from_at AND t.started_at <= p.to_at
      ORDER BY started_at LIMIT ${PART_BATCHES + 1}
    ) AS b ORDER BY p.n, b.started_at`;
  return ranges.map((_, index) => cutOf(rows.filter(({ n }) => n === index + 1)));
}

const times = (ranges: readonly TrackRange[], end: 'fromMs' | 'toMs') =>
  ranges.map((range) => new Date(range[end]).toISOString());

/** The start of the first batch that is one too many; always after the first, so that every part leads on. */
function cutOf(batches: readonly { startedAt: Date; count: number }[]): number | null {
  let samples = 0;
  for (const [index, { startedAt, count }] of batches.entries()) {
    samples += count;
    if (index > 0 && (samples > PART_SAMPLES || index === PART_BATCHES)) return startedAt.getTime();
  }
  return null;
}
