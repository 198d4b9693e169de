import { lockAccount } from './audit.ts';
import type {
  MakerAccount,
  MakerAccountStatus,
  Prisma,
  PrismaClient,
} from './generated/prisma/client.ts';
import { writeAccountEvents } from './outbox.ts';

/** What a link becomes, and why; instants in epoch milliseconds. */
export type StatusChange = { status: MakerAccountStatus; reason: string | null; at: number };

/** Tells the outbox that a link has another status. Call it last in a transaction, under the account's row. */
export async function tellStatus(
  tx: Prisma.TransactionClient,
  account: { id: string; accountId: string; status: MakerAccountStatus },
  { status, reason, at }: StatusChange,
): Promise<void> {
  if (account.status === status) return;
  const data = { makerAccountId: account.id, status, reason };
  await writeAccountEvents(tx, account.accountId, [
    {
      type: 'maker_account.status_changed',
      occurredAt: at,
      data,
      previous: { status: account.status },
    },
  ]);
}

/**
 * Changes a maker account's row and tells of its status in one transaction; false where the row is gone or `where` does
 * not hold any more. `change` is told the row as it is under the lock.
 */
export async function changeMakerAccount(
  prisma: PrismaClient,
  account: { id: string; accountId: string; where?: Prisma.MakerAccountWhereInput },
  data: Prisma.MakerAccountUpdateInput,
  change: (before: MakerAccount) => StatusChange,
): Promise<boolean> {
  const { id, accountId, where = {} } = account;
  return prisma.$transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await tx.makerAccount.findFirst({ where: { ...where, id, accountId } });
    if (before === null) return false;
    const after = change(before);
    await tx.makerAccount.update({ where: { id }, data: { ...data, status: after.status } });
    await tellStatus(tx, before, after);
    return true;
  });
}
