import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/units.ts';
import type { Vault } from '../base/vault.ts';
import { makerApi } from '../maker/api.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { backlogOf, type IngestCounts, type IngestLog } from './backlog.ts';
import { type Bell, bellUnder } from './bell.ts';
import { backoffMs, type Followed, newFollower, oneRound } from './follower.ts';
import { gateTo, type MakerLimits } from './maker-gate.ts';
import type { Recorder } from './record-answers.ts';
import type { TokenEndpoint } from './renewal.ts';
import { type MakerSessions, makerSessions } from './sessions.ts';
import { createStateTeller, type StateTeller } from './state-teller.ts';

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
  /** The budget and the maker's limits, shared with whoever else calls the maker from this process. */
  limits: MakerLimits;
  /** Writes what the maker answers to looks at vehicles; nothing is written unless given. */
  record?: Recorder | undefined;
};

export type Ingest = {
  counts: IngestCounts;
  /** Looks for accounts and vehicles that have come or gone now, and not only at the next turn. */
  lookAgain: () => void;
  close: () => Promise<void>;
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
  const teller = createStateTeller(parts);
  const shared = { ...parts, stop: stop.signal, bell, counts, sessions, following, teller };
  const roster = keepRoster(shared);
  return {
    counts,
    lookAgain: bell.ring,
    close: async () => {
      stop.abort();
      await roster;
      await Promise.all([...following.values()].map((vehicle) => vehicle.ended));
      await teller.close();
    },
  };
}

type Shared = IngestParts & {
  stop: AbortSignal;
  bell: Bell;
  counts: IngestCounts;
  sessions: MakerSessions;
  following: Map<string, Following>;
  teller: StateTeller;
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

/** The vehicles that are to be followed now: logged, and of an account that is linked. */
export function vehiclesToFollow(prisma: PrismaClient) {
  return prisma.vehicle.findMany({
    where: { logging: true, archivedAt: null, makerAccount: { status: 'ACTIVE' } },
    select: {
      id: true,
      vin: true,
      accountId: true,
      simulated: true,
      sleepAware: true,
      pollProfile: true,
      particularsAt: true,
      billsAt: true,
      makerAccount: { select: { id: true, maker: true, baseUrl: true } },
    },
  });
}

async function followNewVehicles(shared: Shared): Promise<void> {
  const rows = await vehiclesToFollow(shared.prisma);
  const wanted = new Set(rows.map((row) => row.id));
  for (const [id, vehicle] of shared.following) if (!wanted.has(id)) vehicle.stop.abort();
  for (const row of rows) {
    if (row.makerAccount === null) continue;
    const known = shared.following.get(row.id);
    if (known !== undefined) {
      // Signed in again elsewhere, or moved by the maker while another process asked.
      if (known.vehicle.makerAccount.id !== row.makerAccount.id) known.stop.abort();
      known.vehicle.makerAccount.baseUrl = row.makerAccount.baseUrl;
      known.vehicle.sleepAware = row.sleepAware;
      known.vehicle.pollProfile = row.pollProfile;
      known.vehicle.particularsAt = row.particularsAt;
      known.vehicle.billsAt = row.billsAt;
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
  const { clock, limits } = shared;
  const { makerAccount } = vehicle;
  const session = shared.sessions.of(makerAccount.id, endpoint);
  const target = { makerAccountId: makerAccount.id, vehicleId: vehicle.id };
  const { pass: gate } = gateTo({ ...target, commandId: null, override: false }, limits);
  const follower = newFollower({
    vehicle,
    session,
    apiNow: () => {
      const { baseUrl } = makerAccount;
      const api = makerApi({ baseUrl, token: session.accessToken, clock, signal, gate });
      return shared.record?.(api) ?? api;
    },
    backlog: backlogOf(vehicle.id, shared),
  });
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
