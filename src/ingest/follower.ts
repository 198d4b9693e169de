import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { callsLeftInAll, pressureOf } from '../contract/budget.ts';
import type { Failure } from '../maker/answer.ts';
import type { MakerApi } from '../maker/api.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { lastRecordAt } from '../store/journal.ts';
import { noteFailure } from '../store/maker-accounts.ts';
import { afterTurn } from './account-turns.ts';
import { loadMachine } from './apply.ts';
import type { Backlog, IngestCounts, IngestLog } from './backlog.ts';
import type { Bell } from './bell.ts';
import { cadenceOf, type PolledVehicle, profileOf, type Situation } from './cadence.ts';
import { keepInvoices } from './invoices.ts';
import { heedLimits, type MakerLimits } from './maker-gate.ts';
import { type Asked, keepParticulars } from './particulars.ts';
import { type Look, lookAt } from './poll.ts';
import type { MakerSession } from './session.ts';
import type { Standing } from './standing.ts';
import { initialState, type MachineState } from './state.ts';

const LONGEST_PAUSE_MS = 15 * MINUTE_MS;
/** Pause after a refusal that comes without a time (maker.md §1.6). */
const FORBIDDEN_PAUSE_MS = 15 * MINUTE_MS;

/** A vehicle that is followed, as its rows say. */
export type Followed = PolledVehicle & {
  id: string;
  vin: string;
  accountId: string;
  sleepAware: boolean;
  particularsAt: Date | null;
  billsAt: Date | null;
  makerAccount: { id: string; maker: string; baseUrl: string };
};

/** What rounds of following a vehicle are made with. */
export type RoundParts = {
  prisma: PrismaClient;
  clock: () => number;
  log: IngestLog;
  counts: IngestCounts;
  bell: Bell;
  limits: MakerLimits;
};

/** A vehicle that is followed, and what is remembered of it between two rounds; instants in epoch ms. */
export type Follower = Asked & {
  vehicle: Followed;
  session: MakerSession;
  /** The maker where the account lives now. */
  apiNow: () => MakerApi;
  /** When the maker last moved the account. */
  movedAt: number | null;
  /** Whether the vehicle has left the maker's account. */
  gone: boolean;
  /** Null until it was read or something was stored. */
  state: MachineState | null;
  lastDataAt: number | null;
  onlineSince: number | null;
  backlog: Backlog;
  failures: number;
  /** Until when the maker is not asked what charges cost, epoch ms. */
  invoicesRestUntil: number;
};

/** A vehicle of which nothing is remembered. */
export function newFollower(
  parts: Pick<Follower, 'vehicle' | 'session' | 'apiNow' | 'backlog'>,
): Follower {
  return {
    ...parts,
    movedAt: null,
    gone: false,
    state: null,
    lastDataAt: null,
    onlineSince: null,
    failures: 0,
    restsUntil: 0,
    invoicesRestUntil: 0,
    schedules: null,
  };
}

/** Looks once and stores what was learned; returns how long to wait [ms]. Rejects where it could not be stored. */
export async function oneRound(follower: Follower, parts: RoundParts): Promise<number> {
  const { clock, counts, limits } = parts;
  const { vehicle } = follower;
  const heldMs = limits.windows.accountHeldMs(vehicle.makerAccount.id);
  if (heldMs > 0) {
    await stored(follower, [{ kind: 'tick', at: clock() }]);
    return Math.min(heldMs, LONGEST_PAUSE_MS);
  }
  await recall(follower, parts);
  const before = await situationOf(follower, parts);
  const profile = profileOf(vehicle);
  const api = follower.apiNow();
  const look = await lookAt(before, { api, vin: vehicle.vin, clock, profile });
  counts.polls += 1;
  follower.lastDataAt = look.lastDataAt;
  follower.onlineSince = look.onlineSince;
  await stored(follower, look.events);
  if (look.failure === null && look.lastDataAt !== before.lastDataAt) {
    await keepParticulars(follower, api, look.schedules, parts);
  }
  if (look.failure === null) await keepInvoices(follower, api, parts);
  // By the state as it is now: the look may have found the vehicle driving.
  const after = { ...before, ...rememberedOf(follower) };
  const { nextInMs } = cadenceOf(after, clock(), profile);
  return afterLook(follower, look, { parts, nextInMs });
}

