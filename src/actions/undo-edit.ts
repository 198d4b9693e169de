import { ServiceError } from '../base/errors.ts';
import { typeIdOf, uuidOf } from '../base/ids.ts';
import { inCommit } from '../ingest/apply.ts';
import { costChanges, costsOf } from '../ingest/cost-changes.ts';
import { tellCosts } from '../ingest/cost-events.ts';
import { priceCharges } from '../ingest/price-charges.ts';
import { auditIn, lockAccount } from '../store/audit.ts';
import { type HistoryEdit, Prisma } from '../store/generated/prisma/client.ts';
import { laterEdit, nothingToUndo, type Undoing, undoingOf } from '../store/history-edits.ts';
import { writeEvents } from '../store/outbox.ts';
import { sumUpTrips } from '../store/trip-figures.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { type AccountCall, factOf } from './account-call.ts';
import { conflict, type EditCourse, tellDrive, type Within } from './edit-history.ts';

/**
 * Takes an edit back: the rows are as they were before it. Throws `not_found`, and `merge_conflict` where it was undone
 * already, or a later edit of the same rows still holds: that one goes first.
 */
export async function undoEdit(
  call: AccountCall,
  { id, publicId }: Within & { id: string },
): Promise<HistoryEdit> {
  const uuid = uuidOf('HistoryEdit', id);
  const seen =
    uuid &&
    (await call.prisma.historyEdit.findFirst({
      where: { id: uuid, ...visibleThroughVehicle(call.principal, publicId) },
      select: { id: true, vehicleId: true },
    }));
  if (!seen) throw new ServiceError('not_found', 'There is no such edit.');
  return inCommit(call.prisma, seen.vehicleId, async (tx) => {
    const vehicle = await tx.vehicle.findUniqueOrThrow({ where: { id: seen.vehicleId } });
    await lockAccount(tx, vehicle.accountId);
    const edit = await tx.historyEdit.findUniqueOrThrow({ where: { id: seen.id } });
    await checkUndoable(tx, edit);
    const undoing = undoingOf(edit);
    const at = call.clock();
    const course: EditCourse = {
      ...{ tx, vehicle, at, id: edit.id, subjects: new Set<string>(), undoing: nothingToUndo() },
      ...{ trips: new Set<string>(), events: [] },
    };
    const chargeIds = Object.keys(undoing.before.charge);
    const before = await costsOf(tx, chargeIds);
    await restore(course, undoing);
    const undone = await tx.historyEdit.update({
      where: { id: edit.id },
      data: { undoneAt: new Date(at) },
    });
    await priceCharges(tx, vehicle, chargeIds);
    await auditIn(tx, vehicle.accountId, [
      factOf(call, 'history.undo', typeIdOf('HistoryEdit', edit.id)),
    ]);
    await writeEvents(tx, vehicle, course.events);
    await tellCosts(tx, vehicle, costChanges(before, await costsOf(tx, chargeIds)), at);
    return undone;
  });
}

async function checkUndoable(tx: Prisma.TransactionClient, edit: HistoryEdit): Promise<void> {
  if (edit.undoneAt !== null) throw conflict('It was undone already.');
  if (edit.kind.endsWith('_CLOSE')) throw conflict('What was closed does not go on.');
  const later = await laterEdit(tx, edit);
  if (later === null) return;
  throw conflict(`Undo the later edit ${typeIdOf('HistoryEdit', later.id)} first.`);
}

/** Columns as they were, without what they named and is gone since. */
async function living(
  tx: Prisma.TransactionClient,
  columns: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const now = { ...columns };
  const isThere = {
    tariffId: (id: string) => tx.tariff.count({ where: { id } }),
    startPlaceId: (id: string) => tx.place.count({ where: { id } }),
    endPlaceId: (id: string) => tx.place.count({ where: { id } }),
  };
  for (const [name, count] of Object.entries(isThere)) {
    const id = columns[name];
    if (typeof id === 'string' && (await count(id)) === 0) now[name] = null;
  }
  return now;
}

/** Trips whose grouping is another one again and whose sums were not noted, because they went on: those are of their rows. */
function regrouped(trips: Undoing['before']['trip']): string[] {
  return Object.entries(trips).flatMap(([id, columns]) =>
    'pinned' in columns && !('distanceKm' in columns) ? [id] : [],
  );
}

async function restore(course: EditCourse, { before, made }: Undoing): Promise<void> {
  const { tx, events, at } = course;
  for (const [id, columns] of Object.entries(before.drive)) {
    const drive = await tx.drive.update({ where: { id }, data: columns });
    tellDrive(course, drive);
  }
  for (const [id, { costBreakdown, ...columns }] of Object.entries(before.charge)) {
    const lines =
      costBreakdown === undefined ? {} : { costBreakdown: costBreakdown ?? Prisma.DbNull };
    const charge = await tx.charge.update({
      where: { id },
      data: { ...(await living(tx, columns)), ...lines },
    });
    const data = { chargeId: id, state: charge.state };
    events.push({ type: 'charge.updated', occurredAt: at, data });
  }
  for (const id of made.drive) tellDrive(course, { id, state: 'DISCARDED' });
  await tx.drive.deleteMany({ where: { id: { in: made.drive } } });
  await tx.trip.deleteMany({ where: { id: { in: made.trip } } });
  for (const [id, columns] of Object.entries(before.trip)) {
    const data = await living(tx, columns);
    const { state } = await tx.trip.update({ where: { id }, data });
    events.push({ type: 'trip.updated', occurredAt: at, data: { tripId: id, state } });
  }
  await sumUpTrips(tx, regrouped(before.trip));
}
