import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { DAY_MS, HOUR_MS } from '../base/units.ts';
import type { TokenAnswerWire } from '../maker/wire.ts';
import type { Reply } from './reply.ts';

const ACCESS_MS = 8 * HOUR_MS;
const REFRESH_MS = 90 * DAY_MS;

/** What an access token lets its bearer do. */
export type Bearer = { subject: string; scopes: readonly string[] };

/** A pair that was just issued; the refresh token works once. */
export type TokenPair = { accessToken: string; refreshToken: string; expiresAtMs: number };

/** Issues and reads the stand-in's tokens. They carry all they mean, so they outlive the process that issued them. */
export type TokenDesk = {
  issue: (bearer: Bearer) => TokenPair;
  /** Bearer of an access token, or the maker's word for what is wrong with it. */
  read: (accessToken: string) => Bearer | 'token expired (401)' | 'invalid bearer token';
  /** Answers a form posted to the token endpoint. */
  answer: (form: URLSearchParams) => Reply;
};

type Claims = { sub: string; scp: string[]; exp: number; line: string; turn: number };

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function claimsFrom(part: string): Claims | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    if (!isRecord(value) || typeof value.sub !== 'string' || typeof value.exp !== 'number')
      return null;
    const scp = Array.isArray(value.scp)
      ? value.scp.filter((scope) => typeof scope === 'string')
      : [];
    const line = typeof value.line === 'string' ? value.line : '';
    return { sub: value.sub, scp, exp: value.exp, line, turn: Number(value.turn ?? 0) };
  } catch {
    return null;
  }
}

function signer(secret: string) {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest();
  return {
    sealed: (text: string) => `${text}.${sign(text).toString('base64url')}`,
    opened: (token: string): string | null => {
      const cut = token.lastIndexOf('.');
      const given = Buffer.from(token.slice(cut + 1), 'base64url');
      const wanted = sign(token.slice(0, cut));
      const genuine = given.length === wanted.length && timingSafeEqual(given, wanted);
      return cut > 0 && genuine ? token.slice(0, cut) : null;
    },
  };
}

const refusal = (status: number, error: string, error_description: string): Reply => ({
  status,
  body: { error, error_description },
});

/** The answer that carries a pair; a refresh token is in it only where `offline_access` was given. */
export function pairReply({ accessToken, refreshToken }: TokenPair, offline = true): Reply {
  const body: TokenAnswerWire = {
    access_token: accessToken,
    ...(offline ? { refresh_token: refreshToken } : {}),
    expires_in: ACCESS_MS / 1000,
    token_type: 'Bearer',
  };
  return { status: 200, body, headers: { 'cache-control': 'no-store' } };
}

/** A token desk whose tokens are valid at every desk of the same seed; expiry follows `clock`. */
export function tokenDesk(options: {
  seed: string;
  clock: Clock;
  audience: () => string;
  region: string;
  /** How long a refresh token that was used last may be used again, ms; 0 by default (maker.md §1.2). */
  graceMs?: number;
}): TokenDesk {
  const { clock, audience, region, graceMs = 0 } = options;
  const access = signer(`access ${options.seed}`);
  const refresh = signer(`refresh ${options.seed}`);
  /** By line of refresh tokens, the next turn that may be used, and when the turn before it first was; earlier ones are spent. */
  const lines = new Map<string, { nextTurn: number; usedAtMs: number }>();

  function issueOn(bearer: Bearer, line: string, turn: number): TokenPair {
    const now = clock();
    const person = { sub: bearer.subject, scp: bearer.scopes };
    const expiresAtMs = now + ACCESS_MS;
    const iat = Math.floor(now / 1000);
    const claims = {
      iss: 'https://auth.example.invalid/oauth2/v3',
      aud: [audience()],
      ou_code: region,
      ...person,
      iat,
      exp: Math.floor(expiresAtMs / 1000),
      jti: randomUUID(),
    };
    const exp = Math.floor((now + REFRESH_MS) / 1000);
    return {
      accessToken: access.sealed(`${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`),
      refreshToken: `${region}_${refresh.sealed(encoded({ ...person, exp, line, turn }))}`,
      expiresAtMs,
    };
  }

  function renew(token: string): Reply {
    const opened = refresh.opened(token.slice(region.length + 1));
    const claims = opened === null ? null : claimsFrom(opened);
    if (claims === null) return refusal(401, 'invalid_grant', 'The refresh token is not valid.');
    const line = lines.get(claims.line) ?? { nextTurn: 0, usedAtMs: 0 };
    const graced = claims.turn === line.nextTurn - 1 && clock() - line.usedAtMs < graceMs;
    if (claims.turn < line.nextTurn && !graced)
      return refusal(401, 'login_required', 'The refresh token was used before.');
    if (claims.exp * 1000 <= clock()) return refusal(401, 'login_required', 'It has expired.');
    if (!graced) lines.set(claims.line, { nextTurn: claims.turn + 1, usedAtMs: clock() });
    const bearer = { subject: claims.sub, scopes: claims.scp };
    const pair = issueOn(bearer, claims.line, claims.turn + 1);
    return pairReply(pair);
  }

  return {
    issue: (bearer) => issueOn(bearer, randomUUID(), 0),
    read: (token) => {
      const opened = access.opened(token);
      const claims = opened === null ? null : claimsFrom(opened.split('.')[1] ?? '');
      if (claims === null) return 'invalid bearer token';
      if (claims.exp * 1000 <= clock()) return 'token expired (401)';
      return { subject: claims.sub, scopes: claims.scp };
    },
    answer: (form) => {
      if (form.get('grant_type') !== 'refresh_token') {
        return refusal(400, 'unsupported_grant_type', 'Only refresh_token is supported.');
      }
      if (!form.get('client_id')) return refusal(400, 'invalid_request', 'client_id is missing.');
      return renew(form.get('refresh_token') ?? '');
    },
  };
}
