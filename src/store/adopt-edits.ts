import type { Prisma } from './generated/prisma/client.ts';
import type { Folded } from './history.ts';
import { renameSubject } from './history-edits.ts';
import {
  type ChargeEdits,
  editedColumns,
  isEdited,
  type Orphan,
  type Superseded,
} from './superseded.ts';

/**
 * Gives what a person put on rows that fell away to those that took their place: of the same kind the one that overlaps
 * most, if nothing was put on it before. Without one, the row stays as `removeSuperseded` left it, with its edits.
 */
export async function adoptEdits(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  superseded: Superseded,
  folded: Folded,
): Promise<void> {
  for (const orphan of superseded.drives) {
    const id = heirOf(orphan, folded.drives.values());
    const heir = id && (await tx.drive.findUnique({ where: { id }, select: editedColumns.drive }));
    if (!id || !heir || isEdited(heir)) continue;
    await tx.drive.update({ where: { id }, data: adopted(orphan.edits) });
    await renameSubject(tx, vehicleId, { from: orphan.id, to: id });
    await tx.drive.delete({ where: { id: orphan.id } });
  }
  for (const orphan of superseded.charges) {
    const id = heirOf(orphan, rowsOf(folded.charges));
    const heir =
      id && (await tx.charge.findUnique({ where: { id }, select: editedColumns.charge }));
    if (!id || !heir || isEdited(heir)) continue;
    await tx.charge.update({ where: { id }, data: adoptedCharge(orphan.edits) });
    await renameSubject(tx, vehicleId, { from: orphan.id, to: id });
    await tx.charge.delete({ where: { id: orphan.id } });
  }
  for (const orphan of superseded.trips) {
    const id = heirOf(orphan, rowsOf(folded.trips));
    const heir = id && (await tx.trip.findUnique({ where: { id }, select: editedColumns.trip }));
    if (!id || !heir || isEdited(heir)) continue;
    await tx.trip.update({ where: { id }, data: orphan.edits });
    await tx.drive.updateMany({ where: { tripId: orphan.id }, data: { tripId: id } });
    await tx.charge.updateMany({ where: { tripId: orphan.id }, data: { tripId: id } });
    await renameSubject(tx, vehicleId, { from: orphan.id, to: id });
    await tx.trip.delete({ where: { id: orphan.id } });
  }
}

/** A trip that nobody chose is the reducer's to say. */
function adopted<E extends { tripId: string | null; tripPinned: boolean }>(
  edits: E,
): Omit<E, 'tripId'> & { tripId?: string | null } {
  const { tripId, ...others } = edits;
  return edits.tripPinned ? { ...others, tripId } : others;
}

/** A cost that was computed is computed anew for the heir; one that was said has no tariff behind it. */
function adoptedCharge(edits: ChargeEdits) {
  const { costAmount, costCurrency, costMethod, costBreakdown, ...others } = adopted(edits);
  if (costMethod === 'TARIFF' || costMethod === 'NONE') return others;
  const lines = { costBreakdown: costBreakdown ?? [] };
  return { ...others, ...lines, costAmount, costCurrency, costMethod, tariffId: null };
}

type Stretch = { id: string; startedAt: number; endedAt: number | null };

function rowsOf<R>(effects: ReadonlyMap<string, { row: R }>): R[] {
  return [...effects.values()].map(({ row }) => row);
}

/** The row that overlaps a stretch most; null when none does. */
function heirOf(orphan: Orphan<unknown>, rows: Iterable<Stretch>): string | null {
  let heir: string | null = null;
  let longestMs = 0;
  for (const { id, startedAt, endedAt } of rows) {
    const until = Math.min(orphan.endedAt, endedAt ?? Number.POSITIVE_INFINITY);
    const sharedMs = until - Math.max(orphan.startedAt, startedAt);
    if (sharedMs <= longestMs) continue;
    heir = id;
    longestMs = sharedMs;
  }
  return heir;
}
