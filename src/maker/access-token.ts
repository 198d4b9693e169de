import { SECOND_MS } from '../base/units.ts';
import { isObject, parsedJson } from './json.ts';
import { finiteNumber, text } from './readers.ts';
import { type Region, regionNamed } from './regions.ts';

/** What an access token says of itself; null where it does not say. */
export type TokenClaims = {
  /** Granted scopes, from `scp`. */
  scopes: readonly string[] | null;
  /** From `ou_code`. */
  region: Region | null;
  subject: string | null;
  /** Hosts that take the token, from `aud`. */
  audiences: readonly string[];
  /** Epoch milliseconds, from `exp`. */
  expiresAt: number | null;
};

const silent: TokenClaims = {
  scopes: null,
  region: null,
  subject: null,
  audiences: [],
  expiresAt: null,
};

/**
 * The claims of a maker's access token. Its signature is not checked: the token comes from the token endpoint itself and
 * decides nothing here; a token that is no JWT says nothing.
 */
export function claimsOf(accessToken: string): TokenClaims {
  const parts = accessToken.split('.');
  const payload = parts.length === 3 ? parts[1] : undefined;
  if (payload === undefined) return silent;
  const claims = parsedJson(Buffer.from(payload, 'base64url').toString('utf8'));
  if (!isObject(claims)) return silent;
  const expiresS = finiteNumber(claims.exp);
  return {
    scopes: words(claims.scp),
    region: regionNamed(claims.ou_code),
    subject: text(claims.sub, 0) ?? null,
    audiences: words(claims.aud) ?? [],
    expiresAt: expiresS === undefined ? null : Math.round(expiresS * SECOND_MS),
  };
}

/** The words of a claim that is a list or a text with spaces. */
function words(claim: unknown): readonly string[] | null {
  const list = typeof claim === 'string' ? claim.split(/\s+/) : claim;
  if (!Array.isArray(list)) return null;
  return list.filter((word): word is string => typeof word === 'string' && word !== '');
}
