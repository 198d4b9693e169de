import { createEventFeed } from '../../src/actions/event-feed.ts';
import type { MakerDoor } from '../../src/actions/maker-door.ts';
import type { WebhookDesk } from '../../src/actions/webhook-desk.ts';
import { newSigningSecret } from '../../src/actions/webhook-signature.ts';
import type { Principal } from '../../src/auth/principal.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS, MINUTE_MS } from '../../src/base/units.ts';
import { vaultOf } from '../../src/base/vault.ts';
import type { Sample } from '../../src/contract/samples.ts';
import { type Scope, scopes } from '../../src/contract/scopes.ts';
import { callWindows } from '../../src/ingest/call-windows.ts';
import type { MakerLimits } from '../../src/ingest/maker-gate.ts';
import { makerSessions } from '../../src/ingest/sessions.ts';
import { spendLedger } from '../../src/ingest/spend-ledger.ts';
import type { SpendRates } from '../../src/ingest/standing.ts';
import type { Context } from '../../src/schema/context.ts';
import type {
  Account,
  Alert,
  Charge,
  Command,
  Drive,
  MakerAccount,
  ParkedSpan,
  Place,
  Prisma,
  PrismaClient,
  SoftwareInstallation,
  SoftwareUpdate,
  StateSpan,
  Tariff,
  Trip,
  Vehicle,
  Webhook,
  WebhookDelivery,
} from '../../src/store/generated/prisma/client.ts';
import { appendSamples } from '../../src/store/track.ts';
import { sealedSecret } from '../../src/store/webhooks.ts';

/** The present of tests: 2026-03-01T12:00:00Z. */
export const now = Date.UTC(2026, 2, 1, 12);

let made = 0;

const testVault = vaultOf(Buffer.alloc(32, 7));

/** An account of its own. */
export function anAccount(
  prisma: PrismaClient,
  data: Partial<Prisma.AccountUncheckedCreateInput> = {},
): Promise<Account> {
  return prisma.account.create({ data: { id: newUuid(), name: 'Ada', ...data } });
}

/** A vehicle of an account; slug and VIN are its own. */
export function aVehicle(
  prisma: PrismaClient,
  account: Account,
  data: Partial<Prisma.VehicleUncheckedCreateInput> = {},
): Promise<Vehicle> {
  made += 1;
  const number = String(made).padStart(6, '0');
  return prisma.vehicle.create({
    data: {
      id: newUuid(),
      accountId: account.id,
      publicId: `car-${number}`,
      vin: `5YJ3E7EB0NF${number}`,
      maker: 'simulator',
      ...data,
    },
  });
}

/** A place of an account, a circle in Berlin unless told otherwise. */
export function aPlace(
  prisma: PrismaClient,
  account: Account,
  data: Partial<Prisma.PlaceUncheckedCreateInput> = {},
): Promise<Place> {
  return prisma.place.create({
    data: {
      id: newUuid(),
      accountId: account.id,
      name: 'Home',
      kind: 'HOME',
      latitude: 52.520008,
      longitude: 13.404954,
      radiusM: 100,
      ...data,
    },
  });
}

/** A tariff of an account, at 0.30 EUR for a kWh unless told otherwise. */
export function aTariff(
  prisma: PrismaClient,
  account: Account,
  data: Partial<Prisma.TariffUncheckedCreateInput> = {},
): Promise<Tariff> {
  return prisma.tariff.create({
    data: {
      id: newUuid(),
      accountId: account.id,
      name: 'Home',
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      defaultRate: '0.30',
      ...data,
    },
  });
}

/** Data of a drive of 30 minutes and 20 km that started `daysAgo` days ago. */
export function driveData(
  vehicle: Vehicle,
  daysAgo: number,
  data: Partial<Prisma.DriveUncheckedCreateInput> = {},
): Prisma.DriveUncheckedCreateInput {
  const startedAt = now - daysAgo * DAY_MS;
  return {
    id: newUuid(),
    vehicleId: vehicle.id,
    state: 'ENDED',
    startedAt: new Date(startedAt),
    endedAt: new Date(startedAt + 30 * MINUTE_MS),
    durationS: 1800,
    startLatitude: 52.520008,
    startLongitude: 13.404954,
    endLatitude: 52.4,
    endLongitude: 13.1,
    distanceKm: 20,
    energyUsedKwh: 3,
    source: 'POLL',
    ...data,
  };
}

