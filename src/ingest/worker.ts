import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import type { Vault } from '../base/vault.ts';
import type { Failure } from '../maker/answer.ts';
import { type MakerApi, makerApi } from '../maker/api.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { afterTurn } from './account-turns.ts';
import { type Backlog, backlogOf, type IngestCounts, type IngestLog } from './backlog.ts';
import { type Bell, bellUnder } from './bell.ts';
import { cadenceOf, garageProfile, makerProfile } from './cadence.ts';
import { lookAt } from './poll.ts';
import type { Recorder } from './record-answers.ts';
import type { TokenEndpoint } from './renewal.ts';
import type { MakerSession } from './session.ts';
import { type MakerSessions, makerSessions } from './sessions.ts';
import { initialState, type MachineState } from './state.ts';

const LONGEST_PAUSE_MS = 15 * MINUTE_MS;
/** Pause after a limit that comes without a time (maker.md §1.6, EXCEEDED_LIMIT). */
const LIMIT_PAUSE_MS = 15 * MINUTE_MS;
/** How often linked accounts and vehicles are looked up anew. */
const ROSTER_MS = 30 * SECOND_MS;

export type IngestParts = {
  prisma: PrismaClient;
  vault: Vault;
  clock: Clock;
  log: IngestLog;
  /** Where a maker's accounts sign in; null for a maker that is not configured, whose vehicles are left alone. */
  tokenEndpoint: (maker: string) => TokenEndpoint | null;
  /** Sessions that the process shares with others who ask the maker; its own unless given. */
  sessions?: MakerSessions;
  /** Writes what the maker answers to looks at vehicles; nothing is written unless given. */
  record?: Recorder | undefined;
};

export type Ingest = {
  counts: IngestCounts;
  /** Looks for accounts and vehicles that have come or gone now, and not only at the next turn. */
  lookAgain: () => void;
  close: () => Promise<void>;
};

type Followed = {
  id: string;
  vin: string;
  accountId: string;
  simulated: boolean;
  makerAccount: { id: string; maker: string; baseUrl: string };
};

type Following = { vehicle: Followed; ended: Promise<void>; stop: AbortController };

/** Follows every logged vehicle of every active maker account until it is closed. */
export function startIngest(parts: IngestParts): Ingest {
  const stop = new AbortController();
  const counts: IngestCounts = { polls: 0, failures: 0, events: 0, dropped: 0, refused: 0 };
  const { prisma, vault, clock } = parts;
  const sessions = parts.sessions ?? makerSessions({ prisma, vault, clock, signal: stop.signal });
  const following = new Map<string, Following>();
  const bell = bellUnder(stop.signal);
  const roster = keepRoster({ ...parts, stop: stop.signal, bell, counts, sessions, following });
  return {
    counts,
    lookAgain: bell.ring,
    close: async () => {
      stop.abort();
      await roster;
      await Promise.all([...following.values()].map((vehicle) => vehicle.ended));
    },
  };
}

type Shared = IngestParts & {
  stop: AbortSignal;
  bell: Bell;
  counts: IngestCounts;
  sessions: MakerSessions;
  following: Map<string, Following>;
};

async function keepRoster(shared: Shared): Promise<void> {
  while (!shared.stop.aborted) {
    try {
      await followNewVehicles(shared);
    } catch (error) {
      shared.log.warn(
        { err: error },
        'The list of vehicles to follow could not be read; it is tried again.',
      );
    }
    await shared.bell.wait(ROSTER_MS);
  }
}

async function followNewVehicles(shared: Shared): Promise<void> {
  const rows = await shared.prisma.vehicle.findMany({
    where: { logging: true, archivedAt: null, makerAccount: { status: 'ACTIVE' } },
    select: {
      id: true,
      vin: true,
      accountId: true,
      simulated: true,
      makerAccount: { select: { id: true, maker: true, baseUrl: true } },
    },
  });
  const wanted = new Set(rows.map((row) => row.id));
  for (const [id, vehicle] of shared.following) if (!wanted.has(id)) vehicle.stop.abort();
  for (const row of rows) {
    if (row.makerAccount === null) continue;
    const known = shared.following.get(row.id);
    if (known !== undefined) {
      // Signed in again elsewhere, or moved by the maker while another process asked.
      if (known.vehicle.makerAccount.id !== row.makerAccount.id) known.stop.abort();
      known.vehicle.makerAccount.baseUrl = row.makerAccount.baseUrl;
      continue;
    }
    const endpoint = shared.tokenEndpoint(row.makerAccount.maker);
    if (endpoint === null) continue;
    const stop = new AbortController();
    const signal = AbortSignal.any([shared.stop, stop.signal]);
    const vehicle = { ...row, makerAccount: row.makerAccount };
    const ended = followVehicle(vehicle, endpoint, signal, shared).finally(() => {
      shared.following.delete(row.id);
      // It may have come back while it was being left.
      shared.bell.ring();
    });
    shared.following.set(row.id, { vehicle, ended, stop });
  }
}

