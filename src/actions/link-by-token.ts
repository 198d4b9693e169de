import { ServiceError } from '../base/errors.ts';
import { homeRegionOf } from '../maker/connector.ts';
import { regionOfCode } from '../maker/consent.ts';
import { makerIdentity, type TokenOutcome } from '../maker/identity.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import { connectorOf, type MakerCall } from './maker-door.ts';
import { tokenError } from './maker-failures.ts';
import { holderOf } from './maker-holder.ts';
import { shownLabel } from './maker-label.ts';
import { associateEvery } from './maker-vehicles.ts';
import { storeLink } from './store-maker-link.ts';

const LONGEST_TOKEN = 8_192;

/**
 * Links with a refresh token that the person has from elsewhere. It is tried by a real renewal, which uses it up; the
 * pair that this gives is stored before anything is asked with it. Throws `validation_failed` for a token that the maker
 * does not take, and the maker words.
 */
export async function linkByRefreshToken(
  call: MakerCall,
  {
    maker,
    label,
    refreshToken,
  }: { maker: string | null; label: string | null; refreshToken: string },
): Promise<MakerAccount> {
  const { prisma, clock, door, principal } = call;
  const connector = connectorOf(door, maker);
  const wish = { accountId: principal.accountId, makerAccountId: null, label: shownLabel(label) };
  const sent = refreshToken.trim();
  if (!/^[\x21-\x7e]+$/.test(sent) || sent.length > LONGEST_TOKEN)
    throw refused('This is no token.');
  const { tokens: renewed } = await renewalOf(sent, { ...connector, clock });
  const tokens = { ...renewed, refreshToken: renewed.refreshToken ?? sent };
  const region = tokens.region ?? regionOfCode(sent) ?? homeRegionOf(connector.application);
  const first = { region, baseUrl: connector.apiUrlOf(region), emailMasked: null };
  const { row, isNew } = await storeLink(call, wish, { connector, tokens, holder: first });
  door.sessions.drop(row.id);
  const holder = await holderOf(call, connector, tokens, region);
  const linked = await prisma.makerAccount.update({
    where: { id: row.id },
    data: {
      baseUrl: holder.baseUrl,
      ...(connector.simulated ? {} : { region: holder.region }),
      ...(holder.emailMasked === null ? {} : { emailMasked: holder.emailMasked }),
    },
  });
  if (isNew && linked.status === 'ACTIVE') await associateEvery(call, linked);
  door.changed();
  return linked;
}

type Renewed = Extract<TokenOutcome, { kind: 'ok' }>;

/** Asked for once more where no answer came: of a lost one, the token that was sent is good for a while (maker.md §1.2). */
async function renewalOf(
  refreshToken: string,
  options: Parameters<typeof makerIdentity>[0],
): Promise<Renewed> {
  const identity = makerIdentity(options);
  let outcome = await identity.refresh(refreshToken);
  if (outcome.kind === 'unknown' && outcome.reason !== 'rate_limited') {
    outcome = await identity.refresh(refreshToken);
  }
  if (outcome.kind === 'ok') return outcome;
  if (outcome.kind !== 'reauth') throw tokenError(outcome);
  throw refused(
    'The maker does not take it: it was used, has ended, or is of another application.',
  );
}

function refused(sentence: string): ServiceError {
  const fields = { refreshToken: [sentence] };
  return new ServiceError('validation_failed', 'The refresh token cannot be used.', { fields });
}
