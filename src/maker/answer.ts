/**
 * When the same request is worth sending again: `never`, after a growing pause (`backoff`), after `retryAfterMs`
 * (`after`), when the vehicle is awake, with a fresh access token, or at another base URL.
 */
export type Retry =
  | 'never'
  | 'backoff'
  | 'after'
  | 'when_awake'
  | 'with_fresh_token'
  | 'at_new_base';

/** Why a token was refused; `login_required` is cured by a new login only. */
export type UnauthorizedReason =
  | 'token_expired'
  | 'token_invalid'
  | 'login_required'
  | 'mobile_access_disabled'
  | 'no_token'
  | 'unsaid';

/** What stands against a request that was understood. */
export type ForbiddenReason =
  | 'exceeded_limit'
  | 'missing_scopes'
  | 'protocol_required'
  | 'unsupported_vehicle'
  | 'payment_required'
  | 'account_locked'
  | 'privacy'
  | 'unsaid';

/** What was wrong with an answer that could not be read. */
export type MalformedReason = 'not_json' | 'no_response' | 'too_large' | 'redirected' | 'endless';

/**
 * What every failure carries: `status` is null where there was no answer (an answer below 500 is billed, maker.md §1.7);
 * `detail` is the maker's sentence without tokens, VINs and positions.
 */
type FailureOf<Kind extends string, More = unknown> = {
  kind: Kind;
  status: number | null;
  detail: string | null;
  retry: Retry;
} & More;

/** An answer that forbids, with how long to wait where waiting helps. */
export type Forbidden = FailureOf<
  'forbidden',
  { reason: ForbiddenReason; retryAfterMs: number | null }
>;

/**
 * A call that was not made: the budget is used up, the maker's limits leave no room for `retryAfterMs`, what it costs
 * could not be noted, or it was not to be made any more.
 */
export type HeldBack = FailureOf<
  'held_back',
  { reason: 'budget' | 'rate' | 'ledger' | 'too_late'; retryAfterMs: number }
>;

/** Every way in which a request to the maker fails (maker.md §1.6). */
export type Failure =
  | HeldBack
  | FailureOf<'asleep'>
  | FailureOf<'unauthorized', { reason: UnauthorizedReason }>
  | Forbidden
  | FailureOf<'not_found'>
  | FailureOf<'in_service'>
  | FailureOf<'out_of_region', { baseUrl: string | null }>
  | FailureOf<'rate_limited', { retryAfterMs: number }>
  | FailureOf<'rejected'>
  | FailureOf<'upstream'>
  | FailureOf<'timeout'>
  | FailureOf<'closed', { code: string }>
  | FailureOf<'malformed', { reason: MalformedReason }>;

/** What came of a request to the maker. */
export type Answer<T> = { kind: 'ok'; status: number; value: T } | Failure;

/** A failure without an answer that could be read. */
export function malformed(reason: MalformedReason, status: number | null): Failure {
  return { kind: 'malformed', reason, status, detail: null, retry: 'backoff' };
}
