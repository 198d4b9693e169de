import type { Prisma } from './generated/prisma/client.ts';

/** What came in of a vehicle: a record as it came (`R`), or an observation of ours (`O`). `at` is epoch ms. */
export type JournalEntry = {
  vehicleId: string;
  at: number;
  /** What tells it from another of the same time, as a UUID. */
  content: string;
  form: 'R' | 'O';
  /** JSON text. */
  data: string;
};

/** What became of a vehicle's entries: new ones, and of these those behind what is reduced. */
export type Appended = {
  vehicleId: string;
  added: number;
  /** New, behind what is reduced, and to be reduced anew. */
  late: number;
  /** New, and older than anything that can be reduced anew; kept, not applied. */
  tooLate: number;
};

/** When what came in is looked at. */
export type JournalTimes = {
  /** When it came in (epoch ms). */
  receivedAt: number;
  /** How long records wait for earlier ones [ms]. */
  windowMs: number;
  /** How long those that need not wait any more may gather [ms]. */
  gatherMs: number;
};

/**
 * Writes entries into the journal of vehicles whose streams are open, each once however often it comes, and has the
 * journal looked at when they are due. The caller's transaction holds the streams of all of them (`lockStreams`).
 */
export async function appendToJournal(
  tx: Prisma.TransactionClient,
  entries: readonly JournalEntry[],
  { receivedAt, windowMs, gatherMs }: JournalTimes,
): Promise<Appended[]> {
  if (entries.length === 0) return [];
  const rows = await tx.$queryRawUnsafe<
    { vehicle_id: string; added: number; late: number; too_late: number }[]
  >(
    `WITH fresh AS (
       INSERT INTO ingest_record (vehicle_id, at, content, received_at, form, data)
       SELECT entry.vehicle_id, entry.at, entry.content, $6::timestamptz, entry.form, entry.data
       FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[]) AS entry(vehicle_id, at, content, form, data)
       ON CONFLICT DO NOTHING
       RETURNING vehicle_id, at
     ), news AS (
       SELECT fresh.vehicle_id, count(*) AS added, max(fresh.at) AS newest,
         count(*) FILTER (WHERE fresh.at <= s.reduced_until AND fresh.at > s.kept_from) AS late,
         count(*) FILTER (WHERE fresh.at <= s.reduced_until AND fresh.at <= s.kept_from) AS too_late,
         min(fresh.at) FILTER (WHERE fresh.at <= s.reduced_until AND fresh.at > s.kept_from) AS late_from
       FROM fresh JOIN vehicle_stream s USING (vehicle_id) GROUP BY fresh.vehicle_id
     )
     UPDATE vehicle_stream s SET
       newest_at = greatest(s.newest_at, news.newest),
       received_at = $6::timestamptz,
       late_from = least(s.late_from, news.late_from),
       due_at = least(s.due_at, $6::timestamptz + make_interval(secs => (CASE
         WHEN news.late_from IS NOT NULL
           OR greatest(s.newest_at, news.newest) - make_interval(secs => $7::float8 / 1000) > s.reduced_until
         THEN $8::float8 ELSE $7::float8 END) / 1000))
     FROM news WHERE s.vehicle_id = news.vehicle_id
     RETURNING s.vehicle_id, news.added::int AS added, news.late::int AS late, news.too_late::int AS too_late`,
    entries.map(({ vehicleId }) => vehicleId),
    entries.map(({ at }) => new Date(at).toISOString()),
    entries.map(({ content }) => content),
    entries.map(({ form }) => form),
    entries.map(({ data }) => data),
    new Date(receivedAt).toISOString(),
    windowMs,
    gatherMs,
  );
  return rows.map(({ vehicle_id, added, late, too_late }) => ({
    vehicleId: vehicle_id,
    added,
    late,
    tooLate: too_late,
  }));
}

/** An entry as it is read back; times are epoch ms. */
export type StoredEntry = {
  at: number;
  receivedAt: number;
  content: string;
  form: string;
  data: string;
};

/** Where reading went on from: an entry, or a time of which nothing more is wanted. */
export type JournalPlace = { at: number; content: string | null };

/**
 * The next entries of a vehicle after a place, up to `until` (epoch ms, inclusive), at most `limit`, in order. They come as
 * one text, a line each: a row each would cost more than reading them does.
 */
export async function readJournal(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  { after, until, limit }: { after: JournalPlace; until: number; limit: number },
): Promise<StoredEntry[]> {
  const [row] = await tx.$queryRawUnsafe<{ lines: string | null }[]>(
    `SELECT string_agg(concat_ws(' ', (extract(epoch FROM at) * 1000)::bigint, (extract(epoch FROM received_at) * 1000)::bigint,
       content, form, data), E'\n' ORDER BY at, content) AS lines
     FROM (
       SELECT * FROM ingest_record
       WHERE vehicle_id = $1::uuid AND at <= $2::timestamptz AND (at, content) > ($3::timestamptz, $4::uuid)
       ORDER BY at, content LIMIT $5
     ) AS page`,
    vehicleId,
    new Date(until).toISOString(),
    new Date(after.at).toISOString(),
    after.content ?? LAST_CONTENT,
    limit,
  );
  return row?.lines == null ? [] : row.lines.split('\n').map(entryOfLine);
}

/** No content comes after it. */
const LAST_CONTENT = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Texts of JSON hold spaces and line separators of Unicode, and no line feed. */
const entryLine = /^(\d+) (\d+) (\S+) (\S+) (.*)$/s;

function entryOfLine(line: string): StoredEntry {
  const [, at, receivedAt, content = '', form = '', data = ''] = entryLine.exec(line) ?? [];
  return { at: Number(at), receivedAt: Number(receivedAt), content, form, data };
}

/** Time of the vehicle's first entry after `after` (epoch ms), or null. */
export async function nextEntryAt(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  after: number,
): Promise<number | null> {
  const entry = await tx.ingestRecord.findFirst({
    where: { vehicleId, at: { gt: new Date(after) } },
    orderBy: { at: 'asc' },
    select: { at: true },
  });
  return entry?.at.getTime() ?? null;
}

/** Event time of the newest record that streamed in of a vehicle (epoch ms), or null. */
export async function lastRecordAt(
  tx: Prisma.TransactionClient,
  vehicleId: string,
): Promise<number | null> {
  const record = await tx.ingestRecord.findFirst({
    where: { vehicleId, form: 'R' },
    orderBy: { at: 'desc' },
    select: { at: true },
  });
  return record?.at.getTime() ?? null;
}
