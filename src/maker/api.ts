import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/units.ts';
import type { CallCategory } from '../contract/spend.ts';
import { type Answer, type Failure, malformed } from './answer.ts';
import { everySession, type HistoryWish } from './charging-history.ts';
import { failureOf } from './classify.ts';
import { exchange } from './exchange.ts';
import type { CallGate } from './gate.ts';
import { isObject, parsedJson } from './json.ts';
import { finiteNumber } from './readers.ts';
import type { DataEndpoint } from './wire.ts';

/** What a client of the vehicle API is made of. */
export type ApiOptions = {
  /** Where the API answers, such as the base URL of a region; a path in it is kept. */
  baseUrl: string;
  /** The access token for the next request, or null where there is none; what it throws is not caught. */
  token: () => Promise<string | null>;
  clock: Clock;
  /** Time limit of one request [ms]; 10 s unless given. */
  timeoutMs?: number;
  /** Largest answer that is read [bytes]; 10 MiB unless given. */
  maxBytes?: number;
  /** Ends every request under way when it is aborted. */
  signal?: AbortSignal;
  /** Asked as the last thing before anything is sent: whether it still may be. */
  maySend?: () => boolean;
  /** What every billed call passes; without one there are none. */
  gate?: CallGate;
};

/** The maker's API; an answer's value is what stood under `response`, not read any further. */
export type MakerApi = {
  /** Every vehicle of the account, over all pages; a failure on any page is the failure of the list. */
  listVehicles: () => Promise<Answer<readonly unknown[]>>;
  /** One item of the list; free, and leaves a sleeping vehicle asleep (maker.md §1.4). */
  vehicle: (vin: string) => Promise<Answer<unknown>>;
  /** The named sections; keeps the vehicle awake and is billed. */
  vehicleData: (vin: string, endpoints: readonly DataEndpoint[]) => Promise<Answer<unknown>>;
  /** Asks the vehicle to wake; the list item it answers is often still asleep (maker.md §1.8). */
  wakeUp: (vin: string) => Promise<Answer<unknown>>;
  /** What the vehicle warned of lately (maker.md §1.4); billed. */
  recentAlerts: (vin: string) => Promise<Answer<unknown>>;
  /** Who may drive the vehicle beside its owner, whom alone the maker tells; a list, and billed. */
  drivers: (vin: string) => Promise<Answer<unknown>>;
  /** What charging at the maker's fast chargers cost, over all pages, as items for `sessionsIn`; not billed. */
  chargingHistory: (wish: HistoryWish) => Promise<Answer<readonly unknown[]>>;
  /** Which keys are on the vehicles, and what they ask of them; at most 100 VINs. */
  fleetStatus: (vins: readonly string[]) => Promise<Answer<unknown>>;
  /** Which region holds the account (maker.md §1.1). */
  region: () => Promise<Answer<unknown>>;
  /** The account's holder; needs a scope of its own. */
  me: () => Promise<Answer<unknown>>;
  /** Registers the application's domain in the region, with a token of its own. */
  registerDomain: (domain: string) => Promise<Answer<unknown>>;
  /** The public key that the region holds for a domain; for `isSameKey` to compare. */
  domainKey: (domain: string) => Promise<Answer<unknown>>;
  /** What vehicles reported lately of their telemetry, with a token of the application itself. */
  telemetryErrors: () => Promise<Answer<unknown>>;
  /** Tells vehicles what to stream and where; only the maker's signing proxy takes it (maker.md §1.9). */
  tellTelemetry: (wish: { vins: readonly string[]; config: object }) => Promise<Answer<unknown>>;
  /** What a vehicle is told to stream, and whether it does. */
  telemetry: (vin: string) => Promise<Answer<unknown>>;
  /** Tells a vehicle to stream no longer. */
  endTelemetry: (vin: string) => Promise<Answer<unknown>>;
  /** Sends one command; whether it happened is for `command-outcome.ts` to tell. */
  command: (
    vin: string,
    name: string,
    body: Readonly<Record<string, unknown>>,
  ) => Promise<Answer<unknown>>;
};

const defaultTimeoutMs = 10 * SECOND_MS;
const defaultMaxBytes = 10 * 1024 * 1024;
const perPage = 100;
const mostPages = 100;

/** A client of the vehicle API at one base URL for one account; it never retries and never logs. */
export function makerApi(options: ApiOptions): MakerApi {
  const pathOf = (vin: string) => `/api/1/vehicles/${encodeURIComponent(vin)}`;
  return {
    listVehicles: () => everyPage(options),
    vehicle: (vin) => single(options, 'GET', pathOf(vin)),
    vehicleData: (vin, endpoints) => {
      // The separator is the semicolon; with commas the maker answers no section at all.
      const query = `endpoints=${encodeURIComponent(endpoints.join(';'))}`;
      const path = `${pathOf(vin)}/vehicle_data?${query}`;
      return billed(options, 'DATA', () => single(options, 'GET', path));
    },
    wakeUp: (vin) =>
      billed(options, 'WAKE', () => single(options, 'POST', `${pathOf(vin)}/wake_up`)),
    recentAlerts: (vin) =>
      billed(options, 'DATA', () => single(options, 'GET', `${pathOf(vin)}/recent_alerts`)),
    drivers: (vin) =>
      billed(options, 'DATA', () => whole(options, 'GET', `${pathOf(vin)}/drivers`)),
    chargingHistory: (wish) => everySession((path) => call(options, 'GET', path), wish),
    fleetStatus: (vins) => single(options, 'POST', '/api/1/vehicles/fleet_status', { vins }),
    region: () => single(options, 'GET', '/api/1/users/region'),
    me: () => single(options, 'GET', '/api/1/users/me'),
    registerDomain: (domain) => single(options, 'POST', '/api/1/partner_accounts', { domain }),
    domainKey: (domain) => {
      const query = `domain=${encodeURIComponent(domain)}`;
      return single(options, 'GET', `/api/1/partner_accounts/public_key?${query}`);
    },
    telemetryErrors: () => whole(options, 'GET', '/api/1/partner_accounts/fleet_telemetry_errors'),
    tellTelemetry: (wish) =>
      single(options, 'POST', '/api/1/vehicles/fleet_telemetry_config', wish),
    telemetry: (vin) => single(options, 'GET', `${pathOf(vin)}/fleet_telemetry_config`),
    endTelemetry: (vin) => single(options, 'DELETE', `${pathOf(vin)}/fleet_telemetry_config`),
    command: (vin, name, body) => {
      const path = `${pathOf(vin)}/command/${encodeURIComponent(name)}`;
      return billed(options, 'COMMAND', () => single(options, 'POST', path, body));
    },
  };
}

