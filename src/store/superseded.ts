import { timeOfUuid } from '../base/ids.ts';
import type { Prisma } from './generated/prisma/client.ts';
import type { Folded } from './history.ts';

/** A row that fell away and that a person had edited or the maker billed, with the edits and when it was (epoch ms). */
export type Orphan<E> = { id: string; startedAt: number; endedAt: number; edits: E };

/** Why a drive or charge is kept that records which came late have shown not to have been. */
const SUPERSEDED = 'superseded';

const sharedColumns = {
  tags: true,
  note: true,
  costAmount: true,
  costCurrency: true,
  costMethod: true,
  editedAt: true,
  deletedAt: true,
  tripId: true,
  tripPinned: true,
} as const;

const chargeColumns = { ...sharedColumns, costBreakdown: true } as const;

const driveColumns = {
  ...sharedColumns,
  purpose: true,
  driver: true,
  placeDefaults: true,
  replacedById: true,
} as const;

const tripColumns = { name: true, tags: true, deletedAt: true, pinned: true } as const;

/** What a person may put on a drive, a charge and a trip, by its column. */
export const editedColumns = { drive: driveColumns, charge: chargeColumns, trip: tripColumns };

type DriveEdits = Prisma.DriveGetPayload<{ select: typeof driveColumns }>;
/** What a person put on a charge. */
export type ChargeEdits = Prisma.ChargeGetPayload<{ select: typeof chargeColumns }>;
type TripEdits = Prisma.TripGetPayload<{ select: typeof tripColumns }>;

/** What fell away: what was edited of it, which is still there as discarded, and how many other rows are gone. */
export type Superseded = {
  drives: Orphan<DriveEdits>[];
  charges: Orphan<ChargeEdits>[];
  trips: Orphan<TripEdits>[];
  removed: number;
};

/** Where a journal is gone through again from, and when (epoch ms); the charges were made after it, whenever they ended. */
export type Rewriting = { since: number; now: number; chargeIds: readonly string[] };

/**
 * Takes away what was made of a vehicle's journal after `since` and is not among what is made of it anew. Call it before
 * the new rows are written; `adoptEdits` comes after them.
 */
export async function removeSuperseded(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  { since, now, chargeIds }: Rewriting,
  folded: Folded,
): Promise<Superseded> {
  const after = { gt: new Date(since) };
  // A start may be moved back before the record that told of it; the end is never before that record.
  const endsAfter = { vehicleId, OR: [{ endedAt: null }, { endedAt: after }] };
  const times = { id: true, startedAt: true, endedAt: true } as const;
  const drives = await tx.drive.findMany({
    where: { ...endsAfter, madeById: null, id: { notIn: [...folded.drives.keys()] } },
    select: { ...times, ...driveColumns },
  });
  const madeAfter = { vehicleId, OR: [...endsAfter.OR, { id: { in: [...chargeIds] } }] };
  const charges = await tx.charge.findMany({
    where: { ...madeAfter, id: { notIn: [...folded.charges.keys()] } },
    select: { ...times, ...chargeColumns },
  });
  const ended = await tx.trip.findMany({
    where: { ...endsAfter, auto: true, madeById: null, id: { notIn: [...folded.trips.keys()] } },
    select: { ...times, ...tripColumns },
  });
  // One that a person grouped may end later than the reducer's own, which began with the drive that its id holds.
  const trips = ended.filter(({ id, pinned }) => !pinned || timeOfUuid(id) > since);
  const [drive, charge, trip] = [partOf(drives), partOf(charges), partOf(trips)];
  await tx.drive.deleteMany({ where: { id: { in: drive.plain } } });
  await tx.charge.deleteMany({ where: { id: { in: charge.plain } } });
  await tx.trip.deleteMany({ where: { id: { in: trip.plain } } });
  await setAside(tx, { drive: drive.edited, charge: charge.edited, trip: trip.edited }, now);
  await removeSpans(tx, vehicleId, after, folded);
  await loosen(tx, folded);
  const removed = drive.plain.length + charge.plain.length + trip.plain.length;
  return { drives: drive.edited, charges: charge.edited, trips: trip.edited, removed };
}

