import { onTestFinished } from 'vitest';
import { HOUR_MS } from '../../src/base/units.ts';
import { vaultOf } from '../../src/base/vault.ts';
import { backlogOf } from '../../src/ingest/backlog.ts';
import { bellUnder } from '../../src/ingest/bell.ts';
import {
  type Follower,
  newFollower,
  oneRound,
  type RoundParts,
} from '../../src/ingest/follower.ts';
import { gateTo, type MakerLimits } from '../../src/ingest/maker-gate.ts';
import { makerSession } from '../../src/ingest/session.ts';
import { makerApi } from '../../src/maker/api.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import type { Car } from '../../src/simulator/state.ts';
import type {
  MakerAccount,
  PrismaClient,
  Vehicle,
} from '../../src/store/generated/prisma/client.ts';
import { storeTokens } from '../../src/store/maker-accounts.ts';
import { aMakerAccount, anAccount, aVehicle, someLimits } from '../support/rows.ts';

const vault = vaultOf(Buffer.alloc(32, 7));

/** A vehicle that is followed against the stand-in, on a clock that only its own pauses move. */
export type Following = {
  simulator: Simulator;
  car: Car;
  account: MakerAccount;
  vehicle: Vehicle;
  limits: MakerLimits;
  /** Present, epoch ms. */
  now: () => number;
  /** One round, and how long it wants to wait [ms]; the clock stays. */
  look: () => Promise<number>;
  /** Lets time pass [ms]. */
  pass: (ms: number) => void;
  /** Calls of a kind since the last question for them. */
  news: (kind: keyof Simulator['calls']) => number;
  /** The vehicle as a process that was started anew follows it: nothing remembered but what is stored. */
  restarted: () => Promise<void>;
  /** Waits for answers no longer than this [ms] from now on. */
  hurry: (ms: number) => void;
  /** What the log said. */
  warnings: object[];
  follower: () => Follower;
};

/** Starts it with a car of the garage as it stands at `startMs`; like a real one, so that it is courted like one. */
export async function startFollowing(
  prisma: PrismaClient,
  { startMs, seed = 'following' }: { startMs: number; seed?: string },
): Promise<Following> {
  let now = startMs;
  let timeoutMs = 10_000;
  const clock = () => now;
  const cars = openGarage({ seed, untilMs: startMs, days: 0 });
  const [car] = cars;
  if (car === undefined) throw new Error('The garage is empty.');
  const simulator = await startSimulator({ cars: [car], clock, seed });
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await simulator.close();
  });
  const person = await anAccount(prisma);
  const { vin } = car.spec;
  const account = await aMakerAccount(prisma, person, {
    makerSubject: 'person',
    baseUrl: simulator.baseUrl,
    region: 'EU',
  });
  const tokens = simulator.seedTokens({ subject: 'person' });
  const pair = { ...tokens, expiresAt: now + 8 * HOUR_MS };
  await storeTokens(prisma, vault, account.id, pair, null, now);
  const vehicle = await aVehicle(prisma, person, { makerAccountId: account.id, vin });
  const warnings: object[] = [];
  const log = { info: () => {}, error: () => {}, warn: (facts: object) => warnings.push(facts) };
  const limits = someLimits(prisma, clock);
  const counts = { polls: 0, failures: 0, events: 0, dropped: 0, refused: 0 };
  const parts: RoundParts = { prisma, clock, log, counts, limits, bell: bellUnder(stop.signal) };

  const begin = async (): Promise<Follower> => {
    const { id, baseUrl } = await prisma.makerAccount.findUniqueOrThrow({
      where: { id: account.id },
    });
    const endpoint = { tokenUrl: simulator.tokenUrl, clientId: 'odograph' };
    const session = makerSession(id, { prisma, vault, clock, endpoint, signal: stop.signal });
    const target = { makerAccountId: id, vehicleId: vehicle.id, commandId: null, override: false };
    const { pass: gate } = gateTo(target, limits);
    const makerAccount = { id, maker: 'simulator', baseUrl };
    const { accountId } = vehicle;
    return newFollower({
      vehicle: {
        id: vehicle.id,
        vin,
        accountId,
        simulated: false,
        sleepAware: true,
        pollProfile: 'NORMAL',
        // Asked for long after every test.
        particularsAt: new Date(Date.UTC(2100, 0)),
        billsAt: new Date(Date.UTC(2100, 0)),
        makerAccount,
      },
      session,
      backlog: backlogOf(vehicle.id, { ...parts, teller: { after() {} } }),
      apiNow: () =>
        makerApi({
          baseUrl: makerAccount.baseUrl,
          token: session.accessToken,
          clock,
          gate,
          timeoutMs,
        }),
    });
  };
  let follower = await begin();
  const seen = new Map<string, number>();
  return {
    simulator,
    car,
    account,
    vehicle,
    limits,
    now: clock,
    warnings,
    follower: () => follower,
    look: () => oneRound(follower, parts),
    pass: (ms) => {
      now += ms;
    },
    news: (kind) => {
      const before = seen.get(kind) ?? 0;
      seen.set(kind, simulator.calls[kind]);
      return simulator.calls[kind] - before;
    },
    hurry: (ms) => {
      timeoutMs = ms;
    },
    restarted: async () => {
      follower = await begin();
    },
  };
}