/** Makes a billed call where the gate lets it pass. */
async function billed(
  { gate }: ApiOptions,
  category: CallCategory,
  make: () => Promise<Answer<unknown>>,
): Promise<Answer<unknown>> {
  if (gate === undefined) throw new Error('This way to the maker makes no billed calls.');
  const leave = await gate(category);
  if (leave.kind === 'held_back') return leave;
  // Where not even a token came nothing was sent.
  let answer: Answer<unknown> = withoutToken;
  try {
    answer = await make();
  } finally {
    await leave.settle(answer);
  }
  return answer;
}

type Envelope = { kind: 'ok'; status: number; value: Readonly<Record<string, unknown>> };

type Method = 'GET' | 'POST' | 'DELETE';

/** An answer that has to be an object. */
async function single(
  options: ApiOptions,
  method: Method,
  path: string,
  body: object = {},
): Promise<Answer<unknown>> {
  const answer = await whole(options, method, path, body);
  if (answer.kind !== 'ok' || isObject(answer.value)) return answer;
  return malformed('no_response', answer.status);
}

async function whole(
  options: ApiOptions,
  method: Method,
  path: string,
  body: object = {},
): Promise<Answer<unknown>> {
  const answer = await call(options, method, path, body);
  if (answer.kind !== 'ok') return answer;
  return { kind: 'ok', status: answer.status, value: answer.value.response };
}

async function everyPage(options: ApiOptions): Promise<Answer<readonly unknown[]>> {
  const vehicles: unknown[] = [];
  let page = 1;
  for (let count = 0; count < mostPages; count += 1) {
    const answer = await call(options, 'GET', `/api/1/vehicles?page=${page}&per_page=${perPage}`);
    if (answer.kind !== 'ok') return answer;
    const { response, pagination } = answer.value;
    if (!Array.isArray(response)) return malformed('no_response', answer.status);
    for (const item of response) vehicles.push(item);
    const next = isObject(pagination) ? finiteNumber(pagination.next) : undefined;
    // A page that is not further on would be read for ever.
    if (next === undefined || next <= page) {
      return { kind: 'ok', status: answer.status, value: vehicles };
    }
    page = next;
  }
  return malformed('endless', null);
}

async function call(
  { baseUrl, token, clock, timeoutMs, maxBytes, signal, maySend }: ApiOptions,
  method: Method,
  path: string,
  sent: object = {},
): Promise<Envelope | Failure> {
  const bearer = await token();
  if (bearer === null) return withoutToken;
  if (maySend?.() === false) return tooLate;
  const answer = await exchange(
    `${baseUrl.replace(/\/+$/, '')}${path}`,
    {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${bearer}`,
        // The maker answers 406 without it, on reads too (maker.md §1.6).
        'content-type': 'application/json',
        'user-agent': 'odograph',
      },
      body: method === 'POST' ? JSON.stringify(sent) : undefined,
    },
    {
      timeoutMs: timeoutMs ?? defaultTimeoutMs,
      maxBytes: maxBytes ?? defaultMaxBytes,
      signal,
    },
  );
  if (answer.kind === 'timeout') {
    return { kind: 'timeout', status: null, detail: null, retry: 'backoff' };
  }
  if (answer.kind === 'closed') {
    return { kind: 'closed', code: answer.code, status: null, detail: null, retry: 'backoff' };
  }
  if (answer.kind === 'too_large') return malformed('too_large', answer.status);
  const { status, headers, body } = answer;
  const json = parsedJson(body);
  const refused = { status, headers, json, body, baseUrl, token: bearer, now: clock() };
  if (status >= 400) return failureOf(refused);
  if (status >= 300) return malformed('redirected', status);
  if (!isObject(json)) return malformed('not_json', status);
  const saysError = typeof json.error === 'string' && json.error !== '';
  // A failure can come as a success with an empty response (observed with the maker's command proxy).
  if (saysError && (json.response ?? null) === null) return failureOf(refused);
  return { kind: 'ok', status, value: json };
}

const tooLate: Failure = {
  kind: 'held_back',
  reason: 'too_late',
  retryAfterMs: 0,
  status: null,
  detail: null,
  retry: 'after',
};

const withoutToken: Failure = {
  kind: 'unauthorized',
  reason: 'no_token',
  status: null,
  detail: null,
  retry: 'with_fresh_token',
};
