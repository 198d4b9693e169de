import type { Authenticator } from '../../auth/authenticate.ts';
import { presentedIn } from '../../auth/credential.ts';
import type { Principal } from '../../auth/principal.ts';
import { ServiceError } from '../../base/errors.ts';
import { effectiveGrants } from '../../contract/scopes.ts';
import { satisfies } from '../../schema/requires-scopes.ts';
import type { Endpoint } from './endpoint.ts';

/** The parts of a request that say who calls. */
type Caller = { rawHeaders: readonly string[]; url: string; ip: string };

/**
 * Who calls an endpoint; null without a credential on a public one. Throws the 401 words for who may not be told apart
 * from anybody, `insufficient_scope` for who lacks a scope (spec 7).
 */
export async function callerOf(
  { route, scopes }: Pick<Endpoint, 'scopes'> & { route: Pick<Endpoint['route'], 'apiKey'> },
  caller: Caller,
  authenticator: Authenticator,
): Promise<Principal | null> {
  const presented = presentedIn(caller);
  const rule = { allowsApiKey: route.apiKey === true };
  if (scopes === null) return authenticator.identify(presented, rule);
  const principal = await authenticator.authenticate(presented, rule);
  const granted = effectiveGrants(principal.scopes, 'api');
  if (satisfies(granted, scopes)) return principal;
  const lacking = scopes.map((all) => all.filter((scope) => !granted.has(scope)).join(' and '));
  const [first] = scopes;
  throw new ServiceError(
    'insufficient_scope',
    `The ${principal.credential.kind === 'TOKEN' ? 'token' : 'API key'} lacks the scope ${lacking.join(' or ')}.`,
    { requiredScope: first?.join(' ') },
  );
}

/** The day on which `api_key` was first called deprecated: 2026-11-21, in the form of RFC 9745. */
const DEPRECATED_SINCE = '@1795219200';

/** Headers that tell a caller with an `api_key` that it ends: RFC 9745, and RFC 8594 with the end of the key itself. */
export function deprecationHeaders(principal: Principal | null): Record<string, string> {
  if (principal?.credential.kind !== 'API_KEY') return {};
  return {
    Deprecation: DEPRECATED_SINCE,
    Sunset: new Date(principal.expiresAt).toUTCString(),
  };
}
