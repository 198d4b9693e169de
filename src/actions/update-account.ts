import type { Principal } from '../auth/principal.ts';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { storedPreferences } from '../contract/preferences.ts';
import { audited } from '../store/audit.ts';
import { uniqueViolationOf } from '../store/database-errors.ts';
import type { Account, PrismaClient } from '../store/generated/prisma/client.ts';
import { type AccountChanges, readAccountChanges } from './account-changes.ts';
import { actorOf } from './maker-door.ts';

/** Who changes an account, and with what. */
export type AccountUpdate = {
  prisma: PrismaClient;
  clock: Clock;
  principal: Principal;
  requestId: string;
  input: unknown;
};

/**
 * Changes the caller's own account; what the input does not name stays. A new address counts as unproven. Throws
 * `validation_failed` with what is wrong with each field.
 */
export async function updateAccount(update: AccountUpdate): Promise<Account> {
  const { prisma, clock, principal, requestId } = update;
  const changes = readAccountChanges(update.input);
  const { accountId } = principal;
  try {
    return await audited(prisma, accountId, async (tx) => {
      const before = await tx.account.findUniqueOrThrow({ where: { id: accountId } });
      const result = await tx.account.update({
        where: { id: accountId },
        data: columnsOf(before, changes),
      });
      const fact = {
        at: clock(),
        actor: actorOf(principal),
        action: 'account.update',
        object: null,
        details: { fields: Object.keys(changes) },
        requestId,
      };
      return { result, facts: [fact] };
    });
  } catch (error) {
    if (uniqueViolationOf(error) !== 'account_email_key') throw error;
    throw new ServiceError('validation_failed', 'This address cannot be used.', {
      cause: error,
      fields: { email: ['This address cannot be used.'] },
    });
  }
}

function columnsOf(before: Account, { preferences, email, ...plain }: AccountChanges) {
  return {
    ...plain,
    ...(email === undefined || email === before.email ? {} : { email, emailVerified: false }),
    ...(preferences === undefined
      ? {}
      : { preferences: { ...storedPreferences.parse(before.preferences), ...preferences } }),
  };
}