/** Such a drive, stored. */
export function aDrive(
  prisma: PrismaClient,
  vehicle: Vehicle,
  daysAgo: number,
  data: Partial<Prisma.DriveUncheckedCreateInput> = {},
): Promise<Drive> {
  return prisma.drive.create({ data: driveData(vehicle, daysAgo, data) });
}

/** A principal of an account with all five scopes unless told otherwise. */
export function aPrincipal(account: Account, data: Partial<Principal> = {}): Principal {
  return {
    accountId: account.id,
    vehicleIds: null,
    credential: { kind: 'TOKEN', id: newUuid(), name: 'test' },
    scopes: new Set<Scope>(scopes),
    locationPrecision: 'EXACT',
    commandGroups: null,
    expiresAt: now + DAY_MS,
    ...data,
  };
}

/** What the maker takes, and ten a month. */
export const someRates: SpendRates = {
  prices: { SIGNAL: 150_000, DATA: 500, COMMAND: 1_000, WAKE: 50 },
  currency: 'USD',
  limit: 10,
};

/** The maker's own limits, and the budget of `someRates`. */
export function someLimits(prisma: PrismaClient, clock: Clock): MakerLimits {
  const vehicle = { DATA: 60, COMMAND: 30, WAKE: 3 };
  const account = { DATA: 600, COMMAND: 300, WAKE: 30 };
  const ledger = spendLedger({ prisma, clock, rates: someRates });
  return { ledger, windows: callWindows(clock, { vehicle, account }) };
}

/** No limits of the maker, and no budget. */
export function noMakerLimits(prisma: PrismaClient, clock: Clock = Date.now): MakerLimits {
  const many = { DATA: 10_000, COMMAND: 10_000, WAKE: 10_000 };
  const rates = { ...someRates, limit: null };
  const ledger = spendLedger({ prisma, clock, rates });
  return { ledger, windows: callWindows(clock, { vehicle: many, account: many }) };
}

/** A way to no maker at all. */
export function closedDoor(prisma: PrismaClient): MakerDoor {
  const vault = testVault;
  const { signal } = new AbortController();
  const sessions = makerSessions({ prisma, vault, clock: () => now, signal });
  const ledger = spendLedger({ prisma, clock: () => now, rates: someRates });
  return { connectors: new Map(), vault, sessions, ledger, changed: () => {} };
}

/** A desk that takes webhooks and calls none; every host is found at an address of the public internet. */
export function closedWebhookDesk(): WebhookDesk {
  return {
    vault: testVault,
    policy: {
      allowed: [],
      resolve: async () => [{ address: '93.184.215.14', family: 4 }],
    },
    counts: { calls: 0, delivered: 0, failed: 0, stopped: 0, swept: 0 },
    look: () => {},
    limits: { take: async () => {} },
    lease: () => ({ leaseId: newUuid(), leaseMs: 30_000 }),
    sendNow: async () => {},
    settled: async () => {},
    close: async () => {},
  };
}

/** A context for one operation. */
export function aContext(
  prisma: PrismaClient,
  principal: Principal | null,
  data: Partial<Context> = {},
): Context {
  return {
    prisma,
    principal,
    surface: 'api',
    clock: () => now,
    maker: closedDoor(prisma),
    feed: createEventFeed({ prisma, onEvents: () => () => {}, log: silentLog }),
    webhooks: closedWebhookDesk(),
    requestId: 'req-test',
    log: silentLog,
    ...data,
  };
}

/** A charge of an hour and 30 kWh that started `daysAgo` days ago. */
export function aCharge(
  prisma: PrismaClient,
  vehicle: Vehicle,
  daysAgo: number,
  data: Partial<Prisma.ChargeUncheckedCreateInput> = {},
): Promise<Charge> {
  const startedAt = now - daysAgo * DAY_MS;
  return prisma.charge.create({
    data: {
      id: newUuid(),
      vehicleId: vehicle.id,
      state: 'COMPLETE',
      startedAt: new Date(startedAt),
      endedAt: new Date(startedAt + 60 * MINUTE_MS),
      durationS: 3600,
      latitude: 52.520008,
      longitude: 13.404954,
      kind: 'AC',
      energyAddedKwh: 30,
      source: 'POLL',
      ...data,
    },
  });
}

