import { liveStates } from '../contract/command-states.ts';
import type { Command, Prisma, PrismaClient } from './generated/prisma/client.ts';

/** A process that carries out commands, and how long it may be silent before another takes them up [ms]. */
export type CommandOwner = { id: string; leaseMs: number };

/**
 * Gives a command to its process. The lease is written and held against the database's clock, so that the clocks of two
 * machines do not matter. Call it inside `inVehicle`.
 */
export async function leaseCommand(
  tx: Prisma.TransactionClient,
  id: string,
  owner: CommandOwner,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE command
    SET owner_id = ${owner.id}::uuid,
        owner_until = clock_timestamp() + ${owner.leaseMs}::int * interval '1 millisecond'
    WHERE id = ${id}::uuid`;
}

/** Prolongs the leases of commands under way; answers the ids of those that are still the owner's to carry out. */
export async function renewCommands(
  prisma: PrismaClient,
  ids: readonly string[],
  owner: CommandOwner,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    UPDATE command
    SET owner_until = clock_timestamp() + ${owner.leaseMs}::int * interval '1 millisecond'
    WHERE id = ANY(${[...ids]}::uuid[]) AND owner_id = ${owner.id}::uuid
      AND state = ANY(${[...liveStates]}::command_state[])
    RETURNING id`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes up every command under way that nobody carries out any more, the oldest first, besides those that are `held`.
 * Where the owner is `alone` on the database, whatever another process left is nobody's.
 */
export async function takeCommands(
  prisma: PrismaClient,
  owner: CommandOwner,
  { held, alone }: { held: readonly string[]; alone: boolean },
): Promise<Command[]> {
  const taken = await prisma.$queryRaw<{ id: string }[]>`
    UPDATE command
    SET owner_id = ${owner.id}::uuid,
        owner_until = clock_timestamp() + ${owner.leaseMs}::int * interval '1 millisecond'
    WHERE state = ANY(${[...liveStates]}::command_state[])
      AND (owner_until IS NULL OR owner_until <= clock_timestamp()
        OR (${alone}::boolean AND owner_id IS DISTINCT FROM ${owner.id}::uuid))
      AND id <> ALL(${[...held]}::uuid[])
    RETURNING id`;
  if (taken.length === 0) return [];
  return prisma.command.findMany({
    where: { id: { in: taken.map(({ id }) => id) } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
}

/** Lets go of whatever the owner did not finish, so that others need not wait for its leases to end. */
export async function releaseCommands(prisma: PrismaClient, { id }: CommandOwner): Promise<void> {
  await prisma.$executeRaw`
    UPDATE command SET owner_until = clock_timestamp()
    WHERE owner_id = ${id}::uuid AND state = ANY(${[...liveStates]}::command_state[])`;
}

/**
 * Whether a command may begin: one that waits does not while another of the vehicle has begun, whoever carries it out, or
 * while another process's is older and waits. Ask inside `inVehicle` before it begins, so that two processes do not begin at once.
 */
export async function isInTurn(
  tx: Prisma.TransactionClient,
  id: string,
  ownerId: string,
): Promise<boolean> {
  const before = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM command own JOIN command other ON other.vehicle_id = own.vehicle_id
    WHERE own.id = ${id}::uuid AND own.state = 'QUEUED'
      AND other.id <> own.id
      AND other.state = ANY(${[...liveStates]}::command_state[])
      AND (other.state <> 'QUEUED'
        OR (other.owner_id IS DISTINCT FROM ${ownerId}::uuid
          AND (other.created_at, other.id) < (own.created_at, own.id)))
    LIMIT 1`;
  return before.length === 0;
}
