import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf } from '../base/ids.ts';
import type { Connector } from '../maker/connector.ts';
import { grantOf, REFRESH_LIFETIME_MS } from '../maker/grants.ts';
import type { Tokens } from '../maker/identity.ts';
import { audited } from '../store/audit.ts';
import type { MakerAccount, MakerLink } from '../store/generated/prisma/client.ts';
import { tellStatus } from '../store/maker-account-status.ts';
import { tokenColumns } from '../store/maker-accounts.ts';
import { actorOf, type OpenMakerCall } from './maker-door.ts';
import type { Holder } from './maker-holder.ts';

/** Who signed in, and with what. */
export type Signed = { connector: Connector; tokens: Tokens; holder: Holder };

/**
 * Stores a sign-in: the account is made, or found again by the maker's own id of it. Throws `relink_required` where another
 * account than the one that was meant signed in, and `maker_error` where the maker does not say whose it is.
 */
export async function storeLink(
  call: OpenMakerCall,
  link: Pick<MakerLink, 'accountId' | 'makerAccountId' | 'label'>,
  { connector, tokens, holder }: Signed,
): Promise<{ row: MakerAccount; isNew: boolean }> {
  const { prisma, clock, door, principal, requestId } = call;
  const { accountId } = link;
  const { maker, simulated } = connector;
  const makerSubject = tokens.subject;
  if (makerSubject === null) {
    throw new ServiceError('maker_error', 'The maker did not say whose account it is.');
  }
  const { enough, ...scopes } = grantOf(tokens.scopes);
  const status = enough && tokens.refreshToken !== null ? 'ACTIVE' : 'MISSING_SCOPES';
  const at = clock();
  return audited(prisma, accountId, async (tx) => {
    const where = { accountId_maker_makerSubject: { accountId, maker, makerSubject } };
    const before = await tx.makerAccount.findUnique({ where });
    if (link.makerAccountId !== null && before?.id !== link.makerAccountId) {
      const message = 'Another account of the maker was signed in than the one that is linked.';
      throw new ServiceError('relink_required', message);
    }
    const id = before?.id ?? newUuid();
    const pair = {
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken ?? '',
      expiresAt: tokens.expiresAt,
    };
    const columns = {
      ...scopes,
      ...tokenColumns(door.vault, id, { tokens: pair, previous: null, at }),
      refreshExpiresAt: tokens.refreshToken === null ? null : new Date(at + REFRESH_LIFETIME_MS),
      baseUrl: holder.baseUrl,
      region: simulated ? ('SIM' as const) : holder.region,
      emailMasked: holder.emailMasked ?? before?.emailMasked ?? null,
      label: link.label ?? before?.label ?? null,
      status,
    } as const;
    const row =
      before === null
        ? await tx.makerAccount.create({
            data: {
              ...columns,
              id,
              accountId,
              maker,
              makerSubject,
              simulated,
              createdAt: new Date(at),
            },
          })
        : await tx.makerAccount.update({
            where: { id },
            data: { ...columns, tokenGeneration: { increment: 1 } },
          });
    const reason = status === 'ACTIVE' ? null : 'missing_scopes';
    await tellStatus(tx, before ?? { id, accountId, status: 'PENDING' }, { status, reason, at });
    const fact = {
      at,
      actor: actorOf(principal),
      action: 'maker_account.link',
      object: typeIdOf('MakerAccount', id),
      details: { maker, again: before !== null, grantedScopes: scopes.grantedScopes },
      requestId,
    };
    return { result: { row, isNew: before === null }, facts: [fact] };
  });
}
