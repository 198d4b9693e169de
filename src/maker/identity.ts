import type { Clock } from '../base/clock.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../base/units.ts';
import { claimsOf, type TokenClaims } from './access-token.ts';
import { type Exchange, exchange } from './exchange.ts';
import { applicationScopes } from './grants.ts';
import { isObject, parsedJson } from './json.ts';
import { finiteNumber } from './readers.ts';
import { retryAfterMs } from './retry-after.ts';

/** What a client of the token endpoint is made of. */
export type IdentityOptions = {
  /** The whole URL of the token endpoint. */
  tokenUrl: string;
  clientId: string;
  /** Sent with a code and for the application itself, and not with a refresh token (maker.md §1.2); null or left out for an application without one. */
  clientSecret?: string | null;
  clock: Clock;
  /** Time limit of one refresh [ms]; 10 s unless given. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

/** A new pair of tokens; `refreshToken` is null where none was given and the one that was sent stays (RFC 6749 6). */
export type Tokens = Pick<TokenClaims, 'scopes' | 'region' | 'subject' | 'audiences'> & {
  accessToken: string;
  refreshToken: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
};

type DoubtReason = 'closed' | 'timeout' | 'upstream' | 'rate_limited' | 'malformed' | 'unsaid';

/**
 * What came of a refresh (maker.md §1.2, rules c and d).
 *
 * `reauth`: this refresh token is dead; with the previous one dead too only a new login helps. `unknown`: the token may or
 * may not have been used up, and may be tried again. `misconfigured`: the endpoint does not accept this client, which no
 * token cures.
 */
export type TokenOutcome =
  | { kind: 'ok'; tokens: Tokens }
  | {
      kind: 'reauth';
      reason: 'login_required' | 'invalid_grant' | 'invalid_auth_code';
      status: number;
    }
  | {
      kind: 'unknown';
      reason: DoubtReason;
      status: number | null;
      /** How long the endpoint asks to wait, where it does. */
      retryAfterMs: number | null;
    }
  | { kind: 'misconfigured'; reason: string; status: number };

/** A code that a person's consent gave, with what proves that it is ours (RFC 6749 4.1.3, RFC 7636 4.5). */
export type CodeGrant = {
  code: string;
  redirectUrl: string;
  codeVerifier: string;
  /** Base URL of the region whose API the tokens are for. */
  audience: string;
};

/** The maker's identity provider, as far as a linked account needs it. */
export type MakerIdentity = {
  /** Trades a code for the first pair; a code works once, so an unknown outcome is not worth another try. */
  exchangeCode: (grant: CodeGrant) => Promise<TokenOutcome>;
  /** Trades a single-use refresh token for a new pair; one at a time per account is the caller's to see to. */
  refresh: (refreshToken: string) => Promise<TokenOutcome>;
  /** A token of the application itself, for what it asks of a region in its own name (maker.md §1.2). */
  applicationToken: (audience: string) => Promise<TokenOutcome>;
};

const defaultTimeoutMs = 10 * SECOND_MS;
const maxBytes = 1024 * 1024;

/** How long an access token is taken to live where neither the answer nor the token says; short, because a 401 costs little. */
const unsaidLifetimeMs = HOUR_MS;
const longestLifetimeMs = 30 * DAY_MS;

/** Errors that say that the client is wrong, not the token (RFC 6749 5.2). */
const clientErrors = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_request',
  'invalid_scope',
]);

/** A client of the token endpoint; it never retries and never logs. */
export function makerIdentity(options: IdentityOptions): MakerIdentity {
  const { tokenUrl, clientId, clientSecret, clock, signal } = options;
  const ask = async (form: Record<string, string>): Promise<TokenOutcome> => {
    const answer = await exchange(
      tokenUrl,
      {
        method: 'POST',
        headers: { accept: 'application/json', 'user-agent': 'odograph' },
        body: new URLSearchParams(form),
      },
      { timeoutMs: options.timeoutMs ?? defaultTimeoutMs, maxBytes, signal },
    );
    return outcomeOf(answer, clock());
  };
  const secret: Record<string, string> =
    clientSecret == null ? {} : { client_secret: clientSecret };
  return {
    applicationToken: (audience) =>
      ask({
        grant_type: 'client_credentials',
        client_id: clientId,
        ...secret,
        audience,
        scope: applicationScopes.join(' '),
      }),
    refresh: (refreshToken) =>
      ask({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }),
    exchangeCode: ({ code, redirectUrl, codeVerifier, audience }) =>
      ask({
        grant_type: 'authorization_code',
        client_id: clientId,
        ...secret,
        code,
        audience,
        redirect_uri: redirectUrl,
        code_verifier: codeVerifier,
      }),
  };
}

function outcomeOf(answer: Exchange, now: number): TokenOutcome {
  if (answer.kind === 'too_large') return doubt('malformed', answer.status);
  if (answer.kind !== 'answered') return doubt(answer.kind, null);
  const { status, headers, body } = answer;
  const json = parsedJson(body);
  const fields = isObject(json) ? json : {};
  if (status === 200) {
    const tokens = tokensOf(fields, now);
    return tokens === null ? doubt('malformed', status) : { kind: 'ok', tokens };
  }
  if (status === 429) {
    const waitMs = retryAfterMs(headers, body.slice(0, 2_000), now);
    return { ...doubt('rate_limited', status), retryAfterMs: waitMs };
  }
  if (status >= 500) return doubt('upstream', status);
  const { error } = fields;
  if (error === 'login_required' || error === 'invalid_grant' || error === 'invalid_auth_code') {
    return { kind: 'reauth', reason: error, status };
  }
  if (typeof error === 'string' && clientErrors.has(error)) {
    return { kind: 'misconfigured', reason: error, status };
  }
  return doubt('unsaid', status);
}

type Doubt = Extract<TokenOutcome, { kind: 'unknown' }>;

function doubt(reason: DoubtReason, status: number | null): Doubt {
  return { kind: 'unknown', reason, status, retryAfterMs: null };
}

/** The tokens of an answer, or null where there is no access token in it. */
function tokensOf(fields: Readonly<Record<string, unknown>>, now: number): Tokens | null {
  const { access_token: accessToken, refresh_token: refreshToken } = fields;
  if (typeof accessToken !== 'string' || accessToken === '') return null;
  const { expiresAt, ...claims } = claimsOf(accessToken);
  const lifetimeS = finiteNumber(fields.expires_in);
  const until = lifetimeS === undefined ? expiresAt : now + lifetimeS * SECOND_MS;
  return {
    ...claims,
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : null,
    expiresAt: Math.min(Math.max(until ?? now + unsaidLifetimeMs, now), now + longestLifetimeMs),
  };
}
