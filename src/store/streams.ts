import type { Prisma, PrismaClient, VehicleStream } from './generated/prisma/client.ts';

/** A vehicle's stream: how far its journal is reduced, and what waits; every time is epoch ms. */
export type StreamRow = {
  reducedUntil: number;
  lastAt: number | null;
  newestAt: number | null;
  receivedAt: number;
  lateFrom: number | null;
  keptFrom: number;
  /** When the journal has to be looked at; null while nothing waits. */
  dueAt: number | null;
};

/** A state to start over from: what the journal up to `at` (epoch ms, inclusive) made of the vehicle. */
export type Checkpoint = { at: number; lastAt: number | null; state: unknown };

/** A vehicle row that telemetry of its VIN goes to, and whether its stream is open. */
export type FedVehicle = { id: string; vin: string; open: boolean };

/**
 * The rows that telemetry of these VINs goes to: in every account that holds one, while the vehicle is recorded and its
 * holder has not taken the permission away (contract §0 Ingest).
 */
export async function fedVehicles(
  prisma: PrismaClient,
  vins: readonly string[],
): Promise<FedVehicle[]> {
  const rows = await prisma.vehicle.findMany({
    where: {
      vin: { in: [...vins] },
      logging: true,
      archivedAt: null,
      OR: [{ makerAccountId: null }, { makerAccount: { status: { not: 'REVOKED' } } }],
    },
    select: { id: true, vin: true, stream: { select: { vehicleId: true } } },
  });
  return rows.map(({ id, vin, stream }) => ({ id, vin, open: stream !== null }));
}

