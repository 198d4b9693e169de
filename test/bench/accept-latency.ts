import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCommandDesk } from '../../src/actions/command-desk.ts';
import { silentLog } from '../../src/base/log.ts';
import { HOUR_MS } from '../../src/base/units.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { openDatabase } from '../../src/store/client.ts';
import { layDatabaseTemplate } from '../../src/store/embedded-template.ts';
import { noLimits, send } from '../commands/desks.ts';
import { aLink, aSession } from '../link/linked.ts';
import { aVehicle, noMakerLimits } from '../support/rows.ts';

/**
 * Measures how long it takes to accept a command, and from the commit that accepts it until its handler has read what it needs and opens the way to the maker,
 * and until it asks the maker the first question; one command at a time, on the embedded database unless DATABASE_URL names
 * an empty one. `tsx test/bench/accept-latency.ts [commands]`.
 */

const WARM_UP = 50;

function quantile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return Math.round(value * 100) / 100;
}

function figures(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

const [, , wanted = '500'] = process.argv;
const dataDir = mkdtempSync(join(tmpdir(), 'odo-accept-'));
const databaseUrl = process.env.DATABASE_URL ?? null;
if (databaseUrl === null) layDatabaseTemplate(dataDir);
const database = await openDatabase({ dataDir, databaseUrl, log: silentLog });
const { prisma } = database;
const cars = openGarage({ seed: 'bench', untilMs: Date.now(), days: 0 });
const maker = await startSimulator({ cars, clock: Date.now, seed: 'bench' });
const car = cars.find(({ spec }) => spec.whenShown === 'charges');
if (car === undefined) throw new Error('No car stands at home.');
maker.advance();
const { id, accountId } = await aLink(prisma, maker, 8 * HOUR_MS);
const account = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
const vehicle = await aVehicle(prisma, account, { vin: car.spec.vin, makerAccountId: id });

const session = aSession(prisma, maker, id);
let startedAt = 0;
let askedAt = 0;
const desk = openCommandDesk({
  prisma,
  clock: Date.now,
  log: silentLog,
  alone: databaseUrl === null,
  limits: { ...noLimits, tokenPerMinute: 1e6, vehiclePerMinute: 1e6 },
  makerLimits: noMakerLimits(prisma),
  sessionOf: () => {
    startedAt = performance.now();
    return {
      ...session,
      accessToken: () => {
        if (askedAt === 0) askedAt = performance.now();
        return session.accessToken();
      },
    };
  },
  proxyUrl: null,
  groups: ['all'],
  adminCommands: false,
});
await desk.recover();

let acceptedAt = 0;
let sentAt = 0;
const watched: typeof desk = {
  ...desk,
  enqueue: (command, params) => {
    acceptedAt = performance.now();
    desk.enqueue(command, params);
  },
};
const accepted: number[] = [];
const started: number[] = [];
const asked: number[] = [];
for (let count = -WARM_UP; count < Number(wanted); count += 1) {
  car.state.awake = true;
  car.state.lastActivityMs = car.state.atMs;
  askedAt = 0;
  sentAt = performance.now();
  const { state } = await send(watched, vehicle, 'flash_lights', { waitSeconds: 60 });
  if (state !== 'SUCCEEDED') throw new Error(`A command is ${state}.`);
  if (count < 0) continue;
  accepted.push(acceptedAt - sentAt);
  started.push(startedAt - acceptedAt);
  asked.push(askedAt - acceptedAt);
}
await desk.close();
await maker.close();
await database.close();
rmSync(dataDir, { recursive: true, force: true });
const about = { node: process.version, engine: database.engine, commands: started.length };
process.stdout.write(
  `${JSON.stringify({ ...about, accepted: figures(accepted), handlerStarted: figures(started), makerAsked: figures(asked) }, null, 2)}\n`,
);
