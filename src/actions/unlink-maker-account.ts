import { ServiceError } from '../base/errors.ts';
import { typeIdOf, uuidOf } from '../base/ids.ts';
import { audited } from '../store/audit.ts';
import { tellStatus } from '../store/maker-account-status.ts';
import { ownMakerAccount } from '../store/maker-accounts.ts';
import { archive, lockVehicles, removeForEver } from '../store/maker-vehicles.ts';
import { actorOf, checkReach, type MakerCall } from './maker-door.ts';

/** What was unlinked, and how many vehicles it had. */
export type Unlinked = { id: string; keptHistory: boolean; vehiclesCount: number };

/**
 * Unlinks a maker account: its tokens are forgotten and its vehicles no longer followed. Without history everything that
 * was recorded of them is removed for ever, which needs `controls` like every change of history (contract §0). Throws
 * `not_found`, `insufficient_scope`, and `setting_forbids` for a token limited to some vehicles.
 */
export async function unlinkMakerAccount(
  { prisma, clock, door, principal, requestId }: MakerCall,
  { id, keepHistory }: { id: string; keepHistory: boolean },
): Promise<Unlinked> {
  const { vehicleIds } = principal;
  if (!keepHistory && vehicleIds !== null) {
    const message = 'A token that is limited to some vehicles removes no history.';
    throw new ServiceError('setting_forbids', message);
  }
  if (!keepHistory && !principal.scopes.has('controls')) {
    const message = 'Removing the history of vehicles needs the scope controls as well.';
    throw new ServiceError('insufficient_scope', message, { requiredScope: 'controls' });
  }
  const { accountId } = principal;
  const at = clock();
  const uuid = uuidOf('MakerAccount', id);
  const unlinked = await audited(
    prisma,
    accountId,
    async (tx) => {
      const row = await ownMakerAccount(tx, accountId, uuid);
      const vehicles = await tx.vehicle.findMany({ where: { makerAccountId: row.id } });
      checkReach(principal, vehicles);
      if (keepHistory) await archive(tx, vehicles, { reason: 'unlinked', at });
      else await removeForEver(tx, accountId, { vehicles, at });
      await tx.makerAccount.delete({ where: { id: row.id } });
      await tellStatus(tx, row, { status: 'REVOKED', reason: 'unlinked', at });
      const publicId = typeIdOf('MakerAccount', row.id);
      const result = { id: publicId, keptHistory: keepHistory, vehiclesCount: vehicles.length };
      const fact = {
        at,
        actor: actorOf(principal),
        action: 'maker_account.unlink',
        object: publicId,
        details: { keepHistory, vehicles: vehicles.length },
        requestId,
      };
      return { result, facts: [fact] };
    },
    (tx) => lockVehicles(tx, { accountId, makerAccountId: uuid ?? undefined }),
  );
  if (uuid !== null) door.sessions.drop(uuid);
  door.changed();
  return unlinked;
}
