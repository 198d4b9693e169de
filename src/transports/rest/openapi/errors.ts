import { type ErrorCode, errorTable } from '../../../base/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { JsonSchema } from '../readers.ts';

/** The words of contract §12 that a read or a change of the profile may answer, with an example of what they say. */
const sentences: { readonly [C in ErrorCode]?: string } = {
  invalid_request: 'The body is not valid JSON.',
  query_too_costly: 'The operation costs 12000 points; at most 10000 are allowed.',
  missing_token: 'Send a token in the header `Authorization: Bearer <token>`.',
  invalid_token: 'The token is not known.',
  expired_token: 'The token ended at 2026-02-28T12:00:00.000Z.',
  bearer_required: 'An api_key is not taken here; send a bearer token in the Authorization header.',
  insufficient_scope: 'The token lacks the scope vehicles.',
  consent_denied: 'The sign-in at the maker was not completed.',
  setting_forbids: 'A token that is limited to some vehicles removes no history.',
  merge_conflict: 'The drive is under way.',
  relink_required: 'The maker wants the person to sign in again.',
  maker_rate_limited: 'The maker wants fewer requests.',
  maker_error: 'The maker did not answer as asked.',
  maker_unavailable: 'The maker does not answer now.',
  maker_timeout: 'The maker did not answer in time.',
  not_found: 'No vehicle is found here.',
  not_acceptable: 'The answer is application/json, which Accept leaves out.',
  payload_too_large: 'The body is larger than 1 MiB.',
  unsupported_media_type: 'The body must be JSON with the content type application/json.',
  validation_failed: '`limit`: Give a whole number from 1 to 200.',
  rate_limited: 'At most 50 streams are open at a time with one token.',
  service_unavailable: 'The database is out of reach for now.',
};

/** Name of the response component of each status. */
const names: { readonly [status: number]: string } = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'ValidationFailed',
  429: 'TooManyRequests',
  502: 'MakerError',
  503: 'ServiceUnavailable',
  504: 'MakerTimeout',
};

function isWord(word: string): word is ErrorCode {
  return Object.hasOwn(sentences, word);
}

/** The words that may be answered with a status. */
export function wordsOf(status: number): ErrorCode[] {
  return Object.keys(sentences)
    .filter(isWord)
    .filter((word) => errorTable[word].status === status);
}

/** The statuses other than success that an endpoint answers, in order. */
export function statusesOf({ route, scopes, body, answer }: Endpoint): number[] {
  const missable = route.path.includes('/:') || (route.answer.kind === 'thing' && !isSure(answer));
  return [
    400,
    401,
    ...(scopes === null && !route.asksMaker ? [] : [403]),
    ...(missable ? [404] : []),
    406,
    ...(route.asksMaker || route.edits ? [409] : []),
    ...(body === null ? [] : [413, 415]),
    422,
    ...(route.asksMaker ? [429, 502] : []),
    ...(route.constant ? [] : [503]),
    ...(route.asksMaker ? [504] : []),
  ];
}

function isSure({ type }: Endpoint['answer']): boolean {
  return type.toString().endsWith('!');
}

const retryAfterS: { readonly [C in ErrorCode]?: number } = {
  rate_limited: 60,
  service_unavailable: 5,
};

function exampleOf(word: ErrorCode): object {
  const { status, resolution } = errorTable[word];
  const description = sentences[word] ?? '';
  return {
    code: status,
    response: null,
    error: word,
    error_description: description,
    messages: word === 'validation_failed' ? { limit: [description.slice(9)] } : null,
    ...(word === 'insufficient_scope' ? { required_scope: 'vehicles' } : {}),
    request_id: '5f1c0c4e-9b0e-4f57-9d0a-2f3f5f0b7a11',
    retry_after_s: retryAfterS[word] ?? null,
    resolution,
    docs: null,
  };
}

const moreHeaders: { readonly [status: number]: JsonSchema } = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } },
  403: { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } },
  429: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
  503: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
};

function responseOf(status: number): JsonSchema {
  const words = wordsOf(status);
  return {
    description: words.map((word) => `\`${word}\``).join(', '),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...moreHeaders[status],
    },
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { type: 'object', properties: { code: { const: status }, error: { enum: words } } },
          ],
        },
        examples: Object.fromEntries(words.map((word) => [word, { value: exampleOf(word) }])),
      },
    },
  };
}

/** The response components of all errors. */
export function errorResponses(): JsonSchema {
  return Object.fromEntries(
    Object.entries(names).map(([status, name]) => [name, responseOf(Number(status))]),
  );
}

/** A reference to the response component of a status. */
export function errorReference(status: number): JsonSchema {
  return { $ref: `#/components/responses/${names[status]}` };
}

/** Schema of every error body (contract §12). */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong, and what the caller can do about it.',
  required: [
    'code',
    'response',
    'error',
    'error_description',
    'messages',
    'request_id',
    'retry_after_s',
    'resolution',
    'docs',
  ],
  properties: {
    code: { type: 'integer', description: 'The HTTP status.' },
    response: { type: 'null' },
    error: { type: 'string', description: 'The error as a word; it never changes.' },
    error_description: { type: 'string', description: 'The error as a sentence; it may change.' },
    messages: {
      type: ['object', 'null'],
      description: 'What is wrong with each parameter or field.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    required_scope: { type: 'string', description: 'The scope that is missing.' },
    request_id: { type: 'string', description: 'Id of the request, as in `X-Request-Id`.' },
    retry_after_s: {
      type: ['integer', 'null'],
      description: 'When asking again may help [s].',
    },
    resolution: {
      type: ['string', 'null'],
      description: 'What the caller can do.',
      enum: [...new Set(Object.values(errorTable).map(({ resolution }) => resolution))],
    },
    docs: { type: ['string', 'null'], description: 'Where it is explained.' },
  },
};
