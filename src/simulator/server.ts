import { createServer, type Server } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { allowance } from './allowance.ts';
import { advance } from './car.ts';
import { consentDesk } from './consent.ts';
import type { Desk } from './exchange.ts';
import { type CallKind, type Fault, type FaultKind, faultBoard } from './faults.ts';
import { answering } from './http.ts';
import type { WakeTime } from './maker-call.ts';
import type { Notice } from './notices.ts';
import { randomOf } from './random.ts';
import type { Car } from './state.ts';
import type { TelemetryDesk } from './telemetry-config.ts';
import { type TokenPair, tokenDesk } from './tokens.ts';
import type { ToldCommand } from './told.ts';

const REQUEST_TIMEOUT_MS = 10_000;

const allScopes = [
  'openid',
  'offline_access',
  'user_data',
  'vehicle_device_data',
  'vehicle_location',
  'vehicle_cmds',
  'vehicle_charging_cmds',
] as const;

export type SimulatorOptions = {
  /** Cars as they are now: brought up to the present by `recordGarage` or `advance`. */
  cars: readonly Car[];
  clock: Clock;
  /** The same seed accepts the tokens of an earlier process. */
  seed: string;
  /** 0, the default, takes any free port of 127.0.0.1. */
  port?: number;
  /** Simulated seconds in a second of `clock`; 1 by default. */
  speed?: number;
  /** Simulated time at which the simulator starts, epoch ms; the clock's time by default. */
  startsAtMs?: number;
  /** How long a wake-up takes in simulated ms, or `never`; 10 to 30 s by default (maker.md §1.8). */
  wakeTime?: WakeTime;
  region?: 'NA' | 'EU' | 'CN';
  /** How long a refresh token that was used last may be used again, ms; 0 by default. */
  refreshGraceMs?: number;
  /** Called with every command that a car took. */
  onCommand?: (car: Car, told: ToldCommand) => void;
  /** Data calls per minute and car above which the answer is 429; unlimited by default. */
  dataPerMinute?: number;
};

/** A simulated account's wish for tokens: all scopes and all cars unless it says which. */
type AccountSeed = { subject: string; scopes?: readonly string[]; vins?: readonly string[] };

