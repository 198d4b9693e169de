import { redacted } from '../base/redact.ts';
import { MINUTE_MS } from '../base/units.ts';
import type { Failure, Forbidden, ForbiddenReason, UnauthorizedReason } from './answer.ts';
import { isObject } from './json.ts';
import { movedBaseUrl } from './regions.ts';
import { retryAfterMs } from './retry-after.ts';

/** An answer that is no success, as far as it is needed to tell why. */
type Refused = {
  status: number;
  headers: Headers;
  /** The parsed body, or undefined where it is no JSON. */
  json: unknown;
  body: string;
  baseUrl: string;
  /** The token that was sent, so that an echo of it goes no further. */
  token: string;
  now: number;
};

/** How long an account over its limit is left alone: the answer carries no time (maker.md §1.6). */
const exceededLimitMs = 15 * MINUTE_MS;
const longestDetail = 200;
const longestSentence = 2_000;

const asleepSentence = /vehicle unavailable|offline or asleep/i;
const wrongMethodSentence = /invalid_method|method not allowed/i;
const baseUrlInSentence = /base url:?\s*(https?:\/\/[^\s,"']+)/i;
const baseUrlInAltSvc = /https?:\/\/[^\s,;"']+/i;

/**
 * Why the maker refused. The status decides, except where its command proxy hides a sleeping vehicle behind another one
 * (maker.md §0.3): there the sentence does.
 */
export function failureOf(refused: Refused): Failure {
  const { status, headers, now } = refused;
  const sentence = sentenceOf(refused);
  const said = { status, detail: detailOf(sentence) };
  if (status === 408 || (status !== 429 && asleepSentence.test(sentence))) {
    return { kind: 'asleep', ...said, retry: 'when_awake' };
  }
  switch (status) {
    case 401:
      return unauthorized(sentence, said);
    case 402:
      return forbidden('payment_required', said);
    case 403:
      return forbidden(forbiddenReason(sentence), said);
    case 404:
      return { kind: 'not_found', ...said, retry: 'never' };
    case 405:
      if (wrongMethodSentence.test(sentence)) return { kind: 'rejected', ...said, retry: 'never' };
      return { kind: 'in_service', ...said, retry: 'backoff' };
    case 421:
      return outOfRegion(refused, sentence, said);
    case 423:
      return forbidden('account_locked', said);
    case 429: {
      const waitMs = retryAfterMs(headers, sentence, now);
      return { kind: 'rate_limited', ...said, retry: 'after', retryAfterMs: waitMs };
    }
    case 451:
      return forbidden('privacy', said);
    case 424:
    case 499:
      return { kind: 'upstream', ...said, retry: 'backoff' };
    default:
      if (status >= 500) return { kind: 'upstream', ...said, retry: 'backoff' };
      return { kind: 'rejected', ...said, retry: 'never' };
  }
}

type Said = { status: number; detail: string | null };

function unauthorized(sentence: string, said: Said): Failure {
  const reason = unauthorizedReason(sentence);
  const curable = reason !== 'login_required' && reason !== 'mobile_access_disabled';
  return { kind: 'unauthorized', ...said, reason, retry: curable ? 'with_fresh_token' : 'never' };
}

function unauthorizedReason(sentence: string): UnauthorizedReason {
  if (/login_required/i.test(sentence)) return 'login_required';
  if (/mobile_access_disabled/i.test(sentence)) return 'mobile_access_disabled';
  if (/expired/i.test(sentence)) return 'token_expired';
  return /invalid/i.test(sentence) ? 'token_invalid' : 'unsaid';
}

function forbiddenReason(sentence: string): ForbiddenReason {
  if (/exceeded_limit/i.test(sentence)) return 'exceeded_limit';
  if (/scope/i.test(sentence)) return 'missing_scopes';
  if (/command protocol required/i.test(sentence)) return 'protocol_required';
  return /unsupported vehicle/i.test(sentence) ? 'unsupported_vehicle' : 'unsaid';
}

function forbidden(reason: ForbiddenReason, said: Said): Forbidden {
  const later = reason === 'exceeded_limit';
  return {
    kind: 'forbidden',
    ...said,
    reason,
    retry: later ? 'after' : 'never',
    retryAfterMs: later ? exceededLimitMs : null,
  };
}

function outOfRegion({ headers, baseUrl }: Refused, sentence: string, said: Said): Failure {
  const candidates = [
    baseUrlInSentence.exec(sentence)?.[1],
    baseUrlInAltSvc.exec(headers.get('alt-svc') ?? '')?.[0],
  ];
  const moved = candidates
    .map((candidate) => (candidate === undefined ? null : movedBaseUrl(candidate, baseUrl)))
    .find((candidate) => candidate !== null);
  const retry = moved === undefined ? 'never' : 'at_new_base';
  return { kind: 'out_of_region', ...said, baseUrl: moved ?? null, retry };
}

/** What the answer says in words: `error` and `error_description`, a refusal's `reason`, or a body that is no JSON. */
function sentenceOf({ json, body, token }: Refused): string {
  const said = isObject(json) ? wordsOf(json) : body;
  const sentence = said.slice(0, longestSentence);
  return token === '' ? sentence : sentence.replaceAll(token, '[token]');
}

function wordsOf({ error, error_description, response }: Readonly<Record<string, unknown>>) {
  return [error, error_description, isObject(response) ? response.reason : null]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join(': ');
}

function detailOf(sentence: string): string | null {
  const plain = redacted(sentence.replace(/\s+/g, ' ').trim());
  return plain === '' ? null : plain.slice(0, longestDetail);
}
