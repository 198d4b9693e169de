import { silentLog } from '../../src/base/log.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import { backlogOf, type IngestCounts } from '../../src/ingest/backlog.ts';
import { bellUnder } from '../../src/ingest/bell.ts';
import {
  backoffMs,
  type Follower,
  newFollower,
  oneRound,
  type RoundParts,
} from '../../src/ingest/follower.ts';
import { gateTo } from '../../src/ingest/maker-gate.ts';
import { type MakerSessions, makerSessions } from '../../src/ingest/sessions.ts';
import { vehiclesToFollow } from '../../src/ingest/worker.ts';
import { makerApi } from '../../src/maker/api.ts';
import type { PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { vault } from '../link/linked.ts';
import { type Mortal, mortal } from '../support/mortal.ts';
import { noMakerLimits } from '../support/rows.ts';

/** How often vehicles that came or went are looked for, where nothing happened to the link. */
const ROSTER_MS = 10 * MINUTE_MS;

/** A vehicle that is followed, and when it is looked at next (epoch ms). */
type Following = { follower: Follower; dueAt: number };

/** A life of the service's process: all that it remembers beside the database; its time is its owner's. */
export type Life = {
  client: Mortal;
  sessions: MakerSessions;
  limits: RoundParts['limits'];
  stop: AbortController;
  /** When the next look is due, epoch ms. */
  dueAt: () => number;
  /** Looks at what is due. */
  look: () => Promise<void>;
  /** Lets no look happen before then (epoch ms). */
  rest: (untilMs: number) => void;
  /** Looks for vehicles that came or went at the next look. */
  lookAgain: () => void;
};

/** What a life is made of. */
export type LifeParts = {
  prisma: PrismaClient;
  clock: () => number;
  tokenUrl: string;
  /** The account whose vehicles are followed; those of other tests share the database. */
  makerAccountId: string;
  counts: IngestCounts;
  /** How long an answer is waited for [ms]. */
  patienceMs: () => number;
};

/** A process that has just started, and follows the vehicles as the worker does. */
export function newLife(from: LifeParts): Life {
  const { prisma, clock, tokenUrl, counts, patienceMs } = from;
  const client = mortal(prisma);
  const stop = new AbortController();
  const { signal } = stop;
  const sessions = makerSessions({ prisma: client.prisma, vault, clock, signal });
  const limits = noMakerLimits(client.prisma, clock);
  const bell = bellUnder(signal);
  const parts = { prisma: client.prisma, clock, log: silentLog, counts, limits, bell };
  const following = new Map<string, Following>();
  let rosterAt = clock();

  const lookAtRoster = async () => {
    rosterAt = clock() + ROSTER_MS;
    const every = await vehiclesToFollow(client.prisma);
    const rows = every.filter(({ makerAccount }) => makerAccount?.id === from.makerAccountId);
    const wanted = new Set(rows.map(({ id }) => id));
    for (const id of following.keys()) if (!wanted.has(id)) following.delete(id);
    for (const { makerAccount, ...row } of rows) {
      if (makerAccount === null || following.has(row.id)) continue;
      const session = sessions.of(makerAccount.id, { tokenUrl, clientId: 'odograph' });
      const target = { makerAccountId: makerAccount.id, vehicleId: row.id };
      const { pass: gate } = gateTo({ ...target, commandId: null, override: false }, limits);
      const token = session.accessToken;
      const follower = newFollower({
        // Like a real one, so that it is courted like one.
        vehicle: { ...row, simulated: false, makerAccount },
        session,
        backlog: backlogOf(row.id, { ...parts, teller: { after() {} } }),
        apiNow: () => {
          const { baseUrl } = makerAccount;
          return makerApi({ baseUrl, token, clock, gate, timeoutMs: patienceMs() });
        },
      });
      following.set(row.id, { follower, dueAt: clock() });
    }
  };

  const lookAt = async (entry: Following) => {
    const { follower } = entry;
    const nextInMs = await oneRound(follower, parts).catch(() => {
      follower.failures += 1;
      counts.failures += 1;
      return backoffMs(follower.failures);
    });
    // What went wrong may have been the end of the link.
    if (follower.failures > 0 || follower.gone) rosterAt = clock();
    if (follower.gone) following.delete(follower.vehicle.id);
    entry.dueAt = clock() + Math.max(nextInMs, SECOND_MS);
  };

  return {
    ...{ client, sessions, limits, stop },
    dueAt: () => Math.min(rosterAt, ...[...following.values()].map(({ dueAt }) => dueAt)),
    look: async () => {
      if (rosterAt <= clock()) await lookAtRoster();
      for (const entry of [...following.values()]) if (entry.dueAt <= clock()) await lookAt(entry);
    },
    rest: (untilMs) => {
      for (const entry of following.values()) entry.dueAt = Math.max(entry.dueAt, untilMs);
    },
    lookAgain: () => {
      rosterAt = clock();
    },
  };
}
