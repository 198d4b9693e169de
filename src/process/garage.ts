import type { Clock } from '../base/clock.ts';
import { derivedUuid } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { DAY_MS } from '../base/units.ts';
import type { Vault } from '../base/vault.ts';
import { importHistory } from '../ingest/import-history.ts';
import type { Connector } from '../maker/connector.ts';
import { carSpecs, namedPlaces, openGarage } from '../simulator/garage.ts';
import { recordCar } from '../simulator/history.ts';
import { type Simulator, startSimulator } from '../simulator/server.ts';
import type { Car, CarState } from '../simulator/state.ts';
import { type ToldCommand, tellAgain } from '../simulator/told.ts';
import { ensureDemoAccount } from '../store/accounts.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { storeTokens } from '../store/maker-accounts.ts';
import { type GarageBook, openGarageBook, writeGarageBook } from './garage-book.ts';
import { keepingInto, keptBeforeSeen } from './garage-keep.ts';
import { forgetTold, keepTold, readTold } from './garage-told.ts';

/** Name of the stand-in among the makers. */
const GARAGE_MAKER = 'simulator';

/** Cars of one seed drive the same ways on every machine. */
const SEED = 'odograph';

/** What filling the garage brought, for the banner. */
export type GarageReport = {
  /** Public ids of the vehicles. */
  vehicles: string[];
  history: { days: number; drives: number; charges: number; ms: number };
};

export type Garage = GarageReport & { accountId: string; simulator: Simulator };

export type GarageParts = {
  prisma: PrismaClient;
  vault: Vault;
  dataDir: string;
  /** Days of history of a new garage. */
  historyDays: number;
  clock: Clock;
  log: Log;
  /** Gives up the recording of history. */
  signal: AbortSignal;
};

type SeededVehicle = { id: string; vin: string; publicId: string; seenMs: number | null };

/**
 * Brings the simulated garage up to the present and opens it: account, places and vehicles, then every day of history
 * that is not recorded yet, then the stand-in for the maker. What a crash left unfinished the next start finishes,
 * because nothing is marked as done: the newest recorded moment of each vehicle says where to go on.
 */
export async function openDemoGarage(parts: GarageParts): Promise<Garage> {
  const { prisma, dataDir, historyDays, clock } = parts;
  const startedAt = clock();
  const rows = await prisma.$transaction((tx) => ensureRows(tx, startedAt));
  const seen = rows.vehicles.flatMap(({ seenMs }) => seenMs ?? []);
  const seenMs = seen.length === 0 ? null : Math.max(...seen);
  const book = openGarageBook(dataDir, { at: startedAt, seenMs, historyDays });
  const kept = keptBeforeSeen(book.cars, rows.vehicles, startedAt);
  const cars = openGarage({ seed: SEED, untilMs: startedAt, ...book, kept });
  const history = await recordMissing(parts, { cars, book, vehicles: rows.vehicles }, startedAt);
  const onCommand = ({ spec }: Car, told: ToldCommand) => keepTold(dataDir, spec.key, told);
  const simulator = await startSimulator({ cars, clock, seed: SEED, onCommand });
  try {
    await linkToSimulator(parts, rows.makerAccountId, simulator);
  } catch (error) {
    await simulator.close();
    throw error;
  }
  const vehicles = rows.vehicles.map(({ publicId }) => publicId);
  return { accountId: rows.accountId, vehicles, history, simulator };
}

/** The stand-in as a maker that accounts can be linked at. */
export function garageConnector(
  { simulator }: Pick<Garage, 'simulator'>,
  redirectUrl: string,
): Connector {
  const { authorizeUrl, tokenUrl, baseUrl } = simulator;
  return {
    maker: GARAGE_MAKER,
    simulated: true,
    authorizeUrl,
    tokenUrl,
    clientId: 'odograph',
    clientSecret: null,
    redirectUrl,
    apiUrlOf: () => baseUrl,
    application: null,
  };
}

