import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import { type PumpCounts, reduceDue } from '../../src/ingest/pump.ts';
import { reduceStream } from '../../src/ingest/reduce-stream.ts';
import { replay } from '../../src/ingest/replay.ts';
import { sweepJournal } from '../../src/store/journal-retention.ts';
import { readSamples } from '../../src/store/track.ts';
import { answer, at } from '../schema/ask.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aPrincipal } from '../support/rows.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { charger, gear, MPH_60, miles, place, record, S0 } from '../support/telemetry.ts';

let count = 0;

/** A VIN that no other test of this file uses. */
function newVin(): string {
  count += 1;
  return `TEST${String(count).padStart(13, '0')}`;
}

/** Five drives of ten kilometres, two hours apart, a record in ten seconds. */
function fiveDrives(vin: string): string[] {
  return [0, 1, 2, 3, 4].flatMap((nth) => {
    const from = nth * 7_200;
    const km = (second: number) => nth * 10 + second / 60;
    return [
      record(from, { Gear: gear('P'), Odometer: miles(km(0)), Soc: 80 - nth }, vin),
      record(from + 10, { Gear: gear('D'), VehicleSpeed: MPH_60 }, vin),
      ...Array.from({ length: 58 }, (_, index) => {
        const second = 20 + index * 10;
        return record(from + second, { Location: place(km(second)), VehicleSpeed: MPH_60 }, vin);
      }),
      record(from + 600, { Gear: gear('P'), VehicleSpeed: 0, Odometer: miles(km(600)) }, vin),
    ];
  });
}

/** Makes what is stored of a vehicle unreadable, as a version of long ago would be; gives how to undo it. */
async function unreadable(db: ScratchDatabase, vehicleId: string) {
  const { state } = await db.prisma.vehicleMachine.findUniqueOrThrow({ where: { vehicleId } });
  const write = (to: object) =>
    db.prisma.vehicleMachine.update({ where: { vehicleId }, data: { state: to } });
  await write({ version: 0 });
  return () => write(JSON.parse(JSON.stringify(state)));
}