/** A trip of two hours that started `daysAgo` days ago. */
export function aTrip(
  prisma: PrismaClient,
  vehicle: Vehicle,
  daysAgo: number,
  data: Partial<Prisma.TripUncheckedCreateInput> = {},
): Promise<Trip> {
  const startedAt = now - daysAgo * DAY_MS;
  return prisma.trip.create({
    data: {
      id: newUuid(),
      vehicleId: vehicle.id,
      state: 'ENDED',
      startedAt: new Date(startedAt),
      endedAt: new Date(startedAt + 120 * MINUTE_MS),
      distanceKm: 40,
      startLatitude: 52.520008,
      startLongitude: 13.404954,
      endLatitude: 52.4,
      endLongitude: 13.1,
      ...data,
    },
  });
}

/** A parked span of twelve hours that started `daysAgo` days ago. */
export function aParkedSpan(
  prisma: PrismaClient,
  vehicle: Vehicle,
  daysAgo: number,
  data: Partial<Prisma.ParkedSpanUncheckedCreateInput> = {},
): Promise<ParkedSpan> {
  const startedAt = now - daysAgo * DAY_MS;
  return prisma.parkedSpan.create({
    data: {
      id: newUuid(),
      vehicleId: vehicle.id,
      startedAt: new Date(startedAt),
      endedAt: new Date(startedAt + DAY_MS / 2),
      latitude: 52.520008,
      longitude: 13.404954,
      ...data,
    },
  });
}

/** A state span of an hour that started `daysAgo` days ago. */
export function aStateSpan(
  prisma: PrismaClient,
  vehicle: Vehicle,
  daysAgo: number,
  data: Partial<Prisma.StateSpanUncheckedCreateInput> = {},
): Promise<StateSpan> {
  const startedAt = now - daysAgo * DAY_MS;
  return prisma.stateSpan.create({
    data: {
      id: newUuid(),
      vehicleId: vehicle.id,
      status: 'ONLINE',
      startedAt: new Date(startedAt),
      endedAt: new Date(startedAt + 60 * MINUTE_MS),
      ...data,
    },
  });
}

/** An alert raised `daysAgo` days ago and cleared an hour later. */
export function anAlert(
  prisma: PrismaClient,
  vehicle: Vehicle,
  daysAgo: number,
  data: Partial<Prisma.AlertUncheckedCreateInput> = {},
): Promise<Alert> {
  const raisedAt = now - daysAgo * DAY_MS;
  return prisma.alert.create({
    data: {
      id: newUuid(),
      vehicleId: vehicle.id,
      name: 'XX_a001_unheardOf',
      audiences: ['customer'],
      text: 'Look at it',
      raisedAt: new Date(raisedAt),
      clearedAt: new Date(raisedAt + 60 * MINUTE_MS),
      ...data,
    },
  });
}

/** A software version first seen `daysAgo` days ago. */
export function aSoftwareUpdate(
  prisma: PrismaClient,
  version: string,
  daysAgo: number,
): Promise<SoftwareUpdate> {
  const seen = new Date(now - daysAgo * DAY_MS);
  return prisma.softwareUpdate.create({
    data: { id: newUuid(), version, firstSeenAt: seen, lastSeenAt: seen },
  });
}

/** The installation of a version that was seen running `daysAgo` days ago. */
export function anInstallation(
  prisma: PrismaClient,
  vehicle: Vehicle,
  update: SoftwareUpdate,
  daysAgo: number,
  data: Partial<Prisma.SoftwareInstallationUncheckedCreateInput> = {},
): Promise<SoftwareInstallation> {
  const seenAt = new Date(now - daysAgo * DAY_MS);
  return prisma.softwareInstallation.create({
    data: {
      id: newUuid(),
      vehicleId: vehicle.id,
      softwareUpdateId: update.id,
      state: 'INSTALLED',
      seenAt,
      endedAt: seenAt,
      ...data,
    },
  });
}