async function ensureRows(
  tx: Prisma.TransactionClient,
  at: number,
): Promise<{ accountId: string; makerAccountId: string; vehicles: SeededVehicle[] }> {
  const account = await ensureDemoAccount(tx, at);
  const makerAccountId = derivedUuid(0, 'demo maker account');
  const createdAt = new Date(at);
  const owned = { accountId: account.id, simulated: true, createdAt };
  await tx.makerAccount.createMany({
    data: {
      ...owned,
      id: makerAccountId,
      maker: GARAGE_MAKER,
      region: 'SIM',
      label: 'Simulated garage',
      makerSubject: 'garage',
      listedAt: createdAt,
      baseUrl: '',
      status: 'PENDING',
      grantedScopes: [],
      missingScopes: [],
    },
    skipDuplicates: true,
  });
  await tx.place.createMany({
    data: namedPlaces.map((place) => ({
      ...owned,
      ...place,
      id: derivedUuid(0, 'demo place', place.name),
    })),
    skipDuplicates: true,
  });
  await tx.vehicle.createMany({
    data: carSpecs.map((spec) => ({
      ...owned,
      id: derivedUuid(0, 'demo vehicle', spec.key),
      makerAccountId,
      publicId: spec.key,
      vin: spec.vin,
      makerName: spec.name,
      maker: GARAGE_MAKER,
      makerVehicleId: spec.id.toString(),
      accessType: 'OWNER' as const,
    })),
    skipDuplicates: true,
  });
  const rows = await tx.vehicle.findMany({
    where: { makerAccountId },
    select: { id: true, vin: true, publicId: true, machine: { select: { appliedAt: true } } },
  });
  const vehicles = rows.map(({ machine, ...row }) => ({
    ...row,
    seenMs: machine?.appliedAt.getTime() ?? null,
  }));
  return { accountId: account.id, makerAccountId, vehicles };
}

type Filling = { cars: readonly Car[]; book: GarageBook; vehicles: readonly SeededVehicle[] };

/** Records what the cars did since they were last seen, all cars at once: one is computed while another is stored. */
async function recordMissing(
  { prisma, dataDir, clock, log, signal }: GarageParts,
  { cars, book, vehicles }: Filling,
  untilMs: number,
): Promise<GarageReport['history']> {
  const startedAt = clock();
  const ids = vehicles.map(({ id }) => id);
  const where = { vehicleId: { in: ids } };
  const kept = new Map<string, CarState>();
  const told = readTold(dataDir);
  const recorded = await Promise.allSettled(
    cars.map(async (car) => {
      const vehicle = vehicles.find(({ vin }) => vin === car.spec.vin);
      if (vehicle === undefined) return;
      const { seenMs } = vehicle;
      // From before what is recorded, so that what follows is the same to the line as without an interruption.
      const keep = keepingInto(kept, seenMs ?? untilMs);
      const tell = tellAgain(told.get(car.spec.key) ?? []);
      tell(car);
      const news = recordCar(car, untilMs, seenMs ?? undefined, (moved) => {
        // A state is kept as it was before what was told at its time, which is told again.
        keep(moved);
        tell(moved);
      });
      const { lines } = await importHistory(prisma, vehicle.id, untilAborted(news, signal));
      log.debug({ vehicle: vehicle.publicId, lines }, 'History of a vehicle recorded.');
    }),
  );
  // Only now, so that nothing writes any more when the failure of one is told.
  for (const outcome of recorded) if (outcome.status === 'rejected') throw outcome.reason;
  const keptCars = { ...book.cars, ...Object.fromEntries(kept) };
  writeGarageBook(dataDir, { ...book, cars: keptCars });
  forgetTold(dataDir, keptCars);
  const [drives, charges] = [
    await prisma.drive.count({ where }),
    await prisma.charge.count({ where }),
  ];
  const days = Math.floor((untilMs - book.fromMs) / DAY_MS);
  return { days, drives, charges, ms: clock() - startedAt };
}

function* untilAborted<T>(items: Iterable<T>, signal: AbortSignal): Generator<T> {
  for (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}

/** Signs the maker account in at the stand-in, whose port is another one at every start. */
async function linkToSimulator(
  { prisma, vault, clock }: GarageParts,
  makerAccountId: string,
  simulator: Simulator,
): Promise<void> {
  const pair = simulator.seedTokens({ subject: 'garage' });
  const { accessToken, refreshToken, expiresAtMs: expiresAt } = pair;
  await prisma.makerAccount.update({
    where: { id: makerAccountId },
    data: { baseUrl: simulator.baseUrl },
  });
  const tokens = { accessToken, refreshToken, expiresAt };
  await storeTokens(prisma, vault, makerAccountId, tokens, null, clock());
}
