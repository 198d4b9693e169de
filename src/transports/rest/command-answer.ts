import { type ErrorCode, errorTable, ServiceError } from '../../base/errors.ts';
import { SECOND_MS } from '../../base/units.ts';
import { commandStates } from '../../contract/command-states.ts';
import type { Endpoint } from './endpoint.ts';
import { told, valueAt } from './telling.ts';

/** An answer with a status of its own. */
export type CommandAnswer = { status: number; body: object; headers: Record<string, string> };

type Asked = {
  endpoint: Endpoint;
  data: unknown;
  requestId: string;
  path: string;
  /** The present (epoch ms). */
  at: number;
};

function isErrorCode(word: unknown): word is ErrorCode {
  return typeof word === 'string' && Object.hasOwn(errorTable, word);
}

function isUnderWay(state: unknown): boolean {
  return Object.entries(commandStates).some(([name, { ends }]) => name === state && !ends);
}

/** When to ask again after a limit of the maker that did not say [s]. */
const UNSAID_S = 60;

/** When asking again may help [s], of a command that failed; null where nobody said. */
function retryAfterOf(command: unknown, at: number): number | null {
  const retryAt = valueAt(command, ['failure', 'retryAt']);
  if (typeof retryAt !== 'string' && !(retryAt instanceof Date)) return null;
  return Math.max(1, Math.ceil((new Date(retryAt).getTime() - at) / SECOND_MS));
}

/** Why a command without a failure ended: it was taken back, by whom its last step says. */
function lastNoteOf(command: unknown): string {
  const history = valueAt(command, ['history']);
  const note = valueAt(Array.isArray(history) ? history.at(-1) : null, ['note']);
  return typeof note === 'string' ? note : 'The command was taken back.';
}

function retryHeader(seconds: number | null): Record<string, string> {
  return seconds === null ? {} : { 'Retry-After': String(seconds) };
}

/** The command in the words of REST, with the status of what became of it (contract §0). */
export function commandAnswer({ endpoint, data, requestId, path, at: now }: Asked): CommandAnswer {
  const { answer, at, route } = endpoint;
  const command = valueAt(data, at);
  const response = told(answer, command);
  const state = valueAt(command, ['state']);
  const headers = headersOf(data, at);
  if (isUnderWay(state)) {
    return {
      status: 202,
      body: { code: 202, response },
      headers: { ...headers, Location: placeOf(command, path) },
    };
  }
  const taken = state === 'CANCELLED' && route.method === 'DELETE';
  if (state === 'SUCCEEDED' || taken)
    return { status: 200, body: { code: 200, response }, headers };
  const code = valueAt(command, ['failure', 'code']);
  const word: ErrorCode = isErrorCode(code) ? code : 'command_in_progress';
  const { status, resolution } = errorTable[word];
  const message = valueAt(command, ['failure', 'message']);
  const retryAfterS = retryAfterOf(command, now) ?? (status === 429 ? UNSAID_S : null);
  return {
    status,
    headers: { ...headers, ...retryHeader(retryAfterS) },
    body: {
      code: status,
      response,
      error: word,
      error_description: typeof message === 'string' ? message : lastNoteOf(command),
      messages: null,
      request_id: requestId,
      retry_after_s: retryAfterS,
      resolution,
      docs: null,
    },
  };
}

/** Where a command that was asked for at a path is read. */
function placeOf(command: unknown, path: string): string {
  const vehicle = path.replace(/\/((fleet\/)?command\/[^/]+|wake|wakeup|commands\/[^/]+)$/, '');
  return `${vehicle}/commands/${String(valueAt(command, ['id']))}`;
}

function headersOf(data: unknown, at: readonly string[]): Record<string, string> {
  const payload = valueAt(data, at.slice(0, -1));
  const replayed = valueAt(payload, ['replayed']) === true;
  const remaining = valueAt(payload, ['budgetRemaining']);
  const hasPayload = at.length > 1;
  return {
    'X-Upstream-Cost': costHeader(valueAt(data, [...at, 'cost'])),
    ...(hasPayload ? { 'X-Upstream-Budget-Remaining': String(remaining ?? 'unlimited') } : {}),
    ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}),
  };
}

/** What a command took at the maker so far, as a dictionary of RFC 8941: `command=1, wake=1`; `0` where it took nothing. */
function costHeader(cost: unknown): string {
  const parts = (Array.isArray(cost) ? cost : []).map((one) => {
    const category = String(valueAt(one, ['category'])).toLowerCase();
    return `${category}=${valueAt(one, ['units'])}`;
  });
  return parts.length === 0 ? '0' : parts.join(', ');
}

/** The command as the maker's own interface would have answered it (contract §11, maker.md §1.9). */
export function makerAnswer({ endpoint: { at }, data, path, at: now }: Asked): CommandAnswer {
  const command = valueAt(data, at);
  const headers = headersOf(data, at);
  const { makerResult, makerReason } = pick(valueAt(command, ['result']));
  const state = valueAt(command, ['state']);
  if (makerResult !== null || state === 'SUCCEEDED') {
    const response = { result: makerResult ?? true, reason: makerReason ?? '' };
    return { status: 200, body: { response, error: '', error_description: '' }, headers };
  }
  // A failure would have it sent a second time.
  if (isUnderWay(state)) {
    const response = { result: false, reason: 'in progress' };
    return {
      status: 202,
      body: { response, error: '', error_description: '' },
      headers: { ...headers, Location: placeOf(command, path) },
    };
  }
  const { code, message, reason } = pickFailure(valueAt(command, ['failure']));
  const word = code ?? 'maker_timeout';
  const failed = { status: errorTable[word].status, error: reason ?? word };
  return makerFailure(failed, message, { ...headers, ...retryHeader(retryAfterOf(command, now)) });
}

function pick(result: unknown) {
  const makerResult = valueAt(result, ['makerResult']);
  const makerReason = valueAt(result, ['makerReason']);
  return {
    makerResult: typeof makerResult === 'boolean' ? makerResult : null,
    makerReason: typeof makerReason === 'string' ? makerReason : null,
  };
}

function pickFailure(failure: unknown) {
  const code = valueAt(failure, ['code']);
  const message = valueAt(failure, ['message']);
  const reason = valueAt(failure, ['makerReason']);
  return {
    code: isErrorCode(code) ? code : null,
    message: typeof message === 'string' ? message : '',
    reason: typeof reason === 'string' ? reason : null,
  };
}

function makerFailure(
  { status, error }: { status: number; error: string },
  description: string,
  headers: CommandAnswer['headers'] = {},
): CommandAnswer {
  return { status, body: { response: null, error, error_description: description }, headers };
}

/** What a request was refused with, as the maker's interface says it; null for what is no word to a caller. */
export function makerRefusal(thrown: unknown): CommandAnswer | null {
  if (!(thrown instanceof ServiceError) || thrown.status >= 500) return null;
  const { status, code, message, retryAfterS } = thrown;
  if (code === 'invalid_command') return makerFailure({ status, error: code }, '');
  if (code !== 'validation_failed')
    return makerFailure({ status, error: code }, message, retryHeader(retryAfterS));
  const response = { result: false, reason: message };
  return { status: 400, body: { response, error: '', error_description: '' }, headers: {} };
}
