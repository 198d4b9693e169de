import { type CommandDesk, openCommandDesk } from '../../src/actions/command-desk.ts';
import type { CommandLimits } from '../../src/actions/command-limits.ts';
import type { CommandLog, CommandPace } from '../../src/actions/command-parts.ts';
import { sendCommand } from '../../src/actions/send-command.ts';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { HOUR_MS } from '../../src/base/units.ts';
import type { CommandParams } from '../../src/contract/commands/command.ts';
import type { CommandName } from '../../src/contract/commands.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import type { Car } from '../../src/simulator/state.ts';
import type { Command, PrismaClient, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { storeTokens } from '../../src/store/maker-accounts.ts';
import { aLink, aSession, vault } from '../link/linked.ts';
import { type Engine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aVehicle, noMakerLimits } from '../support/rows.ts';
import { testPace } from './command-service.ts';

/** So many that no test meets them. */
export const noLimits: CommandLimits = {
  tokenPerMinute: 1_000,
  vehiclePerMinute: 1_000,
  wakes: { perMinute: 1_000, perDay: 1_000 },
  waiting: 1_000,
};

/** What a desk of a test is opened with; the lease is short, so that a test may wait for its end. */
export type DeskWish = {
  prisma: PrismaClient;
  tokenUrl: string;
  alone?: boolean;
  limits?: Partial<CommandLimits>;
  pace?: Partial<CommandPace>;
  log?: CommandLog;
  /** In the place of the session of the maker account. */
  session?: () => never;
};

/** A desk as another process would have it, with sessions of its own. */
export function aDesk(wish: DeskWish): CommandDesk {
  const { prisma, tokenUrl, alone = false, limits, pace, log = silentLog, session } = wish;
  return openCommandDesk({
    prisma,
    clock: Date.now,
    log,
    alone,
    limits: { ...noLimits, ...limits },
    makerLimits: noMakerLimits(prisma),
    sessionOf: ({ id }) => session?.() ?? aSession(prisma, { tokenUrl }, id),
    proxyUrl: null,
    groups: ['all'],
    adminCommands: false,
    pace: { ...testPace, lease: 600, ...pace },
  });
}

export type Asked = {
  params?: CommandParams;
  deadlineSeconds?: number;
  waitSeconds?: number;
  wake?: boolean;
  credentialId?: string;
  key?: string;
};

/** Sends a command by a desk, as a caller of the vehicle's account. */
export async function send(
  desk: CommandDesk,
  vehicle: Vehicle,
  name: CommandName,
  asked: Asked = {},
): Promise<Command> {
  const { command } = await sendCommand(desk, {
    vehicle,
    name,
    params: asked.params ?? {},
    principal: {
      accountId: vehicle.accountId,
      vehicleIds: null,
      credential: { kind: 'TOKEN', id: asked.credentialId ?? newUuid(), name: 'test' },
      scopes: new Set(['controls']),
      locationPrecision: 'EXACT',
      commandGroups: null,
      expiresAt: Date.now() + HOUR_MS,
    },
    requestId: 'r',
    via: 'REST',
    confirm: 'VERIFY',
    wake: asked.wake ?? true,
    deadlineSeconds: asked.deadlineSeconds ?? 60,
    waitSeconds: asked.waitSeconds ?? 20,
    idempotencyKey: asked.key ?? null,
    overrideBudget: false,
  });
  return command;
}

/** A database, a stand-in for the maker with one car that is awake and parked, and the rows that link both. */
export type Yard = AsyncDisposable & {
  db: ScratchDatabase;
  prisma: PrismaClient;
  maker: Simulator;
  car: Car;
  vehicle: Vehicle;
  makerAccountId: string;
  desk: (wish?: Partial<DeskWish>) => CommandDesk;
  find: (id: string) => Promise<Command>;
  /** Waits until the command is as wanted. */
  until: (id: string, wanted: (command: Command) => boolean) => Promise<Command>;
  /** Puts a command into the ledger that a process left as it was. */
  leave: (columns: Partial<Command>) => Promise<string>;
  /** Closes every desk, has fresh tokens stored, and the car awake, parked and without faults again. */
  ready: () => Promise<void>;
};

/** Opens the yard; its desks are closed with it. */
export async function openYard(engine: Engine): Promise<Yard> {
  const db = await scratchDatabase(engine);
  const { prisma } = db;
  const cars = openGarage({ seed: 'yard', untilMs: Date.now(), days: 0 });
  const maker = await startSimulator({ cars, clock: Date.now, seed: 'yard' });
  const car = cars.find(({ spec }) => spec.whenShown === 'charges');
  if (car === undefined) throw new Error('No car stands in the yard.');
  const { id: makerAccountId, accountId } = await aLink(prisma, maker, HOUR_MS);
  const account = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  const vehicle = await aVehicle(prisma, account, {
    vin: car.spec.vin,
    makerAccountId,
    allowUnlock: true,
  });
  const desks: CommandDesk[] = [];
  const find = (id: string) => prisma.command.findUniqueOrThrow({ where: { id } });
  const closeDesks = () => Promise.all(desks.splice(0).map((desk) => desk.close()));
  const ready = async () => {
    await closeDesks();
    const { accessToken, refreshToken } = maker.seedTokens({ subject: 'person' });
    const tokens = { accessToken, refreshToken, expiresAt: Date.now() + HOUR_MS };
    await storeTokens(prisma, vault, makerAccountId, tokens, null, Date.now());
    maker.clearFaults();
    maker.setWakeTime(0);
    maker.advance();
    Object.assign(car.state, { awake: true, wakeAtMs: null, gear: 'P' });
    car.state.lastActivityMs = car.state.atMs;
  };
  return {
    ...{ db, prisma, maker, car, vehicle, makerAccountId, find, ready },
    desk: (wish = {}) => {
      const desk = aDesk({ prisma, tokenUrl: maker.tokenUrl, ...wish });
      desks.push(desk);
      return desk;
    },
    until: async (id, wanted) => {
      for (let look = 0; look < 3_000; look += 1) {
        const command = await find(id);
        if (wanted(command)) return command;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`The command is ${(await find(id)).state}.`);
    },
    leave: async (columns) => {
      const id = newUuid();
      const now = Date.now();
      const { parameters: _, ...more } = columns;
      await prisma.command.create({
        data: {
          id,
          vehicleId: vehicle.id,
          accountId: vehicle.accountId,
          vehiclePublicId: vehicle.publicId,
          name: 'honk_horn',
          group: 'alerts',
          state: 'SENDING',
          stateChangedAt: new Date(now),
          requestedByKind: 'TOKEN',
          via: 'REST',
          createdAt: new Date(now),
          expiresAt: new Date(now + 60_000),
          ...more,
        },
      });
      return id;
    },
    [Symbol.asyncDispose]: async () => {
      await closeDesks();
      await maker.close();
      await db.close();
    },
  };
}
