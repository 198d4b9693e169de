import type { QuotaState } from '../actions/command-limits.ts';
import { type Context, perOperation } from './context.ts';

/** The vehicle that an operation sends a command to, once it is known. */
export const commanded = perOperation((): { vehicleId: string | null } => ({ vehicleId: null }));

/**
 * What of the limits of contract §14 is left to the caller of an operation, and to the vehicle that it names; nothing where
 * the ledger cannot be read, because what became of the command matters more.
 */
export async function quotasLeft(context: Context): Promise<QuotaState[]> {
  const { principal, desk, prisma, clock } = context;
  if (principal === null || desk === undefined) return [];
  const { accountId, credential } = principal;
  const spender = { accountId, credential, ...commanded(context) };
  return desk.quotas.states(prisma, spender, clock()).catch(() => []);
}
