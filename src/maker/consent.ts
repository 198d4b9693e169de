import { createHash, randomBytes } from 'node:crypto';
import type { Connector } from './connector.ts';
import { wantedScopes } from './grants.ts';
import { type Region, regionNamed } from './regions.ts';

/** A secret that proves that who brings the code is who asked for it (RFC 7636 4.1). */
export function newCodeVerifier(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The address on which a person consents to what the service wants. It carries a code challenge, which a maker that
 * knows none ignores (RFC 6749 3.1); `again` asks for scopes that were refused before.
 */
export function authorizeUrlOf(
  { authorizeUrl, clientId, redirectUrl }: Connector,
  { state, codeVerifier, again }: { state: string; codeVerifier: string; again: boolean },
): string {
  const url = new URL(authorizeUrl);
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUrl,
    scope: wantedScopes.join(' '),
    state,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(again ? { prompt_missing_scopes: 'true' } : {}),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** The region that a code names by its prefix, such as `EU_`; null for a code without (maker.md §1.1). */
export function regionOfCode(code: string): Region | null {
  return regionNamed(code.split('_')[0]);
}
