import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import type { IngestCounts } from '../../src/ingest/backlog.ts';
import { storedHistory } from '../../src/ingest/replay-in-store.ts';
import { type ReplayedVehicle, reportOf } from '../../src/ingest/replay-report.ts';
import type { Ledger } from '../../src/simulator/ledger.ts';
import {
  misfortunesOf,
  playOf,
  type Scenario,
  type Trouble,
  type Turn,
} from '../../src/simulator/scenario.ts';
import { streamOf } from '../../src/simulator/telemetry.ts';
import type {
  MakerAccount,
  PrismaClient,
  Vehicle,
} from '../../src/store/generated/prisma/client.ts';
import { type Air, flightOf } from './air.ts';
import { newLife } from './life.ts';
import { startWorld, type World } from './world.ts';

/** What came of a scenario: what the service recorded, and what the car really did. */
export type Played = {
  recorded: ReplayedVehicle;
  ledger: Ledger;
  account: MakerAccount;
  /** Base address at which the account was linked. */
  linkedTo: string;
  /** What the link was said to be, one after the other. */
  statuses: unknown[];
  vehicle: Vehicle;
  other: Vehicle;
  counts: IngestCounts & { lives: number; renewals: number; rewritten: number };
};

/** How often streamed records are brought in and reduced while there may be some, and else. */
const STREAM_STEP_MS = { awake: 10 * MINUTE_MS, asleep: 2 * HOUR_MS };
/** Looks that would only find a sleeping car are left out, for so long at most. */
const SKIPPED_MS = 2 * HOUR_MS;
/** Time for everything to end that waits for time. */
const SETTLE_MS = 4 * HOUR_MS;
/** How long an answer is waited for that never comes, and any other [ms]. */
const patience = { short: 300, usual: 10 * SECOND_MS };

/**
 * Lets a car go through a scenario while the service follows it by the maker's API over HTTP, and by its stream where there
 * is `air`: the service's own parts, a real database, and one clock for all, which only this moves.
 */
export async function played(
  prisma: PrismaClient,
  scenario: Scenario,
  air: Air | null = null,
): Promise<Played> {
  let now = scenario.fromMs;
  const clock = () => now;
  const { car, ledger, to } = playOf(scenario);
  const { troubles, turns } = misfortunesOf(scenario);
  const followsOther = turns.some(({ what }) => what === 'another car is sold');
  await using world = await startWorld(prisma, { car, seed: scenario.key, clock, followsOther });
  const counts = { polls: 0, failures: 0, events: 0, dropped: 0, refused: 0 };
  let lives = 0;
  let hanging = 0;
  const born = () => {
    lives += 1;
    const patienceMs = () => (hanging > 0 ? patience.short : patience.usual);
    const { tokenUrl } = world.maker;
    return newLife({
      ...{ prisma, clock, tokenUrl, counts, patienceMs },
      makerAccountId: world.account.id,
    });
  };
  let life = born();
  const reborn = () => {
    life.stop.abort();
    life = born();
  };
  const flight = air === null ? null : flightOf(scenario, air, troubles);
  const streamed = streamOf(car);
  const drive = (untilMs: number) => to(untilMs, () => flight?.made(streamed()));
  const happenings = happeningsOf(troubles, turns, {
    begin: (trouble) => {
      if (trouble.fault.kind === 'hang') hanging += 1;
      world.trouble(trouble);
    },
    end: (trouble) => {
      if (trouble.fault.kind === 'hang') hanging -= 1;
      world.calm(trouble);
    },
    turn: async (what) => {
      life.lookAgain();
      if (what === 'service restarts') reborn();
      else if (what === 'service dies before its next commit') life.client.dieAtNext('before');
      else if (what === 'service dies after its next commit') life.client.dieAtNext('after');
      else await world.turn(what, life);
    },
  });
  let landedAt = Number.NEGATIVE_INFINITY;
  // A car that wakes streams at once.
  const landsAt = () =>
    flight === null
      ? Number.POSITIVE_INFINITY
      : landedAt + STREAM_STEP_MS[car.state.awake ? 'awake' : 'asleep'];
  const land = async () => {
    landedAt = now;
    await flight?.land(life, now);
    if (life.client.dead()) reborn();
  };

  while (now < scenario.untilMs) {
    for (let next = happenings[0]; next !== undefined && next.atMs <= now; next = happenings[0]) {
      happenings.shift();
      await next.happen();
    }
    await life.look();
    if (life.client.dead()) reborn();
    if (landsAt() <= now) await land();
    const latest = Math.min(happenings[0]?.atMs ?? scenario.untilMs, scenario.untilMs, landsAt());
    let next = Math.max(now + 1, life.dueAt());
    // The first look that finds it asleep is made.
    const skippedUntil = car.state.awake ? now : now + SKIPPED_MS;
    for (; next < Math.min(latest, skippedUntil); next += MINUTE_MS) {
      drive(next);
      if (car.state.awake) break;
    }
    life.rest(Math.min(next, latest));
    now = Math.min(next, latest);
    drive(now);
  }
  reborn();
  now = flight?.lastAt(now) ?? now;
  for (const waitMs of [0, SETTLE_MS, SETTLE_MS]) {
    now += waitMs;
    await land();
  }
  life.stop.abort();
  const rewritten = flight?.rewritten() ?? 0;
  const renewals = world.maker.calls.token;
  return {
    ...{ ledger, linkedTo: world.account.baseUrl },
    ...(await stored(prisma, world)),
    counts: { ...counts, lives, renewals, rewritten },
  };
}

type Happening = { atMs: number; happen: () => void | Promise<void> };

function happeningsOf(
  troubles: readonly Trouble[],
  turns: readonly Turn[],
  on: {
    begin: (trouble: Trouble) => void;
    end: (trouble: Trouble) => void;
    turn: (what: Turn['what']) => Promise<void>;
  },
): Happening[] {
  return [
    ...troubles.flatMap((trouble) => [
      { atMs: trouble.fromMs, happen: () => on.begin(trouble) },
      { atMs: trouble.untilMs, happen: () => on.end(trouble) },
    ]),
    ...turns.map(({ atMs, what }) => ({ atMs, happen: () => on.turn(what) })),
  ].sort((a, b) => a.atMs - b.atMs);
}

async function stored(prisma: PrismaClient, { account, vehicle, other }: World) {
  const history = await storedHistory(prisma, vehicle.id, vehicle.vin);
  const trace = { events: new Map(), rejected: new Map(), unnamed: [] };
  const [recorded] = reportOf([history], trace).vehicles;
  if (recorded === undefined) throw new Error('Nothing is reported of the vehicle.');
  const { accountId } = account;
  const told = await prisma.event.findMany({
    where: { accountId, type: 'maker_account.status_changed' },
    orderBy: { position: 'asc' },
    select: { data: true, occurredAt: true },
  });
  const statuses = told.map(({ data }) =>
    typeof data === 'object' && data !== null && 'status' in data ? data.status : null,
  );
  const rowOf = (id: string) => prisma.vehicle.findUniqueOrThrow({ where: { id } });
  return {
    ...{ recorded, statuses, vehicle: await rowOf(vehicle.id), other: await rowOf(other.id) },
    account: await prisma.makerAccount.findUniqueOrThrow({ where: { id: account.id } }),
  };
}