type Times = { id: string; startedAt: Date; endedAt: Date | null };

/** The rows that a person edited, and the ids of the others. */
function partOf<R extends Times>(
  rows: readonly R[],
): { edited: Orphan<Omit<R, keyof Times>>[]; plain: string[] } {
  const edited: Orphan<Omit<R, keyof Times>>[] = [];
  const plain: string[] = [];
  for (const { id, startedAt, endedAt, ...edits } of rows) {
    const from = startedAt.getTime();
    if (!isEdited(edits) && !isBilled(edits)) plain.push(id);
    else edited.push({ id, startedAt: from, endedAt: endedAt?.getTime() ?? from, edits });
  }
  return { edited, plain };
}

/** Whether a person put anything on a row; a cost that was computed is none, nor is what a place put on it. */
export function isEdited(edits: Readonly<Record<string, unknown>>): boolean {
  const { tags, purpose, placeDefaults, costMethod, ...more } = edits;
  const { costAmount: _amount, costCurrency: _currency, costBreakdown: _lines, ...free } = more;
  const { tripId: _trip, ...others } = free;
  const ofPlace = placeDefaults === true;
  return (
    (!ofPlace && Array.isArray(tags) && tags.length > 0) ||
    (!ofPlace && purpose != null) ||
    costMethod === 'MANUAL' ||
    Object.values(others).some((value) => value !== null && value !== false)
  );
}

/** Whether the maker said what it cost, which no computation brings back. */
function isBilled({ costMethod }: Readonly<Record<string, unknown>>): boolean {
  return costMethod === 'INVOICE' || costMethod === 'FREE';
}

/** An edited row stays, discarded and ended, so that another one can be under way. A trip stays as a deleted one. */
async function setAside(
  tx: Prisma.TransactionClient,
  rows: Record<'drive' | 'charge' | 'trip', readonly Orphan<unknown>[]>,
  now: number,
): Promise<void> {
  const over = (row: Orphan<unknown>) =>
    ({
      where: { id: row.id },
      data: {
        endedAt: new Date(row.endedAt),
        state: 'DISCARDED',
        discardReason: SUPERSEDED,
        tripId: null,
      },
    }) as const;
  for (const row of rows.drive) await tx.drive.update(over(row));
  for (const row of rows.charge) await tx.charge.update(over(row));
  for (const { id, endedAt } of rows.trip) {
    const data = { endedAt: new Date(endedAt), state: 'ENDED', deletedAt: new Date(now) } as const;
    await tx.trip.update({ where: { id }, data });
  }
}

async function removeSpans(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  after: { gt: Date },
  folded: Folded,
): Promise<void> {
  await tx.stateSpan.deleteMany({
    where: { vehicleId, startedAt: after, id: { notIn: [...folded.stateSpans.keys()] } },
  });
  await tx.parkedSpan.deleteMany({
    where: { vehicleId, startedAt: after, id: { notIn: [...folded.parkedSpans.keys()] } },
  });
  await tx.softwareInstallation.deleteMany({
    where: { vehicleId, seenAt: after, id: { notIn: [...folded.installations.keys()] } },
  });
}

/** What the rows to be written say anew as a whole: the segments of charges, and what belongs to trips. */
async function loosen(tx: Prisma.TransactionClient, folded: Folded): Promise<void> {
  await tx.chargeSegment.deleteMany({ where: { chargeId: { in: [...folded.charges.keys()] } } });
  const ofTrips = { tripId: { in: [...folded.trips.keys()] } };
  const loose = { ...ofTrips, tripPinned: false };
  const data = { tripId: null };
  // What a person made of drives goes with those.
  await tx.drive.updateMany({ where: { ...loose, madeById: null }, data });
  await tx.charge.updateMany({ where: loose, data });
}
