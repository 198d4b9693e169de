import type { Link } from './answer.ts';
import { failure, type Reply } from './reply.ts';

/** The calls that the maker tells apart. */
export type CallKind =
  | 'list'
  | 'item'
  | 'data'
  | 'particulars'
  | 'wake'
  | 'command'
  | 'charging'
  | 'user'
  | 'fleet'
  | 'partner'
  | 'authorize'
  | 'token'
  | 'status';

/** A switched-on fault: of one car or of all, on its usual calls or on those given, for `times` calls or until cleared. */
export type Fault = {
  kind: FaultKind;
  vin?: string;
  on?: readonly CallKind[];
  times?: number;
  retryAfterS?: number;
  delayMs?: number;
  /** The car's words, where it refuses a command. */
  reason?: string;
  /** Base address that the maker names when it says that the account lives elsewhere. */
  regionUrl?: string;
};

/**
 * What a fault does to a call: answers in its place, delays it, never answers, or spoils the true answer.
 *
 * `lost` does the work and then closes the connection: a refresh token is spent and its successor never arrives; `failed`
 * does the work and then answers 500.
 */
export type Effect = {
  reply?: Reply;
  delayMs?: number;
  hang?: boolean;
  spoil?: 'cut' | 'lost' | 'failed' | 'stale' | 'hollow';
};

type Row = { on: readonly CallKind[]; effect: (fault: Fault) => Effect };

const calls = [
  'list',
  'item',
  'data',
  'particulars',
  'wake',
  'command',
  'charging',
  'user',
  'fleet',
  'partner',
] as const satisfies CallKind[];
const ofOneCar = ['item', 'data', 'particulars', 'wake', 'command'] as const satisfies CallKind[];

export const UNAVAILABLE = 'vehicle unavailable: vehicle is offline or asleep';

const answers = (on: readonly CallKind[], reply: (fault: Fault) => Reply): Row => ({
  on,
  effect: (fault) => ({ reply: reply(fault) }),
});

const spoils = (on: readonly CallKind[], spoil: NonNullable<Effect['spoil']>): Row => ({
  on,
  effect: () => ({ spoil }),
});

function rateLimited(fault: Fault): Reply {
  const seconds = String(fault.retryAfterS ?? 30);
  const headers = {
    'retry-after': seconds,
    'ratelimit-remaining': '0',
    'ratelimit-reset': seconds,
  };
  return failure(429, `Retry in ${seconds} seconds`, headers);
}

function elsewhere(fault: Fault): Reply {
  const url = fault.regionUrl ?? 'https://fleet-api.example.invalid';
  const host = URL.canParse(url) ? new URL(url).host : url;
  const error = `user out of region, use base URL: ${url}, see https://developer.example.invalid`;
  return failure(421, error, { 'alt-svc': `h2="${host}"` });
}

const PROTOCOL_REQUIRED =
  'Tesla Vehicle Command Protocol required, please refer to the documentation here: https://developer.example.invalid';

function refused(fault: Fault): Reply {
  const response = { result: false, reason: fault.reason ?? 'DISABLED_FOR_USER_COMMAND' };
  return { status: 200, body: { response, error: '', error_description: '' } };
}

/** Every fault the stand-in knows: the calls it usually hits, and what it does to them (maker.md §1.6, §1.11). */
const faultTable = {
  asleep: answers(['data', 'command'], () => failure(408, UNAVAILABLE)),
  offline: answers(['data', 'command'], () => failure(408, UNAVAILABLE)),
  timeout: answers(['data'], () => ({ status: 408, body: { error: 'timeout' } })),
  rate_limited: answers(calls, rateLimited),
  exceeded_limit: answers(calls, () => failure(403, 'account disabled: EXCEEDED_LIMIT')),
  payment_required: answers(calls, () => failure(402, 'payment required')),
  token_expired: answers(calls, () => failure(401, 'token expired (401)')),
  login_required: answers(['token'], () => ({ status: 401, body: { error: 'login_required' } })),
  out_of_region: answers(calls, elsewhere),
  account_locked: answers(calls, () => failure(423, 'locked')),
  missing_scopes: answers(calls, () => failure(403, 'Unauthorized missing scopes')),
  in_service: answers(['data', 'wake', 'command'], () =>
    failure(405, 'vehicle is currently in service'),
  ),
  not_found: answers(ofOneCar, () => failure(404, 'not_found')),
  refused: answers(['command'], refused),
  protocol_required: answers(['command'], () => failure(403, PROTOCOL_REQUIRED)),
  sold: answers(ofOneCar, () => failure(404, 'not_found')),
  upstream_error: answers(calls, () => failure(500, 'upstream internal error')),
  unavailable: answers(calls, () => ({ status: 503, body: null })),
  slow: { on: calls, effect: (fault) => ({ delayMs: fault.delayMs ?? 5_000 }) },
  hang: { on: calls, effect: () => ({ hang: true }) },
  malformed: spoils(['list', 'item', 'data'], 'cut'),
  closed: spoils(calls, 'lost'),
  token_lost: spoils(['token'], 'lost'),
  token_failed: spoils(['token'], 'failed'),
  token_unavailable: answers(['token'], () => ({ status: 503, body: null })),
  invalid_grant: answers(['token'], () => ({ status: 400, body: { error: 'invalid_grant' } })),
  stale: spoils(['data'], 'stale'),
  hollow: spoils(['data'], 'hollow'),
} as const satisfies Record<string, Row>;

export type FaultKind = keyof typeof faultTable;

/** What the list says of a car while a fault holds it. */
const linkUnder: Partial<Record<FaultKind, Link>> = { asleep: 'asleep', offline: 'offline' };

/** The faults switched on at a stand-in. */
export type FaultBoard = {
  set: (fault: Fault) => void;
  /** Switches off all faults, or those of one kind. */
  clear: (kind?: FaultKind) => void;
  /** The effects on one call; counts down the faults that hit it. */
  hit: (call: CallKind, vin: string | null) => Effect[];
  /** What the list says of a car, where a fault decides it. */
  link: (vin: string) => Link | null;
  has: (kind: FaultKind, vin: string) => boolean;
};

/** A board without faults. */
export function faultBoard(): FaultBoard {
  let faults: Fault[] = [];
  const concerns = (fault: Fault, vin: string | null) =>
    fault.vin === undefined || fault.vin === vin;
  return {
    set: (fault) => {
      faults.push({ ...fault });
    },
    clear: (kind) => {
      faults = kind === undefined ? [] : faults.filter((fault) => fault.kind !== kind);
    },
    hit: (call, vin) => {
      const hitting = faults.filter((fault) => {
        const on: readonly CallKind[] = fault.on ?? faultTable[fault.kind].on;
        return concerns(fault, vin) && on.includes(call);
      });
      for (const fault of hitting) if (fault.times !== undefined) fault.times -= 1;
      faults = faults.filter((fault) => fault.times === undefined || fault.times > 0);
      return hitting.map((fault) => faultTable[fault.kind].effect(fault));
    },
    link: (vin) => {
      const fault = faults.find((each) => linkUnder[each.kind] && concerns(each, vin));
      return fault === undefined ? null : (linkUnder[fault.kind] ?? null);
    },
    has: (kind, vin) => faults.some((fault) => fault.kind === kind && concerns(fault, vin)),
  };
}
