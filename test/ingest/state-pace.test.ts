import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { applyEvents } from '../../src/ingest/apply.ts';
import type { IngestEvent } from '../../src/ingest/state.ts';
import { createStateTeller } from '../../src/ingest/state-teller.ts';
import type { Vehicle } from '../../src/store/generated/prisma/client.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { anAccount, aVehicle } from '../support/rows.ts';
import { streamIngest } from '../support/streamed.ts';
import { record } from '../support/telemetry.ts';
import { parked, T0 } from '../support/trace.ts';

describe('updates of a vehicle’s state', () => {
  let db: ScratchDatabase;
  let vehicle: Vehicle;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
  });
  beforeEach(async () => {
    vehicle = await aVehicle(db.prisma, await anAccount(db.prisma));
  });
  afterAll(() => db?.close());

  /** What was heard in a second of event time, and came in at so many ms. */
  const heard = (second: number, ms: number, more = {}): IngestEvent => {
    const event = parked(second, 1000 + second, more);
    if (event.kind !== 'observation') throw new Error('A tick.');
    return { ...event, observation: { ...event.observation, receivedAt: T0 + ms } };
  };
  const apply = (...events: IngestEvent[]) => applyEvents(db.prisma, vehicle.id, events);
  const tick = (ms: number): IngestEvent => ({ kind: 'tick', at: T0 + ms });
  const told = async () => {
    const type = 'vehicle.state.updated';
    const where = { vehicleId: vehicle.id, type };
    const events = await db.prisma.event.findMany({ where, orderBy: { position: 'asc' } });
    return events.map(({ occurredAt }) => (occurredAt.getTime() - T0) / 1_000);
  };

  it('are told at most once a second, the last of them as soon as something is heard again', async () => {
    await apply(heard(1, 1_000));
    await apply(heard(2, 1_300));
    await apply(heard(3, 1_900));
    expect(await told()).toEqual([1]);
    await apply(tick(1_999));
    expect(await told()).toEqual([1]);
    await apply(tick(2_000));
    expect(await told()).toEqual([1, 3]);
    await apply(tick(9_000));
    expect(await told()).toEqual([1, 3]);
  });

  it('are one for all that is stored at once', async () => {
    await apply(heard(1, 1_000), heard(2, 5_000), heard(3, 9_000));
    expect(await told()).toEqual([3]);
  });

  it('tell every section that changed since the last', async () => {
    await apply(heard(1, 1_000));
    const { news } = await apply(heard(2, 1_200, { insideTempC: 21 }));
    await apply(heard(3, 1_400));
    await apply(tick(2_500));
    const [, event] = await db.prisma.event.findMany({
      where: { vehicleId: vehicle.id, type: 'vehicle.state.updated' },
      orderBy: { position: 'asc' },
    });
    expect(news?.held?.data.sections).toContain('climate');
    expect(JSON.parse(JSON.stringify(event?.data)).sections).toContain('climate');
  });

  it('are told after a second where nothing is heard any more', async () => {
    const parts = { prisma: db.prisma, clock: () => T0 + 60_000, log: silentLog };
    const teller = createStateTeller(parts);
    await apply(heard(1, 1_000));
    teller.after(vehicle.id, await apply(heard(2, 1_300)));
    const deadline = Date.now() + 20_000;
    while ((await told()).length < 2 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await told()).toEqual([1, 2]);
    await teller.close();
  });

  it('are told of no vehicle that is removed meanwhile, and not asked for again', async () => {
    const troubles: string[] = [];
    const warn = (_facts: object, message: string) => troubles.push(message);
    const teller = createStateTeller({ prisma: db.prisma, clock: () => T0, log: { warn } });
    await apply(heard(1, 1_000));
    teller.after(vehicle.id, await apply(heard(2, 1_300)));
    await db.prisma.vehicle.delete({ where: { id: vehicle.id } });
    db.statements.length = 0;
    await vi.waitFor(() => expect(db.statements.join()).toContain('pg_advisory'), 20_000);
    await teller.close();
    expect(troubles).toEqual([]);
  });

  it('are not told once more where late records have the vehicle reduced anew', async () => {
    const teller = createStateTeller({ ...{ prisma: db.prisma, log: silentLog }, clock: () => T0 });
    await apply(heard(1, -2_000));
    const held = await apply(heard(2, -1_700));
    const ingest = streamIngest(db.prisma, T0 + 100_000);
    const { vin } = vehicle;
    await ingest.take([record(60, { Soc: 70 }, vin)]);
    teller.after(vehicle.id, held);
    await expect.poll(async () => (await told()).length, { timeout: 20_000 }).toBe(2);
    await teller.close();
    await ingest.settle();
    await ingest.take([record(30, { Soc: 71 }, vin)]);
    await ingest.settle();
    const { news } = await apply(tick(200_000));
    expect(news).toMatchObject({ held: null });
  });
});