async function stored(follower: Follower, events: Look['events']): Promise<void> {
  follower.state = (await follower.backlog.store(events)) ?? follower.state;
}

/** Takes up where the last process left a vehicle, so that a start costs no call for data. */
async function recall(follower: Follower, { prisma, clock }: RoundParts): Promise<void> {
  if (follower.state !== null) return;
  // Where it cannot be read the vehicle is new for now; the store will say how it is.
  const machine = await loadMachine(prisma, follower.vehicle.id).catch(() => null);
  if (machine === null || machine.state === initialState) return;
  follower.state = machine.state;
  const seen = Object.values(machine.state.sectionAt).filter((at) => at <= clock());
  if (seen.length > 0) follower.lastDataAt = Math.max(...seen);
}

function rememberedOf({ state, lastDataAt, onlineSince }: Follower) {
  return { state: state ?? initialState, lastDataAt, onlineSince };
}

async function situationOf(
  follower: Follower,
  { prisma, clock, limits }: RoundParts,
): Promise<Situation> {
  const { id, sleepAware, makerAccount } = follower.vehicle;
  const remembered = rememberedOf(follower);
  const streams = remembered.state.stream !== null;
  return {
    ...remembered,
    sleepAware,
    streamedAt: streams ? await lastRecordAt(prisma, id).catch(() => null) : null,
    pressure: pressureIn(
      await limits.ledger.lately({ makerAccountId: makerAccount.id, vehicleId: id }),
      clock(),
    ),
  };
}

/** The budget that goes fastest decides: the vehicle's, or that of its maker account. */
function pressureIn(standings: readonly Standing[], at: number): number {
  if (callsLeftInAll('DATA', standings) === 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, ...standings.map(({ share, period }) => pressureOf(share, period, at)));
}

async function afterLook(
  follower: Follower,
  { failure }: Look,
  { parts, nextInMs }: { parts: RoundParts; nextInMs: number },
): Promise<number> {
  if (failure === null) {
    follower.failures = 0;
    return nextInMs;
  }
  // Our own limits: nobody failed, and nothing was sent.
  if (failure.kind === 'held_back') return Math.max(nextInMs, failure.retryAfterMs);
  const turnedInMs = await afterTurn(follower, failure, parts);
  return turnedInMs ?? afterFailure(follower, failure, { parts, nextInMs });
}

async function afterFailure(
  follower: Follower,
  failure: Failure,
  { parts, nextInMs }: { parts: RoundParts; nextInMs: number },
): Promise<number> {
  if (failure.kind === 'asleep') return nextInMs;
  const { vehicle, session } = follower;
  follower.failures += 1;
  parts.counts.failures += 1;
  const { kind, status, detail } = failure;
  parts.log.warn(
    { vehicleId: vehicle.id, failure: kind, status, detail },
    'The maker did not answer as asked.',
  );
  heedLimits(vehicle.makerAccount.id, failure, parts.limits.windows);
  if (failure.kind === 'unauthorized') {
    session.refused();
    // Without a token the link has ended; the roster leaves its vehicles.
    if (failure.reason === 'no_token') parts.bell.ring();
  }
  if (failure.kind === 'rate_limited') return Math.max(nextInMs, failure.retryAfterMs);
  if (failure.kind === 'forbidden') {
    const told = { code: failure.reason, at: parts.clock() };
    await noteFailure(parts.prisma, vehicle.makerAccount.id, told);
    return failure.retryAfterMs ?? FORBIDDEN_PAUSE_MS;
  }
  return Math.max(nextInMs, backoffMs(follower.failures));
}

/** 2 s, 4 s, 8 s ... up to a quarter of an hour. */
export function backoffMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, 2 ** Math.min(failures, 20) * SECOND_MS);
}
