import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf } from '../base/ids.ts';
import { maskedEmail, regionAnswer } from '../maker/account-answers.ts';
import { makerApi } from '../maker/api.ts';
import type { Connector } from '../maker/connector.ts';
import { regionOfCode } from '../maker/consent.ts';
import { grantOf, REFRESH_LIFETIME_MS } from '../maker/grants.ts';
import { makerIdentity, type Tokens } from '../maker/identity.ts';
import { movedBaseUrl, type Region } from '../maker/regions.ts';
import { audited } from '../store/audit.ts';
import type { MakerAccount, MakerLink } from '../store/generated/prisma/client.ts';
import { tellStatus } from '../store/maker-account-status.ts';
import { tokenColumns } from '../store/maker-accounts.ts';
import { codeVerifierOf, makerLinkBy, spendMakerLink } from '../store/maker-links.ts';
import { actorOf, connectorOf, type OpenMakerCall } from './maker-door.ts';
import { tokenError } from './maker-failures.ts';
import { associateEvery } from './maker-vehicles.ts';
import { stateHashOf } from './start-maker-link.ts';

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
  const first = regionOfCode(code) ?? 'NA';
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

/** What is known of who signed in. */
type Holder = { region: Region; baseUrl: string; emailMasked: string | null };

/** Where the account lives and whose it is, as the maker says; what it does not say is taken from the tokens. */
async function holderOf(
  { clock }: OpenMakerCall,
  connector: Connector,
  { accessToken }: Tokens,
  region: Region,
): Promise<Holder> {
  const at = (baseUrl: string) =>
    makerApi({ baseUrl, token: () => Promise.resolve(accessToken), clock });
  let baseUrl = connector.apiUrlOf(region);
  let answer = await at(baseUrl).region();
  if (answer.kind === 'out_of_region' && answer.baseUrl !== null) {
    baseUrl = answer.baseUrl;
    answer = await at(baseUrl).region();
  }
  const said = regionAnswer(answer.kind === 'ok' ? answer.value : null);
  const moved = said.baseUrl === null ? null : movedBaseUrl(said.baseUrl, baseUrl);
  const me = await at(moved ?? baseUrl).me();
  return {
    region: said.region ?? region,
    baseUrl: moved ?? baseUrl,
    emailMasked: me.kind === 'ok' ? maskedEmail(me.value) : null,
  };
}

type Signed = { connector: Connector; tokens: Tokens; holder: Holder };

async function storeLink(
  call: OpenMakerCall,
  link: MakerLink,
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
