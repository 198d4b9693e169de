import type { Prisma } from './generated/prisma/client.ts';
import { emptyFold, type Folded } from './history.ts';

/** How far a vehicle is reduced anew from a checkpoint; every time is epoch ms. */
export type Rerun = {
  /** The checkpoint that it starts over from. */
  baseAt: number;
  /** The oldest record that came late. */
  lateFrom: number;
  /** Up to where the journal is in the state, inclusive. */
  at: number;
  lastAt: number | null;
  checkpointAt: number;
  state: unknown;
  /** The rows that it came to so far; their samples are stored already. */
  folded: Folded;
};

/** Where a vehicle's reduction anew stands, or null where none is under way, or where another version of the service began it. */
export async function readRerun(
  tx: Prisma.TransactionClient,
  vehicleId: string,
): Promise<Rerun | null> {
  const row = await tx.vehicleRerun.findUnique({ where: { vehicleId } });
  const folded = row === null ? null : unpacked(row.folded);
  if (row === null || folded === null) return null;
  return {
    baseAt: row.baseAt.getTime(),
    lateFrom: row.lateFrom.getTime(),
    at: row.at.getTime(),
    lastAt: row.lastAt?.getTime() ?? null,
    checkpointAt: row.checkpointAt.getTime(),
    state: row.state,
    folded,
  };
}

/** Where a reduction anew began that cannot be gone on with (epoch ms); null where there is none. */
export async function rerunBeganAt(
  tx: Prisma.TransactionClient,
  vehicleId: string,
): Promise<{ baseAt: number; lateFrom: number } | null> {
  const row = await tx.vehicleRerun.findUnique({
    where: { vehicleId },
    select: { baseAt: true, lateFrom: true },
  });
  return row && { baseAt: row.baseAt.getTime(), lateFrom: row.lateFrom.getTime() };
}

/** Notes how far a vehicle is reduced anew. */
export async function writeRerun(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  { baseAt, lateFrom, at, lastAt, checkpointAt, state, folded }: Rerun,
): Promise<void> {
  const row = {
    baseAt: new Date(baseAt),
    lateFrom: new Date(lateFrom),
    at: new Date(at),
    lastAt: lastAt === null ? null : new Date(lastAt),
    checkpointAt: new Date(checkpointAt),
    state: JSON.parse(JSON.stringify(state)),
    folded: JSON.parse(JSON.stringify(packed(folded))),
  };
  await tx.vehicleRerun.upsert({
    where: { vehicleId },
    update: row,
    create: { vehicleId, ...row },
  });
}

/**
 * Has a reduction anew that is past `at` (epoch ms) already begin again, because it did not know what holds from then on.
 * Call it under the vehicle's lock.
 */
export async function recallRerun(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  at: number,
): Promise<void> {
  const from = new Date(at);
  await tx.$executeRaw`
    UPDATE vehicle_stream s SET late_from = least(s.late_from, ${from}::timestamptz) FROM vehicle_rerun r
    WHERE r.vehicle_id = s.vehicle_id AND s.vehicle_id = ${vehicleId}::uuid AND r.at >= ${from}::timestamptz`;
}

/** Forgets that a vehicle was being reduced anew: it is done, or begins again. */
export async function dropRerun(tx: Prisma.TransactionClient, vehicleId: string): Promise<void> {
  await tx.vehicleRerun.deleteMany({ where: { vehicleId } });
}

const FORM = 1;

type Entries<M> = M extends Map<infer K, infer V> ? [K, V][] : never;

type Packed = Omit<Folded, keyof Maps | 'samples'> & {
  form: typeof FORM;
} & { [K in keyof Maps]: Entries<Maps[K]> };

type Maps = Pick<
  Folded,
  'sections' | 'drives' | 'charges' | 'trips' | 'stateSpans' | 'parkedSpans' | 'installations'
>;

function packed(folded: Folded): Packed {
  const { samples: _stored, ...rest } = folded;
  return {
    ...rest,
    form: FORM,
    sections: [...folded.sections],
    drives: [...folded.drives],
    charges: [...folded.charges],
    trips: [...folded.trips],
    stateSpans: [...folded.stateSpans],
    parkedSpans: [...folded.parkedSpans],
    installations: [...folded.installations],
  };
}

function unpacked(stored: unknown): Folded | null {
  if (!isPacked(stored)) return null;
  const { form: _form, ...rest } = stored;
  return {
    ...emptyFold(),
    ...rest,
    sections: new Map(stored.sections),
    drives: new Map(stored.drives),
    charges: new Map(stored.charges),
    trips: new Map(stored.trips),
    stateSpans: new Map(stored.stateSpans),
    parkedSpans: new Map(stored.parkedSpans),
    installations: new Map(stored.installations),
  };
}

/** Only this service writes it, so its form is that of its number. */
function isPacked(stored: unknown): stored is Packed {
  return typeof stored === 'object' && stored !== null && 'form' in stored && stored.form === FORM;
}
