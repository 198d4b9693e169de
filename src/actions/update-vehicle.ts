import { ServiceError } from '../base/errors.ts';
import { typeIdOf } from '../base/ids.ts';
import { slugProblem } from '../contract/vehicle-slugs.ts';
import { inCommit } from '../ingest/apply.ts';
import { settleJournal, switchRecording } from '../ingest/switch-recording.ts';
import { retellBudget } from '../ingest/tell-budget.ts';
import { auditIn, lockAccount } from '../store/audit.ts';
import { uniqueViolationOf } from '../store/database-errors.ts';
import { Prisma, type Vehicle } from '../store/generated/prisma/client.ts';
import { lockSpend } from '../store/maker-spend.ts';
import { isSlugTaken } from '../store/maker-vehicles.ts';
import { writeEvents } from '../store/outbox.ts';
import { requestPlaceWork } from '../store/place-work.ts';
import { vehiclesNamed } from '../store/visible.ts';
import { factOf } from './account-call.ts';
import type { MakerCall } from './maker-door.ts';
import { readVehicleChanges, type VehicleChanges } from './vehicle-changes.ts';

/**
 * Changes a vehicle's name, slug, battery and settings; what the input does not name stays, and where nothing becomes
 * another, nothing is told. Throws `not_found` and `validation_failed`.
 */
export async function updateVehicle(
  call: MakerCall,
  publicId: string,
  input: unknown,
): Promise<Vehicle> {
  const changes = readVehicleChanges(input);
  const { prisma, clock, principal } = call;
  const seen = await prisma.vehicle.findFirst({ where: vehiclesNamed(principal, [publicId]) });
  if (seen === null) throw missing();
  const ends = changes.logging === false && seen.logging;
  const unread = ends && !(await settleJournal(prisma, seen.id, clock()));
  try {
    const vehicle = await inCommit(prisma, seen.id, async (tx) => {
      // Before the account, like whoever counts a call.
      if (changes.budget !== undefined) await lockSpend(tx, seen.makerAccountId ?? seen.id);
      await lockAccount(tx, seen.accountId);
      const before = await tx.vehicle.findUnique({ where: { id: seen.id } });
      if (before === null) throw missing();
      return changed(tx, { call, before, changes: newsOf(before, changes), unread });
    });
    if (changes.budget !== undefined) call.door.ledger.forget(vehicle.id);
    return vehicle;
  } catch (error) {
    // Two vehicles that take one name at once.
    if (uniqueViolationOf(error)?.includes('public_id')) throw taken(error);
    throw error;
  }
}

function missing(): ServiceError {
  return new ServiceError('not_found', 'There is no such vehicle.');
}

function taken(cause?: unknown): ServiceError {
  return refused('Another vehicle has this slug, or had it once.', cause);
}

function refused(sentence: string, cause?: unknown): ServiceError {
  const fields = { slug: [sentence] };
  return new ServiceError('validation_failed', sentence, { fields, cause });
}

/** The changes that make something another. */
function newsOf(before: Vehicle, changes: VehicleChanges): VehicleChanges {
  const columns: Readonly<Record<string, unknown>> = before;
  return Object.fromEntries(
    Object.entries(changes).filter(([column, value]) => !isSame(columns[column], value)),
  );
}

function isSame(before: unknown, now: unknown): boolean {
  if (Prisma.Decimal.isDecimal(before) && Prisma.Decimal.isDecimal(now)) return before.equals(now);
  return before === now;
}

type Change = {
  call: MakerCall;
  before: Vehicle;
  changes: VehicleChanges;
  /** Whether records are let go of that could not be read, which only the audit tells of afterwards. */
  unread: boolean;
};

async function changed(
  tx: Prisma.TransactionClient,
  { call, before, changes, unread }: Change,
): Promise<Vehicle> {
  // As callers know it: the slug is the public id of the answer.
  const fields = Object.keys(changes);
  if (fields.length === 0) return before;
  const { id, accountId } = before;
  const at = call.clock();
  if (changes.publicId !== undefined) await renamed(tx, before, changes.publicId);
  await tx.vehicle.update({ where: { id }, data: changes });
  if (changes.logging !== undefined) await switchRecording(tx, id, at);
  const { makerAccountId } = before;
  if (changes.budget !== undefined && makerAccountId !== null) {
    await retellBudget(tx, makerAccountId, () => call.door.ledger.standing(id, tx));
  }
  if (changes.calculateCost === true) await requestPlaceWork(tx, accountId, 'charge');
  const object = typeIdOf('Vehicle', id);
  await auditIn(tx, accountId, [
    factOf(call, 'vehicle.update', object, { fields, ...(unread ? { unread } : {}) }),
  ]);
  const now = await tx.vehicle.findUniqueOrThrow({ where: { id } });
  const { publicId } = now;
  await writeEvents(tx, { id, accountId, publicId }, [
    { type: 'vehicle.updated', occurredAt: at, data: { publicId, fields } },
  ]);
  return now;
}

/** Keeps the slug that a vehicle has as another name of it, and sees that the new one is nobody else's. */
async function renamed(
  tx: Prisma.TransactionClient,
  { id, vin, publicId: former }: Vehicle,
  slug: string,
): Promise<void> {
  const problem = slugProblem(slug, vin);
  if (problem !== null) throw refused(problem);
  if (await isSlugTaken(tx, slug, id)) throw taken();
  await tx.vehicleSlug.deleteMany({ where: { slug, vehicleId: id } });
  await tx.vehicleSlug.createMany({
    data: [{ slug: former, vehicleId: id }],
    skipDuplicates: true,
  });
}