describeEachEngine('a vehicle that is reduced anew', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  /** A vehicle whose drives are stored, but for the lines that are left out. */
  async function without(leftOut: (index: number) => boolean) {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    const lines = fiveDrives(vin);
    await ingest.take(lines.filter((_, index) => !leftOut(index)));
    await ingest.settle();
    const late = lines.filter((_, index) => leftOut(index));
    const commit = () =>
      reduceStream(db.prisma, vehicle.id, ingest.clock.at, { entries: 80, ms: 60_000 });
    return { vehicle, ingest, lines, late, commit };
  }

  it('gets there a commit at a time, and shows what it was until it is done', async () => {
    const { vehicle, ingest, lines, late, commit } = await without((index) => index < 20);
    const before = await storedReport(db.prisma, vehicle);
    const row = await db.prisma.vehicle.findUniqueOrThrow({ where: { id: vehicle.id } });
    await ingest.take(late);
    let commits = 1;
    for (let done = await commit(); done.more; done = await commit()) {
      commits += 1;
      expect(done).toMatchObject({ again: false });
      expect(await storedReport(db.prisma, vehicle)).toEqual(before);
      expect(await db.prisma.vehicle.findUnique({ where: { id: vehicle.id } })).toEqual(row);
    }
    expect(commits).toBeGreaterThan(3);
    expect(await storedReport(db.prisma, vehicle)).toEqual(replay(lines));
    const samples = await readSamples(db.prisma, vehicle.id, S0, S0 + DAY_MS);
    expect(samples).toHaveLength(5 * 60);
    expect(await db.prisma.vehicleRerun.count()).toBe(0);
  });

  it('takes in what comes late meanwhile, behind where it is and ahead of it', async () => {
    const { vehicle, ingest, lines, late, commit } = await without(
      (index) => index % 61 > 20 && index % 61 < 30,
    );
    const [first = '', ...others] = late.slice(9);
    await ingest.take([first]);
    expect(await commit()).toMatchObject({ more: true });
    await ingest.take(late.slice(0, 9));
    expect(await commit()).toMatchObject({ more: true });
    await ingest.take(others);
    while ((await commit()).more);
    expect(await storedReport(db.prisma, vehicle)).toEqual(replay(lines));
  });

  it('removes a charge that nobody saw, and that ended before the checkpoint, when it is seen', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + 60_000);
    const parked = { Gear: gear('P'), DetailedChargeState: charger('Disconnected') };
    const seen = record(0, { ...parked, Odometer: miles(1_000), Soc: 40 }, vin);
    const charging = [
      record(9_000, { DetailedChargeState: charger('Charging'), Soc: 41 }, vin),
      record(9_600, { Soc: 95 }, vin),
      record(9_660, { DetailedChargeState: charger('Disconnected') }, vin),
    ];
    // The road since it was last heard takes longer than the time since then.
    const back = record(18_000, { ...parked, Odometer: miles(1_300), Soc: 90 }, vin);
    await ingest.take([seen]);
    await ingest.settle();
    await ingest.take([back]);
    await ingest.settle();
    expect(await db.prisma.charge.count({ where: { vehicleId: vehicle.id } })).toBe(1);
    await ingest.take(charging);
    await ingest.settle();
    expect(await storedReport(db.prisma, vehicle)).toEqual(replay([seen, ...charging, back]));
  });

  it('ends a commit by time as well, between two pages', async () => {
    const { vehicle, ingest, late } = await without((index) => index === 3);
    await ingest.take(late);
    const size = { entries: 50, ms: 0 };
    expect(await reduceStream(db.prisma, vehicle.id, ingest.clock.at, size)).toMatchObject({
      more: true,
      entries: 49,
    });
  });

  it('keeps the checkpoint that it needs, however old it is', async () => {
    const { vehicle, ingest, lines, late } = await without((index) => index === 3);
    ingest.clock.at += 2 * DAY_MS;
    await ingest.take(late);
    await sweepJournal(db.prisma, ingest.clock.at - DAY_MS);
    await ingest.settle();
    expect(await storedReport(db.prisma, vehicle)).toEqual(replay(lines));
  });

  it('holds up nobody else when it cannot be done, and is put aside with its records', async () => {
    const broken = await newStreamed(db.prisma, newVin());
    const sound = await newStreamed(db.prisma, newVin());
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    await ingest.take([record(0, { Soc: 80 }, broken.vin), record(0, { Soc: 80 }, sound.vin)]);
    await ingest.settle();
    const mend = await unreadable(db, broken.id);
    const counts: PumpCounts = {
      ...{ reduced: 0, again: 0, refused: 0, failures: 0, putAside: 0, swept: 0 },
    };
    const due = async () => {
      const { signal } = new AbortController();
      await reduceDue({ prisma: db.prisma, clock: ingest.clock, log: silentLog }, counts, signal);
    };
    const later = (seconds: number) => DAY_MS / SECOND_MS + seconds;
    for (const attempt of [0, 1, 2, 3, 4, 5, 6]) {
      await ingest.take([
        ...fiveDrives(broken.vin).slice(attempt * 61, (attempt + 1) * 61),
        record(later(attempt), { Soc: 70 - attempt }, sound.vin),
      ]);
      ingest.clock.at += HOUR_MS;
      await due();
    }
    expect(counts).toMatchObject({ failures: 7, putAside: 1 });
    const where = { vehicleId: broken.id };
    expect(await db.prisma.vehicleStream.findUnique({ where })).toMatchObject({
      failures: 7,
      failedSince: new Date(S0 + DAY_MS + 262 * MINUTE_MS),
      failure: 'Error',
      retryAt: new Date(ingest.clock.at + HOUR_MS),
    });
    const account = await db.prisma.account.findUniqueOrThrow({ where: { id: broken.accountId } });
    const { publicId } = await db.prisma.vehicle.findUniqueOrThrow({ where: { id: broken.id } });
    const told = await answer(
      db.prisma,
      aPrincipal(account),
      'query ($id: ID!) { vehicle(publicId: $id) { telemetry { failing failure failingSince } } }',
      { id: publicId },
    );
    expect(at(told, 'vehicle.telemetry')).toMatchObject({ failing: true, failure: 'Error' });
    const { values } = Object(
      (await db.prisma.vehicleMachine.findUnique({ where: { vehicleId: sound.id } }))?.state,
    );
    expect(values).toMatchObject({ usableBatteryLevelPct: 64 });
    ingest.clock.at += 30 * DAY_MS;
    await sweepJournal(db.prisma, ingest.clock.at - 3 * DAY_MS);
    expect(await db.prisma.ingestRecord.count({ where })).toBeGreaterThanOrEqual(305);
    await mend();
    await due();
    expect(await db.prisma.vehicleStream.findUnique({ where })).toMatchObject({
      failures: 0,
      failure: null,
    });
    expect(await db.prisma.drive.count({ where })).toBe(5);
  });
});
