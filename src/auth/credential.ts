import { ServiceError } from '../base/errors.ts';
import type { PersonalKind } from './principal.ts';
import { type ParsedSecret, parseSecret } from './token-format.ts';

/** What a request carries that may say who calls, as it came; nothing else of it (no cookie, no body) ever counts. */
export type PresentedCredentials = {
  /** Values of every `Authorization` header. */
  authorization: readonly string[];
  /** Values of every `api_key` query parameter. */
  apiKey: readonly string[];
  /** Address of the caller, null where it is not known. */
  ip: string | null;
};

/** Whether a route takes an `api_key`: yes, no, or it would if the instance did (contract §0). */
export type ApiKeyPolicy = 'TAKEN' | 'REFUSED' | 'OFF';

/** RFC 6750 2.1: the scheme in any case, one or more spaces, a b64token. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/**
 * The credentials of a request from its raw header list (name, value, name, ...), where Node keeps repeated
 * `Authorization` headers that it drops elsewhere, and its request target.
 */
export function presentedIn(request: {
  rawHeaders: readonly string[];
  url: string;
  ip: string | null;
}): PresentedCredentials {
  const { rawHeaders, url, ip } = request;
  const authorization = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  const queryAt = url.indexOf('?');
  const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
  return { authorization, apiKey: query.getAll('api_key'), ip };
}

function parseBearer(value: string): ParsedSecret<'TOKEN' | 'INGEST'> {
  const [, secret] = bearer.exec(value) ?? [];
  if (secret === undefined) {
    throw new ServiceError('invalid_token', 'The Authorization header is not a bearer token.');
  }
  const { kind, hash } = parseSecret(secret) ?? { kind: null, hash: '' };
  if (kind === 'TOKEN' || kind === 'INGEST') return { kind, hash };
  throw new ServiceError(
    'invalid_token',
    kind === null
      ? 'The bearer token is not a token of this service.'
      : 'An API key is not a bearer token.',
  );
}

function parsePersonal(value: string): ParsedSecret<'TOKEN'> {
  const { kind, hash } = parseBearer(value);
  if (kind === 'TOKEN') return { kind, hash };
  throw new ServiceError('invalid_token', 'An ingest token opens nothing but /ingest.');
}

function parseApiKey(value: string): ParsedSecret<'API_KEY'> {
  const { kind, hash } = parseSecret(value) ?? { kind: null, hash: '' };
  if (kind === 'API_KEY') return { kind, hash };
  throw new ServiceError('invalid_token', 'The api_key is not an API key of this service.');
}

/**
 * The one credential of a request, well-formed but not yet looked up, or null when there is none. Throws
 * `invalid_request` for more than one (RFC 6750 2), `invalid_token` for a malformed one and `bearer_required` for an
 * `api_key` where none is taken (spec 7).
 */
export function readCredential(
  presented: PresentedCredentials,
  policy: ApiKeyPolicy,
): ParsedSecret<PersonalKind> | null {
  const { authorization, apiKey } = singly(presented);
  const [header] = authorization;
  if (header !== undefined) return parsePersonal(header);
  const [key] = apiKey;
  if (key === undefined) return null;
  if (policy === 'TAKEN') return parseApiKey(key);
  throw new ServiceError(
    'bearer_required',
    `${policy === 'OFF' ? 'This instance takes no api_key' : 'An api_key is not taken here'}; send a bearer token in the Authorization header.`,
  );
}

/**
 * The bearer token of a request to `/ingest`, of either kind and not yet looked up, or null when there is none. Throws as
 * `readCredential` does where no api_key is taken.
 */
export function readIngestCredential(
  presented: PresentedCredentials,
): ParsedSecret<'TOKEN' | 'INGEST'> | null {
  const { authorization, apiKey } = singly(presented);
  const [header] = authorization;
  if (header !== undefined) return parseBearer(header);
  if (apiKey.length === 0) return null;
  throw new ServiceError(
    'bearer_required',
    'An api_key is not taken here; send an ingest token in the Authorization header.',
  );
}

/** What is presented, when it is one credential at most. */
function singly(presented: PresentedCredentials): {
  authorization: readonly string[];
  apiKey: readonly string[];
} {
  const { apiKey } = presented;
  // A front that joins repeated headers puts a comma between them, which no bearer token holds.
  const authorization = presented.authorization.flatMap((value) =>
    /^bearer /i.test(value) ? value.split(',') : [value],
  );
  if (authorization.length + apiKey.length > 1) {
    const what =
      apiKey.length === 0
        ? 'several Authorization values'
        : authorization.length === 0
          ? 'several api_key parameters'
          : 'both an Authorization header and an api_key';
    throw new ServiceError('invalid_request', `The request carries ${what}; send one credential.`);
  }
  return { authorization, apiKey };
}
