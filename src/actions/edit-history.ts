import { ServiceError } from '../base/errors.ts';
import { type IdType, newUuid, typeIdOf, uuidOf } from '../base/ids.ts';
import { inCommit } from '../ingest/apply.ts';
import { auditIn, lockAccount } from '../store/audit.ts';
import type {
  Charge,
  Drive,
  HistoryEdit,
  Prisma,
  Trip,
  Vehicle,
} from '../store/generated/prisma/client.ts';
import { type EditKind, nothingToUndo, type Undoing } from '../store/history-edits.ts';
import { type OutboxEvent, writeEvents } from '../store/outbox.ts';
import { sumUpTrips } from '../store/trip-figures.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { type AccountCall, factOf } from './account-call.ts';
import { actorOf } from './maker-door.ts';

/** Where things of history are looked for: in the caller's vehicles, or in one of them by its slug. */
export type Within = { publicId: string | null };

/** An edit under way: what it changes is noted as it goes. */
export type EditCourse = {
  tx: Prisma.TransactionClient;
  vehicle: Vehicle;
  id: string;
  /** When it is made, epoch ms. */
  at: number;
  subjects: Set<string>;
  undoing: Undoing;
  /** Trips to be summed up at the end. */
  trips: Set<string>;
  events: OutboxEvent[];
};

type Table = keyof Undoing['before'];

const types = { drive: 'Drive', charge: 'Charge', trip: 'Trip' } as const satisfies Record<
  Table,
  IdType
>;

/**
 * Makes an edit of a vehicle's history: its changes, its row, the sums of trips, the audit and the events, all or none of
 * it, while nobody else writes to the vehicle.
 */
export async function editHistory(
  call: AccountCall,
  { kind, vehicleId }: { kind: EditKind; vehicleId: string },
  work: (course: EditCourse) => Promise<void>,
): Promise<HistoryEdit> {
  return inCommit(call.prisma, vehicleId, async (tx) => {
    const vehicle = await tx.vehicle.findUniqueOrThrow({ where: { id: vehicleId } });
    await lockAccount(tx, vehicle.accountId);
    const at = call.clock();
    const course: EditCourse = {
      ...{ tx, vehicle, at, id: newUuid() },
      ...{ subjects: new Set<string>(), undoing: nothingToUndo() },
      ...{ trips: new Set<string>(), events: [] },
    };
    await work(course);
    const edit = await tx.historyEdit.create({
      data: {
        id: course.id,
        vehicleId,
        kind,
        subjects: [...course.subjects],
        undoing: JSON.parse(JSON.stringify(course.undoing)),
        actor: actorOf(call.principal),
        createdAt: new Date(at),
      },
    });
    await settleTrips(course);
    const object = typeIdOf('HistoryEdit', edit.id);
    await auditIn(tx, vehicle.accountId, [factOf(call, 'history.edit', object, { kind })]);
    await writeEvents(tx, vehicle, course.events);
    return edit;
  });
}

/** Sums up the trips that an edit touched, or hides them, and tells of them. */
async function settleTrips({ tx, trips, at, events }: EditCourse): Promise<void> {
  if (trips.size === 0) return;
  const ids = [...trips];
  await tx.trip.updateMany({ where: { id: { in: ids } }, data: { pinned: true } });
  await sumUpTrips(tx, ids);
  for (const { id, state } of await tx.trip.findMany({ where: { id: { in: ids } } })) {
    events.push({ type: 'trip.updated', occurredAt: at, data: { tripId: id, state } });
  }
}

/** Notes columns of a row as they are, before an edit changes them. */
export function remember(
  { undoing, subjects }: EditCourse,
  table: Table,
  { id, ...columns }: { id: string } & Record<string, unknown>,
): void {
  subjects.add(id);
  undoing.before[table][id] = { ...columns, ...undoing.before[table][id] };
}

/** Notes that a trip's sums will change; one that is over is kept as it was, to the last figure. */
export async function touchTrip(course: EditCourse, id: string | null): Promise<void> {
  if (id === null || course.trips.has(id)) return;
  course.trips.add(id);
  const trip = await course.tx.trip.findUnique({ where: { id } });
  if (trip === null) return;
  const { createdAt: _created, updatedAt: _updated, vehicleId: _vehicle, ...row } = trip;
  const { pinned, deletedAt } = trip;
  remember(course, 'trip', trip.state === 'ENDED' ? row : { id, pinned, deletedAt });
}

/** Tells that a drive is another one now. */
export function tellDrive(
  { events, at, id: editId }: EditCourse,
  drive: Pick<Drive, 'id' | 'state'>,
) {
  const data = { driveId: drive.id, state: drive.state, editId };
  events.push({ type: 'drive.edited', occurredAt: at, data });
}

/** The vehicle of a thing. Throws `not_found` where the caller has no such thing, or has it in another vehicle. */
export async function vehicleOf(
  { prisma, principal }: AccountCall,
  table: Table,
  { id, publicId }: Within & { id: string },
): Promise<string> {
  const uuid = uuidOf(types[table], id);
  if (uuid === null) throw missing(table);
  const where = { id: uuid, ...visibleThroughVehicle(principal, publicId) };
  const select = { vehicleId: true } as const;
  const row =
    table === 'drive'
      ? await prisma.drive.findFirst({ where, select })
      : table === 'charge'
        ? await prisma.charge.findFirst({ where, select })
        : await prisma.trip.findFirst({ where, select });
  if (row === null) throw missing(table);
  return row.vehicleId;
}

function missing(table: Table): ServiceError {
  return new ServiceError('not_found', `There is no such ${table}.`);
}

/** Drives of the vehicle by public id, in time order. Throws `not_found` for one that is missing or deleted. */
export async function drivesIn(
  { tx, vehicle }: EditCourse,
  ids: readonly string[],
): Promise<Drive[]> {
  const where = { ...inVehicle(vehicle), id: { in: uuidsOf('drive', ids) } };
  const rows = await tx.drive.findMany({ where, orderBy: { startedAt: 'asc' } });
  if (rows.length !== new Set(ids).size) throw missing('drive');
  return rows;
}

/** The charge of the vehicle with a public id. Throws `not_found`. */
export async function chargeIn({ tx, vehicle }: EditCourse, id: string): Promise<Charge> {
  const [uuid = ''] = uuidsOf('charge', [id]);
  const where = { ...inVehicle(vehicle), id: uuid };
  const row = await tx.charge.findFirst({ where });
  if (row === null) throw missing('charge');
  return row;
}

/** Trips of the vehicle by public id, in time order. Throws `not_found` for one that is missing or deleted. */
export async function tripsIn(
  { tx, vehicle }: EditCourse,
  ids: readonly string[],
): Promise<Trip[]> {
  const where = { ...inVehicle(vehicle), id: { in: uuidsOf('trip', ids) } };
  const rows = await tx.trip.findMany({ where, orderBy: { startedAt: 'asc' } });
  if (rows.length !== new Set(ids).size) throw missing('trip');
  return rows;
}

function inVehicle({ id }: Vehicle) {
  return { vehicleId: id, deletedAt: null };
}

function uuidsOf(table: Table, ids: readonly string[]): string[] {
  return ids.map((id) => {
    const uuid = uuidOf(types[table], id);
    if (uuid === null) throw missing(table);
    return uuid;
  });
}

/** What stands in the way of an edit. */
export function conflict(sentence: string): ServiceError {
  return new ServiceError('merge_conflict', sentence);
}
