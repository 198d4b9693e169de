import { typeIdOf } from '../base/ids.ts';
import { DAY_MS, HOUR_MS } from '../base/units.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import { type Check, fine, odd, wrong } from './doctor-check.ts';

const REFRESH_ENDS_SOON_MS = 14 * DAY_MS;

/** How a linked account does; `now` in epoch milliseconds, `running` where a service should keep its tokens fresh. */
export function accountCheck(row: MakerAccount, now: number, running: boolean): Check {
  const publicId = typeIdOf('MakerAccount', row.id);
  const id = `maker_account.${publicId}`;
  const { status, missingScopes, refreshExpiresAt, accessExpiresAt, lastErrorCode } = row;
  const name = `The maker account ${row.label ?? publicId} (${row.region})`;
  const again = `Sign in anew: POST /api/account/maker-accounts/${publicId}/reauthorize.`;
  if (status !== 'ACTIVE' && status !== 'REFRESHING') {
    const why = lastErrorCode === null ? '' : `, ${lastErrorCode}`;
    return wrong(id, `${name} does not work: ${status}${why}.`, again);
  }
  if (missingScopes.length > 0) {
    const says = `${name} works without ${missingScopes.join(', ')}.`;
    return odd(id, says, `If you miss what they open: ${again}`);
  }
  const endsInMs = refreshExpiresAt === null ? null : refreshExpiresAt.getTime() - now;
  if (endsInMs !== null && endsInMs < REFRESH_ENDS_SOON_MS) {
    const says = `${name} ends on ${dayOf(refreshExpiresAt)} unless its tokens are renewed.`;
    return odd(id, says, 'Let the service run; it renews them by itself.');
  }
  const stale = accessExpiresAt !== null && accessExpiresAt.getTime() < now - HOUR_MS;
  if (running && stale && lastErrorCode !== null) {
    const says = `The tokens of ${name.replace('The', 'the')} were not renewed: ${lastErrorCode}.`;
    return odd(id, says, `Try it: POST /api/account/maker-accounts/${publicId}/refresh.`);
  }
  return fine(id, `${name} works; its tokens are ${ageOf(row.lastRefreshedAt, now)} old.`);
}

function dayOf(at: Date | null): string {
  return at?.toISOString().slice(0, 10) ?? 'an unknown day';
}

function ageOf(at: Date | null, now: number): string {
  if (at === null) return 'of unknown age, or not';
  const hours = Math.max(0, Math.round((now - at.getTime()) / HOUR_MS));
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
