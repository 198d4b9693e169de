import { ServiceError } from '../base/errors.ts';
import { uuidOf } from '../base/ids.ts';
import { accountByEmail, accountById, ownerAccount } from '../store/accounts.ts';
import { type AuditVerdict, verifyAudit } from '../store/audit.ts';
import type { AccessContext } from './access-context.ts';

/** Stored id of the account that the operator names by id or address, or of the owner when naming none (null). */
export async function accountFor({ prisma }: AccessContext, named: string | null): Promise<string> {
  if (named === null) return (await ownerAccount(prisma)).id;
  const uuid = uuidOf('Account', named);
  const account =
    uuid === null ? await accountByEmail(prisma, named) : await accountById(prisma, uuid);
  if (account === null) throw new ServiceError('not_found', 'There is no such account.');
  return account.id;
}

/** Computes an account's audit chain anew. */
export function checkAudit({ prisma }: AccessContext, accountId: string): Promise<AuditVerdict> {
  return verifyAudit(prisma, accountId);
}
