import type { ErrorCode } from '../base/errors.ts';
import { redacted } from '../base/redact.ts';
import type { CommandRow } from '../contract/commands/command.ts';
import type { Answer, Failure, Forbidden, HeldBack } from './answer.ts';
import { isNeverSent } from './gate.ts';
import { isObject } from './json.ts';

/** When a command that surely did not happen may be sent again. */
export type Again = 'never' | 'when_awake' | 'after' | 'with_fresh_token' | 'later';

/**
 * What came of sending a command: it happened (`noOp` where the vehicle was already as asked), it was refused and surely
 * did not happen, or nobody knows (maker.md §2, "→ ours" 1).
 */
export type CommandOutcome =
  | { kind: 'happened'; noOp: boolean; reason: string | null }
  | Refusal
  | { kind: 'unknown'; reason: string };

export type Refusal = {
  kind: 'refused';
  code: ErrorCode;
  message: string;
  /** The vehicle's or maker's own words; null where there are none. */
  reason: string | null;
  again: Again;
  retryAfterMs: number | null;
  /** Whether the vehicle itself said no, in an answer that was a success on the way. */
  byVehicle: boolean;
  /** The vehicle takes signed commands only. */
  protocolRequired?: true;
};

/** Reasons that say that the vehicle was already as asked, whatever the command (maker.md §1.6). */
const alreadyReasons = [
  'already_set',
  'requested',
  'already_on',
  'already_off',
  'already_locked',
  'already_unlocked',
];

const proxyPrefix = /^car could not execute command:\s*/i;

/** What an answer of the command interface means for a row. */
export function outcomeOf(answer: Answer<unknown>, row: CommandRow): CommandOutcome {
  if (answer.kind !== 'ok') return outcomeOfFailure(answer);
  const { value } = answer;
  if (!isObject(value) || typeof value.result !== 'boolean') {
    // Waking answers an item of the list instead of a result.
    return isObject(value) && typeof value.state === 'string'
      ? { kind: 'happened', noOp: false, reason: null }
      : { kind: 'unknown', reason: 'The answer could not be read.' };
  }
  const said =
    typeof value.reason === 'string'
      ? redacted(value.reason.slice(0, 200)).replace(proxyPrefix, '').trim()
      : '';
  const reason = said === '' ? null : said;
  if (value.result) return { kind: 'happened', noOp: false, reason };
  const word = said.toLowerCase().replace(/[\s-]+/g, '_');
  const already = [...alreadyReasons, ...(row.alreadySo ?? [])];
  if (already.some((one) => word.includes(one))) return { kind: 'happened', noOp: true, reason };
  return { ...refusedByVehicle(word), reason, byVehicle: true };
}

type Refused = Omit<Refusal, 'reason'>;

const refusal = (code: ErrorCode, message: string, again: Again = 'never'): Refused => ({
  kind: 'refused',
  code,
  message,
  again,
  byVehicle: false,
  retryAfterMs: null,
});

/** What is said of a refusal; without its full stop it goes on with the vehicle's own words. */
type Word = readonly [RegExp, ErrorCode, string];

/** Words that are not listed are the maker's error. */
const unlisted: Word = [/.*/, 'maker_error', 'The vehicle refused'];

/** Words of a refusing vehicle, and what they are to a caller. */
const vehicleWords: readonly Word[] = [
  [
    /not_supported|unsupported|not_available/,
    'unsupported_by_vehicle',
    'The vehicle cannot do this.',
  ],
  [
    /in_park|not_parked|driving|user_present/,
    'precondition_failed',
    'The vehicle has to be parked with nobody in it.',
  ],
  [/disconnected/, 'precondition_failed', 'No cable is in the charge port.'],
  [/closures_open/, 'precondition_failed', 'A door, trunk or window is open.'],
  [/not_nearby/, 'precondition_failed', 'The vehicle is not near that place.'],
  [/no_update/, 'precondition_failed', 'There is no software update for this.'],
  [/pin/, 'precondition_failed', 'The vehicle does not take this PIN.'],
  [
    /low_soc|low_power|mode_active|controls_active|climate|guest_mode|valet|scheduled|unauthorized|not_allowed|disabled/,
    'precondition_failed',
    'The vehicle does not allow this now',
  ],
];

