import { createHash, randomBytes } from 'node:crypto';
import { newUuid, uuidOf } from '../base/ids.ts';
import { MINUTE_MS } from '../base/units.ts';
import { authorizeUrlOf, newCodeVerifier } from '../maker/consent.ts';
import { audited } from '../store/audit.ts';
import { ownMakerAccount } from '../store/maker-accounts.ts';
import { insertMakerLink } from '../store/maker-links.ts';
import { actorOf, connectorOf, type MakerCall } from './maker-door.ts';
import { shownLabel } from './maker-label.ts';

/** How long a person has for signing in (contract §0 Scopes and credentials). */
const STATE_MS = 10 * MINUTE_MS;

/** Where a person goes to consent; `expiresAt` is when it no longer counts. */
export type StartedLink = { authorizeUrl: string; state: string; expiresAt: Date };

/** What a state is stored as: nobody who reads the database can use it. */
export function stateHashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}

/** Starts linking an account of a maker. Throws `setting_forbids` for one that is not configured. */
export function startMakerLink(
  call: MakerCall,
  { maker, label }: { maker: string | null; label: string | null },
): Promise<StartedLink> {
  return start(call, { maker, label: shownLabel(label), makerAccountId: null });
}

/** Starts signing in anew, for scopes that are missing or tokens that are dead. Throws `not_found`. */
export async function reauthorizeMakerAccount(call: MakerCall, id: string): Promise<StartedLink> {
  const { accountId } = call.principal;
  const row = await ownMakerAccount(call.prisma, accountId, uuidOf('MakerAccount', id));
  return start(call, { maker: row.maker, label: null, makerAccountId: row.id });
}

async function start(
  { prisma, clock, door, principal, requestId }: MakerCall,
  wish: { maker: string | null; label: string | null; makerAccountId: string | null },
): Promise<StartedLink> {
  const connector = connectorOf(door, wish.maker);
  const state = randomBytes(32).toString('base64url');
  const codeVerifier = newCodeVerifier();
  const at = clock();
  const expiresAt = at + STATE_MS;
  const { accountId } = principal;
  await audited(prisma, accountId, async (tx) => {
    await insertMakerLink(tx, door.vault, {
      ...wish,
      id: newUuid(),
      accountId,
      maker: connector.maker,
      stateHash: stateHashOf(state),
      codeVerifier,
      redirectUrl: connector.redirectUrl,
      createdAt: at,
      expiresAt,
    });
    const fact = {
      at,
      actor: actorOf(principal),
      action: 'maker_account.start_link',
      object: null,
      details: { maker: connector.maker },
      requestId,
    };
    return { result: null, facts: [fact] };
  });
  const again = wish.makerAccountId !== null;
  const authorizeUrl = authorizeUrlOf(connector, { state, codeVerifier, again });
  return { authorizeUrl, state, expiresAt: new Date(expiresAt) };
}
