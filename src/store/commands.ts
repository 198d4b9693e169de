import { type CommandState, commandStates } from '../contract/command-states.ts';
import { type CommandOwner, leaseCommand } from './command-leases.ts';
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

/**
 * A command's first row, given to the process that carries it out, and the first step of its history, with the event that
 * tells of it. Call it inside `inVehicle`.
 */
export async function insertCommand(
  tx: Prisma.TransactionClient,
  row: Prisma.CommandUncheckedCreateInput,
  { note, owner }: { note: string | null; owner: CommandOwner },
): Promise<Command> {
  const command = await tx.command.create({ data: row });
  if (!commandStates[command.state].ends) await leaseCommand(tx, command.id, owner);
  await enter(tx, command, { ordinal: 0, previous: null, note, wake: false });
  return command;
}

/** A step in a command's life: the state it enters, when (epoch ms), why, and what else changes. */
export type CommandStep = {
  state: CommandState;
  at: number;
  note?: string | null;
  /** Whether the vehicle is asked to wake with it. */
  wake?: boolean;
  columns?: Prisma.CommandUncheckedUpdateInput;
};

/** Which command is moved on from which states, and by which process; null lets anybody move it. */
export type CommandMove = { id: string; from: readonly CommandState[]; ownerId: string | null };

/**
 * Moves a command on from one of some states, with its history and its event; null where it is in none of them any more,
 * or another process carries it out. Call it inside `inVehicle`.
 */
export async function moveCommand(
  tx: Prisma.TransactionClient,
  { id, from, ownerId }: CommandMove,
  { state, at, note = null, wake = false, columns = {} }: CommandStep,
): Promise<Command | null> {
  const select = { state: true, ownerId: true } as const;
  const before = await tx.command.findUnique({ where: { id }, select });
  if (before === null || !from.includes(before.state)) return null;
  if (ownerId !== null && before.ownerId !== ownerId) return null;
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
  await enter(tx, command, { ordinal, previous: before.state, note, wake });
  return command;
}

async function enter(
  tx: Prisma.TransactionClient,
  command: Command,
  step: { ordinal: number; previous: CommandState | null; note: string | null; wake: boolean },
): Promise<void> {
  const { id, state, stateChangedAt: at, vehicleId, accountId, vehiclePublicId } = command;
  const { ordinal, previous, note, wake } = step;
  await tx.commandTransition.create({ data: { commandId: id, ordinal, state, at, note, wake } });
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
