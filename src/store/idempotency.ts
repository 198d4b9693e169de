import { ServiceError } from '../base/errors.ts';
import { DAY_MS } from '../base/units.ts';
import { commandStates } from '../contract/command-states.ts';
import type { Command, Prisma, PrismaClient } from './generated/prisma/client.ts';

/** A request that may be repeated: who asks, what for, by which key, and a hash of all it asks. */
export type KeyedRequest = {
  credentialId: string;
  route: string;
  key: string;
  requestHash: string;
};

/**
 * The command that an earlier request with the key led to; null for a key that was not used in the last 24 h. Throws
 * `idempotency_key_reused` for another request, and `idempotency_in_flight` while the command is under way (security §4.4).
 */
export async function commandOfKey(
  tx: Prisma.TransactionClient,
  { requestHash, ...id }: KeyedRequest,
  at: number,
): Promise<Command | null> {
  const known = await tx.idempotencyKey.findUnique({
    where: { credentialId_route_key: id },
    include: { command: true },
  });
  if (known === null || known.createdAt.getTime() <= at - DAY_MS) return null;
  if (known.requestHash !== requestHash) {
    const message = 'The idempotency key was used for another request.';
    throw new ServiceError('idempotency_key_reused', message);
  }
  if (!commandStates[known.command.state].ends) {
    const message = 'The command of this idempotency key is still under way.';
    throw new ServiceError('idempotency_in_flight', message, { retryAfterS: 1 });
  }
  return known.command;
}

/** Keeps a key for its command, in the place of one that is over. */
export async function keepKey(
  tx: Prisma.TransactionClient,
  { requestHash, ...id }: KeyedRequest,
  commandId: string,
  at: number,
): Promise<void> {
  const kept = { requestHash, commandId, createdAt: new Date(at) };
  await tx.idempotencyKey.upsert({
    where: { credentialId_route_key: id },
    create: { ...id, ...kept },
    update: kept,
  });
}

/** Keys that one statement lets go of. */
const SWEEP_PAGE = 1_000;

/** Lets go of keys that are over at a time (epoch ms), some at a time, until none is left or `signal` ends it; how many. */
export async function sweepKeys(
  prisma: PrismaClient,
  at: number,
  signal?: AbortSignal,
): Promise<number> {
  const overAt = new Date(at - DAY_MS);
  let swept = 0;
  for (let count = SWEEP_PAGE; count === SWEEP_PAGE && signal?.aborted !== true; swept += count) {
    // The time is asked for twice: by its place alone, older servers delete a row that was changed meanwhile all the same.
    count = await prisma.$executeRaw`
      DELETE FROM idempotency_key WHERE created_at <= ${overAt} AND ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_key WHERE created_at <= ${overAt} LIMIT ${SWEEP_PAGE}))`;
  }
  return swept;
}
