import { ServiceError } from '../base/errors.ts';
import { SECOND_MS } from '../base/units.ts';
import type { RenewalError } from '../ingest/renewal.ts';
import type { Failure } from '../maker/answer.ts';
import type { TokenOutcome } from '../maker/identity.ts';

const inSeconds = (ms: number | null) => (ms === null ? undefined : Math.ceil(ms / SECOND_MS));

const unavailable = () =>
  new ServiceError('maker_unavailable', 'The maker does not answer now.', { retryAfterS: 60 });
const late = () => new ServiceError('maker_timeout', 'The maker did not answer in time.');
const limited = (waitMs: number | null) =>
  new ServiceError('maker_rate_limited', 'The maker wants fewer requests.', {
    retryAfterS: inSeconds(waitMs),
  });

/** What a caller is told where only a new sign-in helps. */
export function relinkRequired(cause?: unknown): ServiceError {
  const message = 'The maker wants the person to sign in again.';
  return new ServiceError('relink_required', message, { cause });
}

/** What a caller is told of a request that the vehicle API refused or did not answer. */
export function apiError(failure: Failure): ServiceError {
  switch (failure.kind) {
    case 'timeout':
      return late();
    case 'closed':
    case 'upstream':
      return unavailable();
    case 'rate_limited':
      return limited(failure.retryAfterMs);
    case 'unauthorized':
      return relinkRequired();
    case 'forbidden':
      if (failure.reason === 'exceeded_limit') return limited(failure.retryAfterMs);
      if (failure.reason === 'missing_scopes') return relinkRequired();
      return new ServiceError('maker_error', 'The maker forbids this.');
    default:
      return new ServiceError('maker_error', 'The maker did not answer as asked.');
  }
}

/** What a caller is told of tokens that did not come. */
export function tokenError(outcome: Exclude<TokenOutcome, { kind: 'ok' }>): ServiceError {
  if (outcome.kind === 'reauth') return relinkRequired();
  if (outcome.kind === 'misconfigured') {
    const message = 'The maker does not accept the client id and secret of this instance.';
    return new ServiceError('maker_error', message);
  }
  return doubtError(outcome.reason, outcome.retryAfterMs);
}

/** What a caller is told of a renewal that came to nothing. */
export function renewalError({ kind, reason, retryAfterMs }: RenewalError): ServiceError {
  if (kind === 'misconfigured') {
    const message = 'The maker does not accept the client id of this instance.';
    return new ServiceError('maker_error', message);
  }
  return doubtError(reason, retryAfterMs);
}

function doubtError(reason: string, retryAfterMs: number | null): ServiceError {
  switch (reason) {
    case 'timeout':
      return late();
    case 'rate_limited':
      return limited(retryAfterMs);
    case 'malformed':
    case 'unsaid':
      return new ServiceError('maker_error', 'The maker did not answer as asked.');
    default:
      return unavailable();
  }
}
