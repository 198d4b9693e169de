import { ServiceError } from '../base/errors.ts';
import { homeRegionOf } from '../maker/connector.ts';
import { regionOfCode } from '../maker/consent.ts';
import { makerIdentity } from '../maker/identity.ts';
import type { MakerAccount, MakerLink } from '../store/generated/prisma/client.ts';
import { codeVerifierOf, makerLinkBy, spendMakerLink } from '../store/maker-links.ts';
import { connectorOf, type OpenMakerCall } from './maker-door.ts';
import { tokenError } from './maker-failures.ts';
import { holderOf } from './maker-holder.ts';
import { associateEvery } from './maker-vehicles.ts';
import { stateHashOf } from './start-maker-link.ts';
import { storeLink } from './store-maker-link.ts';

/** What the maker sent the person back with. */
export type Callback = { state: string; code: string | null; error: string | null };

/** The callback in an address that a person copied from the browser. Throws `validation_failed` for another address. */
export function callbackIn(url: string): Callback {
  const query = URL.canParse(url) ? new URL(url).searchParams : null;
  const state = query?.get('state');
  if (query && state) return { state, code: query.get('code'), error: query.get('error') };
  throw new ServiceError('validation_failed', 'This is not the address of a callback.', {
    fields: { callbackUrl: ['Give the whole address to which the maker sent you back.'] },
  });
}

/**
 * Ends a sign-in: the state is used up, the code traded, the account made, or found again by the maker's own id of it.
 * With a principal the state has to be of its account. Throws `invalid_request` for an unknown state, `relink_required`
 * for one that ended or was used, `consent_denied` where the person refused, and the maker words.
 */
export async function completeMakerLink(
  call: OpenMakerCall,
  { state, code, error }: Callback,
): Promise<MakerAccount> {
  const link = await usedLink(call, state);
  if (error !== null || code === null) {
    throw new ServiceError('consent_denied', 'The sign-in at the maker was not completed.');
  }
  const connector = connectorOf(call.door, link.maker);
  const first = regionOfCode(code) ?? homeRegionOf(connector.application);
  const identity = makerIdentity({ ...connector, clock: call.clock });
  const outcome = await identity.exchangeCode({
    code,
    redirectUrl: link.redirectUrl,
    codeVerifier: codeVerifierOf(call.door.vault, link),
    audience: connector.apiUrlOf(first),
  });
  if (outcome.kind !== 'ok') throw tokenError(outcome);
  const { tokens } = outcome;
  const holder = await holderOf(call, connector, tokens, tokens.region ?? first);
  const { row, isNew } = await storeLink(call, link, { connector, tokens, holder });
  call.door.sessions.drop(row.id);
  if (isNew && row.status === 'ACTIVE') await associateEvery(call, row);
  call.door.changed();
  return row;
}

async function usedLink(
  { prisma, clock, principal }: OpenMakerCall,
  state: string,
): Promise<MakerLink> {
  const link = await makerLinkBy(prisma, stateHashOf(state), principal?.accountId ?? null);
  if (link === null) throw new ServiceError('invalid_request', 'This sign-in is not known.');
  const at = clock();
  if (link.expiresAt.getTime() <= at) {
    throw new ServiceError('relink_required', 'This sign-in took too long; start it again.');
  }
  if (!(await spendMakerLink(prisma, link, at))) {
    throw new ServiceError('relink_required', 'This sign-in was used before; start it again.');
  }
  return link;
}
