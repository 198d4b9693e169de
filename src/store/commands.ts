import { type CommandState, commandStates, liveStates } from '../contract/command-states.ts';
import type { Command, Prisma, PrismaClient } from './generated/prisma/client.ts';
import { writeEvents } from './outbox.ts';

/** Longest that a change of the ledger waits for its vehicle and takes [ms]; an import of history holds a vehicle for long. */
const LEDGER_TIMEOUT_MS = 30_000;

/**
 * Runs `work` in a transaction while nobody else writes to the vehicle: the same lock as ingest takes, and before any row,
 * so that two transactions never wait for each other.
 */
export function inVehicle<T>(
  prisma: PrismaClient,
  vehicleId: string,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${vehicleId}, 0))`;
      return work(tx);
    },
    { timeout: LEDGER_TIMEOUT_MS, maxWait: LEDGER_TIMEOUT_MS },
  );
}

/** A command's first row and the first step of its history, with the event that tells of it. Call it inside `inVehicle`. */
export async function insertCommand(
  tx: Prisma.TransactionClient,
  row: Prisma.CommandUncheckedCreateInput,
  note: string | null,
): Promise<Command> {
  const command = await tx.command.create({ data: row });
  await enter(tx, command, { ordinal: 0, previous: null, note });
  return command;
}

/** A step in a command's life: the state it enters, when (epoch ms), why, and what else changes. */
export type CommandStep = {
  state: CommandState;
  at: number;
  note?: string | null;
  columns?: Prisma.CommandUncheckedUpdateInput;
};

/**
 * Moves a command on from one of some states, with its history and its event; null where it is in none of them any more.
 * Call it inside `inVehicle`.
 */
export async function moveCommand(
  tx: Prisma.TransactionClient,
  id: string,
  from: readonly CommandState[],
  { state, at, note = null, columns = {} }: CommandStep,
): Promise<Command | null> {
  const before = await tx.command.findUnique({ where: { id }, select: { state: true } });
  if (before === null || !from.includes(before.state)) return null;
  const changedAt = new Date(at);
  const command = await tx.command.update({
    where: { id },
    data: {
      ...columns,
      state,
      stateChangedAt: changedAt,
      ...(commandStates[state].ends ? { completedAt: changedAt } : {}),
    },
  });
  const ordinal = await tx.commandTransition.count({ where: { commandId: id } });
  await enter(tx, command, { ordinal, previous: before.state, note });
  return command;
}

async function enter(
  tx: Prisma.TransactionClient,
  command: Command,
  step: { ordinal: number; previous: CommandState | null; note: string | null },
): Promise<void> {
  const { id, state, stateChangedAt: at, vehicleId, accountId, vehiclePublicId } = command;
  const { ordinal, previous, note } = step;
  await tx.commandTransition.create({ data: { commandId: id, ordinal, state, at, note } });
  // The outbox belongs to vehicles that are there.
  if (vehicleId === null) return;
  const data = {
    commandId: id,
    name: command.name,
    state,
    previous,
    noOp: command.noOp,
    verified: command.verified,
    failureCode: command.failureCode,
  };
  await writeEvents(tx, { id: vehicleId, accountId, publicId: vehiclePublicId }, [
    { type: 'command.updated', occurredAt: at.getTime(), data },
  ]);
}

/** Commands of a vehicle that were not sent yet, by canonical name. */
export function unsentCommands(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  names: readonly string[],
): Promise<{ id: string }[]> {
  return tx.command.findMany({
    where: { vehicleId, name: { in: [...names] }, state: { in: ['QUEUED', 'WAKING'] } },
    select: { id: true },
    orderBy: { createdAt: 'asc' },
  });
}

/** Every command under way, the oldest first: what a stop or a crash left. */
export function liveCommands(prisma: PrismaClient): Promise<Command[]> {
  return prisma.command.findMany({
    where: { state: { in: [...liveStates] } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
}