/** A command that succeeded `daysAgo` days ago, with its history. */
export function aCommand(
  prisma: PrismaClient,
  vehicle: Vehicle,
  daysAgo: number,
  data: Partial<Prisma.CommandUncheckedCreateInput> = {},
): Promise<Command> {
  const at = new Date(now - daysAgo * DAY_MS);
  return prisma.command.create({
    data: {
      id: newUuid(),
      vehicleId: vehicle.id,
      accountId: vehicle.accountId,
      vehiclePublicId: vehicle.publicId,
      name: 'flash_lights',
      group: 'alerts',
      state: 'SUCCEEDED',
      stateChangedAt: at,
      requestedByKind: 'TOKEN',
      via: 'REST',
      createdAt: at,
      expiresAt: new Date(at.getTime() + 3 * MINUTE_MS),
      history: {
        create: [
          { ordinal: 0, state: 'QUEUED', at },
          { ordinal: 1, state: 'SUCCEEDED', at },
        ],
      },
      ...data,
    },
  });
}

/** A maker account of an account. */
export function aMakerAccount(
  prisma: PrismaClient,
  account: Account,
  data: Partial<Prisma.MakerAccountUncheckedCreateInput> = {},
): Promise<MakerAccount> {
  return prisma.makerAccount.create({
    data: {
      id: newUuid(),
      accountId: account.id,
      maker: 'simulator',
      region: 'SIM',
      makerSubject: newUuid(),
      baseUrl: 'http://127.0.0.1:1',
      status: 'ACTIVE',
      accessToken: 'sealed-access-token',
      refreshToken: 'sealed-refresh-token',
      listedAt: new Date(0),
      ...data,
    },
  });
}

/** A webhook of an account for what becomes of webhooks, vouched for by no token unless told by which. */
export function aWebhook(
  prisma: PrismaClient,
  account: Account,
  data: Partial<Prisma.WebhookUncheckedCreateInput> = {},
): Promise<Webhook> {
  const id = newUuid();
  const at = new Date(now);
  return prisma.webhook.create({
    data: {
      id,
      accountId: account.id,
      url: 'https://hooks.example.org/odograph',
      types: ['webhook.status_changed'],
      secret: sealedSecret(testVault, id, { secret: newSigningSecret(), column: 'secret' }),
      credentialKind: 'TOKEN',
      credentialId: newUuid(),
      position: 0,
      statusChangedAt: at,
      createdAt: at,
      ...data,
    },
  });
}

/** A delivery of a webhook that arrived at the second attempt. */
export function aWebhookDelivery(prisma: PrismaClient, webhook: Webhook): Promise<WebhookDelivery> {
  const at = new Date(now);
  return prisma.webhookDelivery.create({
    data: {
      id: newUuid(),
      webhookId: webhook.id,
      eventId: newUuid(),
      type: 'drive.ended',
      body: '{"type":"drive.ended"}',
      state: 'DELIVERED',
      attempts: 2,
      failures: 1,
      createdAt: at,
      endedAt: at,
      history: {
        create: [
          { ordinal: 0, at, durationMs: 20, status: 500, error: 'status', responseExcerpt: 'oops' },
          { ordinal: 1, at, durationMs: 30, status: 200 },
        ],
      },
    },
  });
}

const emptySample: Sample = {
  at: 0,
  latitude: null,
  longitude: null,
  headingDeg: null,
  speedKmh: null,
  powerKw: null,
  batteryLevelPct: null,
  odometerKm: null,
  elevationM: null,
  rangeRatedKm: null,
  insideTempC: null,
  outsideTempC: null,
  chargerPowerKw: null,
  chargerVoltageV: null,
  chargeActualCurrentA: null,
  chargerPhases: null,
  chargeEnergyAddedKwh: null,
  batteryHeaterOn: null,
};

/** A sample at a time (epoch ms); what is not given is unknown. */
export function aSample(at: number, data: Partial<Sample> = {}): Sample {
  return { ...emptySample, ...data, at };
}

/** Stores samples of a vehicle. */
export async function storeSamples(
  prisma: PrismaClient,
  vehicle: Vehicle,
  samples: readonly Sample[],
): Promise<void> {
  await prisma.$transaction((tx) => appendSamples(tx, vehicle.id, samples));
}
