import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedUuid, newUuid } from '../../src/base/ids.ts';
import { vaultOf } from '../../src/base/vault.ts';
import { importHistory } from '../../src/ingest/import-history.ts';
import { type Ingest, startIngest } from '../../src/ingest/worker.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { recordGarage } from '../../src/simulator/history.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { storeTokens } from '../../src/store/maker-accounts.ts';
import { describeEachEngine, scratchDatabase } from '../support/database.ts';
import { someLimits } from '../support/rows.ts';

type Scratch = Awaited<ReturnType<typeof scratchDatabase>>;

const vault = vaultOf(Buffer.alloc(32, 7));
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** Waits until `look` gives something, looking often; fails after 20 s. */
async function eventually<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('It did not come to pass within 20 s.');
}

describeEachEngine('following the garage', (engine) => {
  const startedAt = Date.parse('2026-03-02T08:00:00Z');
  const accountId = newUuid();
  const makerAccountId = derivedUuid(startedAt, 'maker account');
  let scratch: Scratch;
  let simulator: Simulator;
  let ingest: Ingest;

  beforeAll(async () => {
    scratch = await scratchDatabase(engine);
    const cars = openGarage({ seed: 'follow', untilMs: startedAt, days: 1 });
    for (const _line of recordGarage(cars, startedAt));
    const realStart = Date.now();
    const clock = () => startedAt + (Date.now() - realStart);
    simulator = await startSimulator({ cars, clock, seed: 'follow', speed: 1 });
    const vins = cars.map((car) => car.spec.vin);
    const pair = simulator.seedTokens({ subject: 'person', vins });
    const { prisma } = scratch;
    await prisma.account.create({ data: { id: accountId, name: 'Somebody', simulated: true } });
    await prisma.makerAccount.create({
      data: {
        id: makerAccountId,
        accountId,
        maker: 'simulator',
        region: 'SIM',
        makerSubject: 'person',
        baseUrl: simulator.baseUrl,
        status: 'ACTIVE',
        simulated: true,
      },
    });
    // An access token about to end: the first look has to renew it.
    const tokens = {
      accessToken: pair.accessToken,
      refreshToken: pair.refreshToken,
      expiresAt: clock(),
    };
    await storeTokens(prisma, vault, makerAccountId, tokens, null, clock());
    await prisma.vehicle.createMany({
      data: vins.map((vin, index) => ({
        id: newUuid(),
        accountId,
        makerAccountId,
        vin,
        publicId: `car-${engine}-${index}`,
        maker: 'simulator',
        simulated: true,
      })),
    });
    const { tokenUrl } = simulator;
    ingest = startIngest({
      prisma,
      vault,
      clock,
      log: quiet,
      tokenEndpoint: () => ({ tokenUrl, clientId: 'odograph' }),
      limits: someLimits(prisma, clock),
    });
  });

  afterAll(async () => {
    await ingest?.close();
    await simulator?.close();
    await scratch?.close();
  });

  it('keeps what the maker tells of alerts and drivers, once, of vehicles that are online', async () => {
    const alert = await eventually(() => scratch.prisma.alert.findFirst());
    // It is a Monday.
    expect(alert.name).toBe('SIM_a021_washerFluidLow');
    await eventually(() => scratch.prisma.vehicleDriver.findFirst());
    const raised = await scratch.prisma.event.findMany({ where: { type: 'alert.raised' } });
    expect(raised).toHaveLength(await scratch.prisma.alert.count());
  });

  it('records the drive under way and the charge under way', async () => {
    const drive = await eventually(() =>
      scratch.prisma.drive.findFirst({ where: { state: 'ONGOING' } }),
    );
    const charge = await eventually(() =>
      scratch.prisma.charge.findFirst({ where: { state: 'ONGOING' } }),
    );
    expect([drive.simulated, charge.simulated]).toEqual([true, true]);
  });

  it('keeps up with the vehicle that drives', async () => {
    const first = await eventually(() =>
      scratch.prisma.drive.findFirst({ where: { sampleCount: { gte: 1 } } }),
    );
    const later = await eventually(() =>
      scratch.prisma.drive.findFirst({
        where: { id: first.id, sampleCount: { gt: first.sampleCount } },
      }),
    );
    expect(later.endOdometerKm ?? 0).toBeGreaterThanOrEqual(first.endOdometerKm ?? 0);
  });

  it('renewed the token before it used it, and stores no token in the clear', async () => {
    const row = await eventually(() =>
      scratch.prisma.makerAccount.findFirst({ where: { previousTokens: { not: null } } }),
    );
    expect(row.status).toBe('ACTIVE');
    expect(row.accessToken).toMatch(/^v1\./);
    expect(simulator.calls.token).toBe(1);
  });

  it('tells what happened in the outbox, in order and without a gap', async () => {
    await eventually(async () => (await scratch.prisma.event.count()) > 4);
    const events = await scratch.prisma.event.findMany({ orderBy: { position: 'asc' } });
    expect(events.map((event) => Number(event.position))).toEqual(
      events.map((_, index) => index + 1),
    );
    for (const id of new Set(events.map((event) => event.vehicleId))) {
      const own = events.filter((event) => event.vehicleId === id);
      expect(own.map((event) => Number(event.sequence))).toEqual(own.map((_, index) => index + 1));
    }
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['drive.started', 'charge.started']),
    );
  });

  it('goes on by itself after the maker failed', async () => {
    const before = ingest.counts.failures;
    simulator.fault({ kind: 'upstream_error', times: 2 });
    await eventually(async () => ingest.counts.failures > before);
    const { events } = ingest.counts;
    await eventually(async () => ingest.counts.events > events + 3);
    expect(ingest.counts.refused).toBe(0);
  });
});
describe('the trace of a day', () => {
  it('is the same history whether it is imported once or twice', async () => {
    const scratch = await scratchDatabase('embedded');
    const untilMs = Date.parse('2026-03-02T08:00:00Z');
    const vehicleId = newUuid();
    const owner = newUuid();
    await scratch.prisma.account.create({ data: { id: owner, name: 'Somebody' } });
    await scratch.prisma.vehicle.create({
      data: {
        id: vehicleId,
        accountId: owner,
        publicId: 'imported',
        vin: 'TEST0000000000001',
        maker: 'simulator',
      },
    });
    const read = () =>
      Promise.all([
        scratch.prisma.drive.findMany({ omit: { updatedAt: true }, orderBy: { id: 'asc' } }),
        scratch.prisma.trackBatch.findMany({ orderBy: { startedAt: 'asc' } }),
      ]);
    const lines = () => {
      const [car] = openGarage({ seed: 'twice', untilMs, days: 3 });
      return car === undefined ? [] : recordGarage([car], untilMs);
    };
    await importHistory(scratch.prisma, vehicleId, lines());
    const once = await read();
    expect(once[0].length).toBeGreaterThan(2);
    await importHistory(scratch.prisma, vehicleId, lines());
    expect(await read()).toEqual(once);
    await scratch.close();
  });
});