function refusedByVehicle(word: string): Refused {
  const [, code, sentence] = vehicleWords.find(([pattern]) => pattern.test(word)) ?? unlisted;
  if (sentence.endsWith('.')) return refusal(code, sentence);
  const own = word.replaceAll('_', ' ');
  return refusal(code, own === '' ? `${sentence}.` : `${sentence}: ${own}.`);
}

function outcomeOfFailure(failure: Failure): CommandOutcome {
  const { detail } = failure;
  const refused = (part: Refused): Refusal => ({ ...part, reason: detail });
  switch (failure.kind) {
    case 'held_back':
      return refused(ofHeldBack(failure));
    case 'asleep':
      // A time-out in the vehicle's name may have come after the command.
      if (/timeout/i.test(detail ?? ''))
        return { kind: 'unknown', reason: 'The vehicle did not answer in time.' };
      return refused(
        refusal('vehicle_unavailable', 'The vehicle is asleep or offline.', 'when_awake'),
      );
    case 'unauthorized':
      return refused(
        failure.retry === 'with_fresh_token'
          ? refusal('maker_error', 'The maker did not take the access token.', 'with_fresh_token')
          : refusal(
              'maker_error',
              'The maker wants the person to sign in again: link the maker account anew.',
            ),
      );
    case 'forbidden':
      return refused(ofForbidden(failure));
    case 'not_found':
      return refused(
        refusal('maker_error', 'The maker does not know the vehicle, or the account lost it.'),
      );
    case 'in_service':
      return refused(refusal('precondition_failed', 'The vehicle is in service.', 'later'));
    case 'out_of_region':
      return refused(refusal('maker_error', 'The maker keeps the account in another region.'));
    case 'rate_limited':
      return refused({
        ...refusal('maker_rate_limited', 'The maker takes no more commands for now.', 'after'),
        retryAfterMs: failure.retryAfterMs,
      });
    case 'rejected':
      return refused(
        failure.status === 412
          ? refusal('precondition_failed', 'The maker says that something stands against it.')
          : refusal('maker_error', 'The maker did not take the command.'),
      );
    case 'upstream':
      if (/not been paired|key not paired/i.test(detail ?? ''))
        return refused(
          refusal('precondition_failed', 'The service’s key is not paired with the vehicle.'),
        );
      return { kind: 'unknown', reason: detail ?? `The maker answered ${failure.status}.` };
    case 'closed':
      if (isNeverSent(failure.code))
        return refused(refusal('maker_unavailable', 'The maker cannot be reached.', 'later'));
      return { kind: 'unknown', reason: 'The connection broke off.' };
    case 'timeout':
      return { kind: 'unknown', reason: 'The maker did not answer in time.' };
    case 'malformed':
      return { kind: 'unknown', reason: 'The answer could not be read.' };
  }
}

function ofHeldBack({ reason, retryAfterMs }: HeldBack): Refused {
  switch (reason) {
    case 'budget':
      return refusal(
        'budget_exhausted',
        'The budget of the vehicle or of its maker account is used up.',
      );
    case 'rate': {
      const message = 'The maker’s limits leave no room for a command now.';
      return { ...refusal('maker_rate_limited', message, 'after'), retryAfterMs };
    }
    case 'too_late':
      return refusal(
        'vehicle_unavailable',
        'It was too late to send it; nothing was sent.',
        'later',
      );
    case 'ledger':
      return refusal('service_unavailable', 'What it costs could not be noted.', 'later');
  }
}

const setUpSigning =
  'The vehicle takes signed commands only: run the maker’s signing proxy, set ODOGRAPH_COMMAND_PROXY_URL to its address and pair its key with the vehicle.';

function ofForbidden({ reason, retryAfterMs }: Forbidden): Refused {
  switch (reason) {
    case 'protocol_required':
      return { ...refusal('precondition_failed', setUpSigning), protocolRequired: true };
    case 'missing_scopes':
      return refusal(
        'precondition_failed',
        'The maker account does not allow commands: link it anew and grant them.',
      );
    case 'exceeded_limit':
      return {
        ...refusal('maker_rate_limited', 'The maker’s limit is used up.', 'after'),
        retryAfterMs,
      };
    case 'unsupported_vehicle':
      return refusal(
        'unsupported_by_vehicle',
        'The maker does not offer commands for this vehicle.',
      );
    case 'payment_required':
      return refusal('maker_error', 'The maker wants to be paid before it takes more commands.');
    default:
      return refusal('maker_error', 'The maker forbids the command.');
  }
}