/** A running stand-in for the maker, and what a test or an operator can do to it. */
export type Simulator = {
  baseUrl: string;
  authorizeUrl: string;
  tokenUrl: string;
  /** Simulated time, epoch ms: the clock, made faster by `speed`. */
  now: Clock;
  cars: readonly Car[];
  /** Moves the cars on to simulated now, as every call does by itself. */
  advance: () => void;
  seedTokens: (account: AccountSeed) => TokenPair;
  /** Who sits before the consent page from now on, and which scopes they give; `garage` and all scopes by default. */
  signIn: (account: AccountSeed) => void;
  /** Secret that a client has to bring with a code from now on; none by default. */
  requireSecret: (secret: string | null) => void;
  /** Puts the service's key on a car, as its owner does with the maker's application. */
  pairKey: (vin: string) => void;
  /** Whether a car charges at fast chargers for nothing, those that it has behind it included. */
  chargeFree: (vin: string, free: boolean) => void;
  /** Skips a car when it is told to stream, for a reason of the maker such as `max_configs`. */
  refuseTelemetry: (vin: string, reason: string) => void;
  /** Has a car report of its telemetry. */
  reportTelemetry: (report: { name: string; error: string; vin: string }) => void;
  /** Answers for a domain from here on: where the stand-in fetches an application's public key. */
  answerDomain: (domain: string, origin: string) => void;
  /** What a car warns of from now on, beside what it warns of by itself. */
  warn: (vin: string, notices: readonly Notice[]) => void;
  fault: (fault: Fault) => void;
  clearFaults: (kind?: FaultKind) => void;
  setWakeTime: (wakeTime: WakeTime) => void;
  /** Calls received so far, by kind. */
  calls: Readonly<Record<CallKind, number>>;
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

function deskOf(options: SimulatorOptions, now: Clock, baseUrl: () => string): Desk {
  const { cars, clock, seed, region = 'EU' } = options;
  const garage = {
    cars,
    faults: faultBoard(),
    random: randomOf(seed, 'wake'),
    wakeTime: options.wakeTime ?? null,
    vinsOf: new Map<string, readonly string[]>(),
    keyedVins: new Set<string>(),
    freeVins: new Set<string>(),
    onCommand: options.onCommand ?? (() => {}),
    baseUrl,
    region,
    telemetry: { told: new Map(), refusals: new Map(), errors: [] } satisfies TelemetryDesk,
    partners: { keys: new Map<string, string>(), origins: new Map<string, string>() },
    notices: new Map<string, readonly Notice[]>(),
  };
  const tokens = tokenDesk({
    seed,
    clock,
    audience: baseUrl,
    region,
    graceMs: options.refreshGraceMs,
  });
  return {
    garage,
    tokens,
    consent: consentDesk({ tokens, clock, region }),
    now,
    calls: {
      list: 0,
      item: 0,
      data: 0,
      particulars: 0,
      wake: 0,
      command: 0,
      charging: 0,
      user: 0,
      fleet: 0,
      partner: 0,
      authorize: 0,
      token: 0,
      status: 0,
    },
    countData: allowance(clock, options.dataPerMinute ?? null),
    lastData: new Map(),
  };
}

async function listening(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
}

/** What a test or an operator can do to the stand-in while it runs. */
function controlsOf(desk: Desk) {
  const { garage, tokens, calls } = desk;
  return {
    cars: garage.cars,
    calls,
    warn: (vin: string, notices: readonly Notice[]) => void garage.notices.set(vin, notices),
    fault: garage.faults.set,
    clearFaults: garage.faults.clear,
    setWakeTime: (wakeTime: WakeTime) => {
      garage.wakeTime = wakeTime;
    },
    signIn: ({ subject, scopes = allScopes, vins }: AccountSeed) => {
      if (vins !== undefined) garage.vinsOf.set(subject, vins);
      desk.consent.signIn({ subject, scopes });
    },
    requireSecret: desk.consent.requireSecret,
    pairKey: (vin: string) => {
      garage.keyedVins.add(vin);
    },
    chargeFree: (vin: string, free: boolean) => {
      if (free) garage.freeVins.add(vin);
      else garage.freeVins.delete(vin);
    },
    refuseTelemetry: (vin: string, reason: string) => {
      garage.telemetry.refusals.set(vin, reason);
    },
    reportTelemetry: (report: { name: string; error: string; vin: string }) => {
      garage.telemetry.errors.push(report);
    },
    answerDomain: (domain: string, origin: string) => {
      garage.partners.origins.set(domain, origin);
    },
    seedTokens: ({ subject, scopes = allScopes, vins }: AccountSeed) => {
      if (vins !== undefined) garage.vinsOf.set(subject, vins);
      return tokens.issue({ subject, scopes });
    },
  };
}

/** Starts the stand-in on 127.0.0.1; rejects when the port is taken. Delays of faults pass in real time. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { cars, clock, speed = 1 } = options;
  const startedAtMs = clock();
  const startsAtMs = options.startsAtMs ?? startedAtMs;
  const now = () => startsAtMs + (clock() - startedAtMs) * speed;
  const advanceAll = () => {
    for (const car of cars) advance(car, now());
  };
  let baseUrl = '';
  const desk = deskOf(options, now, () => baseUrl);
  const pending = new Set<NodeJS.Timeout>();
  const answer = answering(desk, advanceAll, pending);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    // A request that breaks off half-way has nobody left to answer.
    answer(request, response).catch(() => response.destroy());
  });
  baseUrl = await listening(server, options.port ?? 0);
  const close = async () => {
    for (const timer of pending) clearTimeout(timer);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  const tokenUrl = `${baseUrl}/oauth2/v3/token`;
  const controls = controlsOf(desk);
  return {
    baseUrl,
    authorizeUrl: `${baseUrl}/oauth2/v3/authorize`,
    tokenUrl,
    now,
    advance: advanceAll,
    ...controls,
    close,
    [Symbol.asyncDispose]: close,
  };
}
