import { ServiceError } from '../base/errors.ts';
import { derivedUuid } from '../base/ids.ts';
import type { Account, Prisma } from './generated/prisma/client.ts';

/** Always the same, so that two processes that start at once make one account. */
const demoAccountId = derivedUuid(0, 'demo account');

/** The account with a stored id, or null. */
export function accountById(db: Prisma.TransactionClient, id: string): Promise<Account | null> {
  return db.account.findUnique({ where: { id } });
}

/** The account with an address, in any case, or null; addresses are stored in lower case. */
export function accountByEmail(
  db: Prisma.TransactionClient,
  email: string,
): Promise<Account | null> {
  return db.account.findUnique({ where: { email: email.trim().toLowerCase() } });
}

/** The accounts that came first, a person's before that of the simulated garage. */
function firstAccounts(db: Prisma.TransactionClient, take: number): Promise<Account[]> {
  return db.account.findMany({
    orderBy: [{ simulated: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
    take,
  });
}

/** Whether an account is the operator's: the first that a person had here, or the garage's where nobody has one. */
export async function isOperators(
  db: Prisma.TransactionClient,
  accountId: string,
): Promise<boolean> {
  const [first] = await firstAccounts(db, 1);
  return first?.id === accountId;
}

/**
 * The account that the operator means when naming none: the only one, a person's before that of the simulated
 * garage. Throws `not_found` when there is none and `validation_failed` when several people have one.
 */
export async function ownerAccount(db: Prisma.TransactionClient): Promise<Account> {
  const [first, second] = await firstAccounts(db, 2);
  if (first === undefined) throw new ServiceError('not_found', 'There is no account yet.');
  if (second?.simulated === false) {
    throw new ServiceError('validation_failed', 'There are several accounts; name one.', {
      fields: { account: ['Give the address or the id of the account.'] },
    });
  }
  return first;
}

/** Makes an account for the owner of an instance on which no person has one; of several starts at once, one makes it. */
export async function ensureOwnerAccount(db: Prisma.TransactionClient, at: number): Promise<void> {
  if ((await db.account.count({ where: { simulated: false } })) > 0) return;
  await db.account.createMany({
    data: { id: derivedUuid(0, 'owner account'), name: 'Owner', createdAt: new Date(at) },
    skipDuplicates: true,
  });
}

/** The account of the simulated garage, made when it is missing. */
export async function ensureDemoAccount(
  db: Prisma.TransactionClient,
  at: number,
): Promise<Account> {
  const existing = await accountById(db, demoAccountId);
  if (existing !== null) return existing;
  await db.account.createMany({
    data: { id: demoAccountId, name: 'Demo owner', simulated: true, createdAt: new Date(at) },
    skipDuplicates: true,
  });
  return db.account.findUniqueOrThrow({ where: { id: demoAccountId } });
}