/** Serialises writers of one vehicle, over processes, until the transaction ends (architecture §4.8). */
export async function lockVehicle(tx: Prisma.TransactionClient, vehicleId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${vehicleId}, 0))`;
}

/** Opens a vehicle's stream where the machine stands, unless it is open; what is older cannot be reduced anew. */
export async function openStream(
  prisma: PrismaClient,
  vehicleId: string,
  { receivedAt, emptyState }: { receivedAt: number; emptyState: object },
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await lockVehicle(tx, vehicleId);
    // Switched off in this very moment.
    if ((await tx.vehicle.count({ where: { id: vehicleId, logging: true } })) === 0) return;
    const machine = await tx.vehicleMachine.findUnique({ where: { vehicleId } });
    const from = machine?.appliedAt ?? new Date(0);
    const at = new Date(receivedAt);
    const opened = await tx.vehicleStream.createMany({
      data: { vehicleId, reducedUntil: from, receivedAt: at, keptFrom: from },
      skipDuplicates: true,
    });
    if (opened.count === 0) return;
    const checkpoint = { at: from.getTime(), lastAt: null, state: machine?.state ?? emptyState };
    await tx.vehicleCheckpoint.deleteMany({ where: { vehicleId } });
    await writeCheckpoints(tx, vehicleId, [checkpoint], receivedAt);
  });
}

/**
 * Closes a vehicle's stream with all that its journal holds; the next record opens it where the machine stands then. Call it
 * under the vehicle's lock.
 */
export async function closeStream(tx: Prisma.TransactionClient, vehicleId: string): Promise<void> {
  const { count } = await tx.vehicleStream.deleteMany({ where: { vehicleId } });
  if (count === 0) return;
  await tx.vehicleCheckpoint.deleteMany({ where: { vehicleId } });
  await tx.vehicleRerun.deleteMany({ where: { vehicleId } });
  await tx.ingestRecord.deleteMany({ where: { vehicleId } });
}

/** Holds the streams of vehicles until the transaction ends, in one order; those that are not open are left out. */
export async function lockStreams(
  tx: Prisma.TransactionClient,
  vehicleIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.$queryRawUnsafe<{ vehicle_id: string }[]>(
    'SELECT vehicle_id FROM vehicle_stream WHERE vehicle_id = ANY($1::uuid[]) ORDER BY vehicle_id FOR UPDATE',
    [...vehicleIds],
  );
  return new Set(rows.map((row) => row.vehicle_id));
}

/** A vehicle's stream, or null where none is open. */
export async function readStream(
  tx: Prisma.TransactionClient,
  vehicleId: string,
): Promise<StreamRow | null> {
  const row = await tx.vehicleStream.findUnique({ where: { vehicleId } });
  return row === null ? null : streamOf(row);
}

function streamOf(row: VehicleStream): StreamRow {
  return {
    reducedUntil: row.reducedUntil.getTime(),
    lastAt: row.lastAt?.getTime() ?? null,
    newestAt: row.newestAt?.getTime() ?? null,
    receivedAt: row.receivedAt.getTime(),
    lateFrom: row.lateFrom?.getTime() ?? null,
    keptFrom: row.keptFrom.getTime(),
    dueAt: row.dueAt?.getTime() ?? null,
  };
}

/** Notes how far a vehicle's journal is reduced, and when it has to be looked at again (epoch ms). */
export async function writeProgress(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  progress: { reducedUntil: number; lastAt: number | null; dueAt: number | null },
): Promise<void> {
  const { reducedUntil, lastAt, dueAt } = progress;
  await tx.vehicleStream.update({
    where: { vehicleId },
    data: {
      reducedUntil: new Date(reducedUntil),
      lastAt: lastAt === null ? null : new Date(lastAt),
      dueAt: dueAt === null ? null : new Date(dueAt),
      lateFrom: null,
      failures: 0,
      failedSince: null,
      failure: null,
      retryAt: null,
    },
  });
}

/** Vehicles whose journal has to be looked at by `now` (epoch ms), the longest waiting first; those put aside are left. */
export async function dueStreams(
  prisma: PrismaClient,
  now: number,
  limit: number,
): Promise<string[]> {
  const rows = await prisma.vehicleStream.findMany({
    where: {
      dueAt: { lte: new Date(now) },
      OR: [{ retryAt: null }, { retryAt: { lte: new Date(now) } }],
    },
    orderBy: { dueAt: 'asc' },
    select: { vehicleId: true },
    take: limit,
  });
  return rows.map((row) => row.vehicleId);
}

/**
 * Notes that a vehicle's journal could not be reduced, and how long it is left alone for that [ms], which `pauseMs` says of
 * the number of failures in a row. Returns that number; what is in the journal stays.
 */
export async function noteStreamFailure(
  prisma: PrismaClient,
  vehicleId: string,
  { at, failure, pauseMs }: { at: number; failure: string; pauseMs: (failures: number) => number },
): Promise<number> {
  return prisma.$transaction(async (tx) => {
    await lockStreams(tx, [vehicleId]);
    const stream = await tx.vehicleStream.findUnique({ where: { vehicleId } });
    if (stream === null) return 0;
    const failures = stream.failures + 1;
    const retryAt = new Date(at + pauseMs(failures));
    const failedSince = stream.failedSince ?? new Date(at);
    await tx.vehicleStream.update({
      where: { vehicleId },
      data: { failures, failedSince, failure, retryAt },
    });
    return failures;
  });
}

/** Has the journals of all vehicles that were put aside looked at again: what could not be done may be possible now. */
export async function retryStreams(prisma: PrismaClient): Promise<void> {
  await prisma.vehicleStream.updateMany({
    where: { retryAt: { not: null } },
    data: { retryAt: null },
  });
}

/** The newest checkpoint of a vehicle before `before` (epoch ms), or null. */
export async function checkpointBefore(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  before: number,
): Promise<Checkpoint | null> {
  const row = await tx.vehicleCheckpoint.findFirst({
    where: { vehicleId, at: { lt: new Date(before) } },
    orderBy: { at: 'desc' },
  });
  if (row === null) return null;
  return { at: row.at.getTime(), lastAt: row.lastAt?.getTime() ?? null, state: row.state };
}

/** Time of the newest checkpoint of a vehicle (epoch ms), or null. */
export async function newestCheckpointAt(
  tx: Prisma.TransactionClient,
  vehicleId: string,
): Promise<number | null> {
  const row = await tx.vehicleCheckpoint.findFirst({
    where: { vehicleId },
    orderBy: { at: 'desc' },
    select: { at: true },
  });
  return row?.at.getTime() ?? null;
}

/** Forgets the checkpoints after `after` (epoch ms), which the journal has outrun. */
export async function dropCheckpoints(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  after: number,
): Promise<void> {
  await tx.vehicleCheckpoint.deleteMany({ where: { vehicleId, at: { gt: new Date(after) } } });
}

/** Writes checkpoints of a vehicle at `now` (epoch ms). */
export async function writeCheckpoints(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  checkpoints: readonly Checkpoint[],
  now: number,
): Promise<void> {
  if (checkpoints.length === 0) return;
  await tx.vehicleCheckpoint.createMany({
    data: checkpoints.map(({ at, lastAt, state }) => ({
      vehicleId,
      at: new Date(at),
      lastAt: lastAt === null ? null : new Date(lastAt),
      state: JSON.parse(JSON.stringify(state)),
      createdAt: new Date(now),
    })),
  });
}