async function followVehicle(
  vehicle: Followed,
  endpoint: TokenEndpoint,
  signal: AbortSignal,
  shared: Shared,
): Promise<void> {
  const session = shared.sessions.of(vehicle.makerAccount.id, endpoint);
  const { clock } = shared;
  const follower: Follower = {
    vehicle,
    apiNow: () => {
      const { baseUrl } = vehicle.makerAccount;
      const api = makerApi({ baseUrl, token: session.accessToken, clock, signal });
      return shared.record?.(api) ?? api;
    },
    session,
    movedAt: null,
    gone: false,
    state: null,
    lastDataAt: null,
    backlog: backlogOf(vehicle.id, shared),
    failures: 0,
  };
  while (!signal.aborted && !follower.gone) {
    const nextInMs = await oneRound(follower, shared).catch((error: unknown) => {
      if (signal.aborted) return 0;
      follower.failures += 1;
      shared.counts.failures += 1;
      shared.log.warn(
        { err: error, vehicleId: vehicle.id },
        'A round of following a vehicle failed; it is tried again.',
      );
      return backoffMs(follower.failures);
    });
    if (!follower.gone) await pause(nextInMs, signal);
  }
}

type Follower = {
  vehicle: Followed;
  /** The maker where the account lives now. */
  apiNow: () => MakerApi;
  /** When the maker last moved the account, epoch ms. */
  movedAt: number | null;
  /** Whether the vehicle has left the maker's account. */
  gone: boolean;
  session: MakerSession;
  state: MachineState | null;
  lastDataAt: number | null;
  backlog: Backlog;
  failures: number;
};

/** Looks once and stores what was learned; returns how long to wait [ms]. */
async function oneRound(follower: Follower, shared: Shared): Promise<number> {
  const profile = follower.vehicle.simulated ? garageProfile : makerProfile;
  const api = follower.apiNow();
  const parts = { api, vin: follower.vehicle.vin, clock: shared.clock, profile };
  const state = follower.state ?? initialState;
  const look = await lookAt(state, follower.lastDataAt, parts);
  shared.counts.polls += 1;
  follower.lastDataAt = look.dataAt ?? follower.lastDataAt;
  const stored = await follower.backlog.store(look.events);
  follower.state = stored ?? follower.state;
  // By the state as it is now: the look may have found the vehicle driving.
  const { nextInMs } = cadenceOf(
    follower.state ?? state,
    follower.lastDataAt,
    shared.clock(),
    profile,
  );
  if (look.failure !== null) {
    const turnedInMs = await afterTurn(follower, look.failure, shared);
    return turnedInMs ?? afterFailure(follower, look.failure, shared, nextInMs);
  }
  follower.failures = 0;
  return nextInMs;
}

function afterFailure(
  follower: Follower,
  failure: Failure,
  shared: Shared,
  nextInMs: number,
): number {
  if (failure.kind === 'asleep') return nextInMs;
  follower.failures += 1;
  shared.counts.failures += 1;
  const { kind, status, detail } = failure;
  shared.log.warn(
    { vehicleId: follower.vehicle.id, failure: kind, status, detail },
    'The maker did not answer as asked.',
  );
  if (failure.kind === 'unauthorized') {
    follower.session.refused();
    // Without a token the link has ended; the roster leaves its vehicles.
    if (failure.reason === 'no_token') shared.bell.ring();
  }
  if (failure.kind === 'rate_limited') return Math.max(nextInMs, failure.retryAfterMs);
  if (failure.kind === 'forbidden') return failure.retryAfterMs ?? LIMIT_PAUSE_MS;
  return Math.max(nextInMs, backoffMs(follower.failures));
}

/** 2 s, 4 s, 8 s ... up to a quarter of an hour. */
function backoffMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, 2 ** Math.min(failures, 20) * SECOND_MS);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
