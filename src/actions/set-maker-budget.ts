import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import { uuidOf } from '../base/ids.ts';
import { retellBudget } from '../ingest/tell-budget.ts';
import { audited } from '../store/audit.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import { ownMakerAccount } from '../store/maker-accounts.ts';
import { lockSpend } from '../store/maker-spend.ts';
import { moneyLimit } from './budget-input.ts';
import { actorOf, checkReach, type MakerCall } from './maker-door.ts';

const MOST_CALLS = 1_000_000_000;
const calls = z
  .int({ error: `Give a whole number from 0 to ${MOST_CALLS}, or null for no such limit.` })
  .min(0)
  .max(MOST_CALLS)
  .nullable()
  .optional();

const changes = z.object({
  limit: moneyLimit.optional(),
  dataLimit: calls,
  commandLimit: calls,
  wakeLimit: calls,
});

type Changes = z.output<typeof changes>;

/** What a budget is changed to; a limit that is left out stays, and null takes it away. */
function readChanges(input: unknown): Changes {
  const read = changes.safeParse(input);
  if (read.success) return read.data;
  const fields: Record<string, string[]> = {};
  for (const { path, message } of read.error.issues) fields[String(path[0])] = [message];
  throw new ServiceError('validation_failed', 'The budget cannot be so.', { fields });
}

/**
 * Sets what a maker account may spend in a month. Throws `not_found`, `validation_failed`, and `setting_forbids` for a token
 * that is limited to some vehicles.
 */
export async function setMakerBudget(
  { prisma, clock, door, principal, requestId }: MakerCall,
  { id, input }: { id: string; input: unknown },
): Promise<MakerAccount> {
  const { limit, ...limits } = readChanges(input);
  const { accountId } = principal;
  const uuid = uuidOf('MakerAccount', id);
  const changed = await audited(
    prisma,
    accountId,
    async (tx) => {
      const { id: rowId } = await ownMakerAccount(tx, accountId, uuid);
      checkReach(principal, await tx.vehicle.findMany({ where: { makerAccountId: rowId } }));
      const money = limit === undefined ? {} : { budgetLimit: limit };
      await tx.makerAccount.update({ where: { id: rowId }, data: { ...limits, ...money } });
      await retellBudget(tx, rowId, () => door.ledger.standing(rowId, tx));
      const fact = {
        at: clock(),
        actor: actorOf(principal),
        action: 'maker_account.set_budget',
        object: id,
        details: { ...defined(limits), ...(limit === undefined ? {} : { limit }) },
        requestId,
      };
      return { result: await ownMakerAccount(tx, accountId, rowId), facts: [fact] };
    },
    // Before the account, like whoever counts a call.
    async (tx) => {
      if (uuid !== null) await lockSpend(tx, uuid);
    },
  );
  door.ledger.forget(changed.id);
  return changed;
}

function defined(limits: Omit<Changes, 'limit'>): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(limits).filter(
      (entry): entry is [string, number | null] => entry[1] !== undefined,
    ),
  );
}
