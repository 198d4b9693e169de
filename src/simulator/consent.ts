import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { MINUTE_MS } from '../base/units.ts';
import { applicationSubject } from './partner.ts';
import type { Reply } from './reply.ts';
import { type Bearer, pairReply, type TokenDesk } from './tokens.ts';

const CODE_MS = 5 * MINUTE_MS;

/** A consent that was given and not yet traded for tokens. */
type Given = {
  bearer: Bearer;
  clientId: string;
  redirectUri: string;
  challenge: string | null;
  expiresAtMs: number;
};

/** The stand-in's page of consent, and the trade of its codes. */
export type ConsentDesk = {
  /** Who sits before the page. */
  signIn: (person: Bearer) => void;
  /** What a client has to bring with a code from now on; null for nothing. */
  requireSecret: (secret: string | null) => void;
  /** Answers the page; with `decision=approve` or `decision=deny` it sends the person back. */
  page: (url: URL) => Reply;
  /** Answers a form with a code. */
  trade: (form: URLSearchParams) => Reply;
  /** Answers a form of an application that signs in itself (RFC 6749 4.4). */
  tradeSecret: (form: URLSearchParams) => Reply;
};

const everyScope = [
  'openid',
  'offline_access',
  'user_data',
  'vehicle_device_data',
  'vehicle_location',
  'vehicle_cmds',
  'vehicle_charging_cmds',
];

const refusal = (status: number, error: string, error_description: string): Reply => ({
  status,
  body: { error, error_description },
});

/** A desk whose codes work once, for the client, the address and the verifier that they were asked with. */
export function consentDesk(options: {
  tokens: TokenDesk;
  clock: Clock;
  region: string;
}): ConsentDesk {
  const { tokens, clock, region } = options;
  let clientSecret: string | null = null;
  const codes = new Map<string, Given>();
  let person: Bearer = { subject: 'garage', scopes: everyScope };

  function wrongClient(form: URLSearchParams): Reply | null {
    if (!form.get('client_id')) return refusal(400, 'invalid_request', 'client_id is missing.');
    if (clientSecret === null || form.get('client_secret') === clientSecret) return null;
    return refusal(401, 'invalid_client', 'The client secret is wrong.');
  }

  function approve(query: URLSearchParams, redirectUri: string): string {
    const code = `${region}_${randomUUID()}`;
    const asked = (query.get('scope') ?? '').split(' ');
    // Whoever names the person who signs in gets that one (OpenID Connect Core 3.1.2.1).
    const subject = query.get('login_hint') ?? person.subject;
    const scopes = person.scopes.filter((scope) => asked.includes(scope));
    codes.set(code, {
      bearer: { subject, scopes },
      clientId: query.get('client_id') ?? '',
      redirectUri,
      challenge: query.get('code_challenge'),
      expiresAtMs: clock() + CODE_MS,
    });
    return code;
  }

  return {
    requireSecret: (secret) => {
      clientSecret = secret;
    },
    signIn: (next) => {
      person = next;
    },
    page: (url) => {
      const query = url.searchParams;
      const redirectUri = query.get('redirect_uri') ?? '';
      const right = query.get('response_type') === 'code' && query.get('client_id');
      if (!right || !query.get('state') || !URL.canParse(redirectUri)) {
        return refusal(400, 'invalid_request', 'The address of this page is incomplete.');
      }
      const decision = query.get('decision');
      if (decision === null) return consentPage(url);
      const back = new URL(redirectUri);
      if (decision === 'approve') back.searchParams.set('code', approve(query, redirectUri));
      else back.searchParams.set('error', 'access_denied');
      back.searchParams.set('state', query.get('state') ?? '');
      // The maker says more than the service asked for.
      back.searchParams.set('issuer', `${url.origin}/oauth2/v3`);
      return { status: 302, body: null, headers: { location: back.href } };
    },
    tradeSecret: (form) => {
      const wrong = wrongClient(form);
      if (wrong !== null) return wrong;
      if (!form.get('audience')) return refusal(400, 'invalid_request', 'audience is missing.');
      const subject = applicationSubject(form.get('client_id') ?? '');
      const scopes = (form.get('scope') ?? '').split(' ');
      return pairReply(tokens.issue({ subject, scopes }), false);
    },
    trade: (form) => {
      const wrong = wrongClient(form);
      if (wrong !== null) return wrong;
      const code = form.get('code') ?? '';
      const given = codes.get(code);
      codes.delete(code);
      const challenge = createHash('sha256').update(form.get('code_verifier') ?? '');
      const fits =
        given !== undefined &&
        given.expiresAtMs > clock() &&
        given.clientId === form.get('client_id') &&
        given.redirectUri === form.get('redirect_uri') &&
        (given.challenge === null || given.challenge === challenge.digest('base64url'));
      if (!fits) return refusal(400, 'invalid_auth_code', 'The code is not valid.');
      const { bearer } = given;
      return pairReply(tokens.issue(bearer), bearer.scopes.includes('offline_access'));
    },
  };
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

function consentPage(url: URL): Reply {
  const link = (decision: string, words: string) => {
    const target = new URL(url);
    target.searchParams.set('decision', decision);
    return `<p><a href="${escaped(target.href)}">${words}</a></p>`;
  };
  const body = [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Simulated sign-in</title>',
    '<h1>Simulated sign-in</h1><p>A service wants to read the simulated cars.</p>',
    link('approve', 'Allow'),
    link('deny', 'Refuse'),
    '</html>',
  ].join('\n');
  return { status: 200, body, headers: { 'content-type': 'text/html; charset=utf-8' } };
}
