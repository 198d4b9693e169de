import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import { applyEvents } from '../../src/ingest/apply.ts';
import { importHistory } from '../../src/ingest/import-history.ts';
import type { TraceLine } from '../../src/ingest/trace.ts';
import { sweepJournal } from '../../src/store/journal-retention.ts';
import { readSamples } from '../../src/store/track.ts';
import { newAccount } from '../auth/household.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { newStreamed, storedReport, streamIngest } from '../support/streamed.ts';
import { streamedDay as day } from '../support/streamed-day.ts';
import { charger, gear, link, MPH_60, miles, place, record, S0 } from '../support/telemetry.ts';

let count = 0;

/** A VIN that no other test of this file uses. */
function newVin(): string {
  count += 1;
  return `TEST${String(count).padStart(13, '0')}`;
}

/** Ten minutes of the vehicle's `nth` drive of ten kilometres, a record a second, from `from` seconds on. */
function drive(vin: string, from: number, nth = 0): string[] {
  const km = (second: number) => nth * 10 + second / 60;
  return [
    record(from - 5, { Gear: gear('P'), Odometer: miles(km(0)), Soc: 80 }, vin),
    record(from, { Gear: gear('D'), VehicleSpeed: MPH_60 }, vin),
    ...Array.from({ length: 599 }, (_, index) =>
      record(from + 1 + index, { Location: place(km(1 + index)), VehicleSpeed: MPH_60 }, vin),
    ),
    record(from + 600, { Gear: gear('P'), VehicleSpeed: 0, Odometer: miles(km(600)) }, vin),
  ];
}

describeEachEngine('the journal of a stream', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  const seconds = (value: number) => S0 + value * SECOND_MS;
  const drivesOf = (vehicleId: string) =>
    db.prisma.drive.findMany({ where: { vehicleId }, orderBy: { startedAt: 'asc' } });

  it('holds a record for a minute of event time, and longer while earlier ones may come', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, seconds(40));
    await ingest.take([record(0, { Gear: gear('D') }, vin), record(30, { VehicleSpeed: 20 }, vin)]);
    ingest.clock.at += 10 * SECOND_MS;
    await ingest.reduce();
    expect(await drivesOf(id)).toEqual([]);
    ingest.clock.at = seconds(61);
    await ingest.take([record(61, { VehicleSpeed: 20 }, vin)]);
    ingest.clock.at += 6 * SECOND_MS;
    await ingest.reduce();
    expect(await drivesOf(id)).toMatchObject([{ state: 'ONGOING', sampleCount: 1 }]);
    ingest.clock.at += MINUTE_MS;
    await ingest.reduce();
    expect(await drivesOf(id)).toMatchObject([{ state: 'ONGOING', sampleCount: 3 }]);
  });

  it('takes back a charge that nobody saw when the real one comes late', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, seconds(1));
    const charges = () => db.prisma.charge.findMany({ where: { vehicleId: id } });
    const parked = (at: number, soc: number, word: string) =>
      record(at, { Gear: gear('P'), Soc: soc, DetailedChargeState: charger(word) }, vin);
    await ingest.take([parked(0, 40, 'Disconnected')]);
    await ingest.settle();
    ingest.clock.at = seconds(40_000);
    await ingest.take([parked(40_000, 60, 'Disconnected')]);
    await ingest.settle();
    expect(await charges()).toMatchObject([{ startedAt: new Date(seconds(0)) }]);
    await ingest.take([
      parked(30_000, 40, 'Charging'),
      parked(33_000, 60, 'Charging'),
      parked(33_060, 60, 'Disconnected'),
    ]);
    await ingest.settle();
    expect(ingest.counts.again).toBe(1);
    expect(await charges()).toMatchObject([
      { startedAt: new Date(seconds(30_000)), endedAt: new Date(seconds(33_060)) },
    ]);
  });

  it('ends a drive by the time that passes, though nothing more comes', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, seconds(601));
    await ingest.take(drive(vin, 0).slice(0, -1));
    ingest.clock.at = seconds(600 + 14 * 60);
    await ingest.reduce();
    expect(await drivesOf(id)).toMatchObject([{ state: 'ONGOING' }]);
    ingest.clock.at = seconds(600 + 17 * 60);
    await ingest.reduce();
    expect(await drivesOf(id)).toMatchObject([
      { state: 'INCOMPLETE', endedAt: new Date(seconds(599)) },
    ]);
  });

  it('lets no record that claims the future make the others late', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, seconds(10));
    await ingest.take([record(20 * 3600, { Soc: 10 }, vin)]);
    const lines = drive(vin, 100);
    for (const from of [0, 300]) {
      ingest.clock.at = seconds(from + 400);
      expect(await ingest.take(lines.slice(from, from === 0 ? 300 : undefined))).toMatchObject({
        late: 0,
      });
      ingest.clock.at += 6 * SECOND_MS;
      await ingest.reduce();
    }
    ingest.clock.at = seconds(1_000);
    await ingest.reduce();
    expect(await drivesOf(vehicle.id)).toMatchObject([{ state: 'ENDED', sampleCount: 601 }]);
    expect(ingest.counts.again).toBe(0);
  });

  it('feeds every account that holds the vehicle, each with a history of its own', async () => {
    const vin = newVin();
    const early = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    await ingest.take(drive(vin, 0));
    await ingest.settle();
    const late = await newStreamed(db.prisma, vin);
    expect(await ingest.take([...drive(vin, 30_000, 1), ...drive(vin, 0).slice(-1)])).toMatchObject(
      {
        accepted: 603,
        duplicate: 0,
      },
    );
    await ingest.settle();
    const [first, second] = [await drivesOf(early.id), await drivesOf(late.id)];
    expect(first.map(({ startedAt }) => startedAt)).toEqual([
      new Date(seconds(0)),
      new Date(seconds(30_000)),
    ]);
    expect(second.map(({ startedAt }) => startedAt)).toEqual([new Date(seconds(30_000))]);
    expect(first.map(({ id }) => id)).not.toContain(second[0]?.id);
  });

  it('keeps two vehicles in one request apart', async () => {
    const [one, other] = [newVin(), newVin()];
    const accountId = await newAccount(db.prisma);
    const rows = [
      await newStreamed(db.prisma, one, accountId),
      await newStreamed(db.prisma, other, accountId),
    ];
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    const lines = [...drive(one, 0), ...drive(other, 7)].sort(() => 0);
    const mixed = lines.map((_, index) => lines[(index * 601) % lines.length] ?? '');
    expect(await ingest.take(mixed)).toMatchObject({ accepted: lines.length });
    await ingest.settle();
    for (const [index, row] of rows.entries()) {
      expect(await drivesOf(row.id)).toMatchObject([{ startedAt: new Date(seconds(index * 7)) }]);
    }
  });

  it.each([{ logging: false }, { archivedAt: new Date(S0) }])(
    'leaves a vehicle alone that is not recorded: %j',
    async (data) => {
      const vin = newVin();
      const { id } = await newStreamed(db.prisma, vin);
      await db.prisma.vehicle.update({ where: { id }, data });
      const ingest = streamIngest(db.prisma, S0);
      expect(await ingest.take([record(0, { Soc: 1 }, vin)])).toMatchObject({ unknownVehicle: 1 });
    },
  );

  it('writes the track anew from where a late record belongs, and joins what is before', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    const lines = [...drive(vin, 0), ...drive(vin, 3_600, 1)];
    const late = lines.filter((_, index) => index >= 900 && index < 950);
    await ingest.take(lines.filter((line) => !late.includes(line)));
    await ingest.settle();
    expect(await readSamples(db.prisma, id, S0, S0 + DAY_MS)).toHaveLength(1_202 - 50);
    expect(await ingest.take(late)).toMatchObject({ late: 50, tooLate: 0 });
    await ingest.settle();
    const samples = await readSamples(db.prisma, id, S0, S0 + DAY_MS);
    const wanted = [0, 3_600].flatMap((from) =>
      Array.from({ length: 601 }, (_, index) => seconds(from + index)),
    );
    expect(samples.map(({ at }) => at)).toEqual(wanted);
  });

  it('keeps what a person put on a drive that a late record moved', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    const lines = drive(vin, 0);
    const beginning = lines.splice(1, 30);
    await ingest.take(lines);
    await ingest.settle();
    const [before] = await drivesOf(vehicle.id);
    const edits = { note: 'to the lake', tags: ['swim'], purpose: 'PERSONAL' as const };
    const editedAt = new Date(S0 + DAY_MS);
    await db.prisma.drive.update({ where: { id: before?.id ?? '' }, data: { ...edits, editedAt } });
    await ingest.take(beginning);
    await ingest.settle();
    const after = await drivesOf(vehicle.id);
    expect(after).toMatchObject([{ ...edits, editedAt, startedAt: new Date(S0), state: 'ENDED' }]);
    expect(after[0]?.id).not.toBe(before?.id);
  });

  it('keeps an edited drive that was none as discarded, and removes one that nobody edited', async () => {
    const edited = newVin();
    const plain = newVin();
    for (const vin of [edited, plain]) {
      const { id } = await newStreamed(db.prisma, vin);
      const ingest = streamIngest(db.prisma, S0 + DAY_MS);
      // Without the odometer of the day before, half a kilometre more is a drive that nobody saw.
      await ingest.take([
        record(0, { Gear: gear('P'), Odometer: miles(1_000), Soc: 80, Location: place(0) }, vin),
        record(7_200, { Odometer: miles(1_010), Location: place(10) }, vin),
      ]);
      await ingest.settle();
      const [unseen] = await drivesOf(id);
      expect(unseen).toMatchObject({ state: 'INCOMPLETE' });
      const data = { note: 'who drove?', editedAt: new Date(S0) };
      if (vin === edited) await db.prisma.drive.update({ where: { id: unseen?.id ?? '' }, data });
      await ingest.take([
        record(600, { Gear: gear('D'), VehicleSpeed: MPH_60 }, vin),
        record(900, { VehicleSpeed: MPH_60, Location: place(5) }, vin),
        record(1_200, { Gear: gear('P'), VehicleSpeed: 0, Odometer: miles(1_010) }, vin),
      ]);
      await ingest.settle();
      const drives = await drivesOf(id);
      const seen = { state: 'ENDED', startedAt: new Date(seconds(600)), note: null };
      if (vin === plain) expect(drives).toMatchObject([seen]);
      else
        expect(drives).toMatchObject([
          seen,
          { id: unseen?.id, state: 'DISCARDED', discardReason: 'superseded', note: 'who drove?' },
        ]);
    }
  });

  it('tells the end of a drive once, and what a late record changed as updates', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    const lines = drive(vin, 0);
    const late = lines.splice(300, 10);
    const types = async () => {
      const events = await db.prisma.event.findMany({
        where: { vehicleId: id },
        orderBy: { sequence: 'asc' },
      });
      return events.map(({ type }) => type).filter((type) => type.startsWith('drive.'));
    };
    await ingest.take(lines);
    await ingest.settle();
    expect(await types()).toEqual(['drive.started', 'drive.updated', 'drive.ended']);
    await ingest.take(late);
    await ingest.settle();
    expect((await types()).slice(3)).toEqual(['drive.updated']);
  });

  it('keeps what comes later than the records are kept, and does not apply it', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    await ingest.take(drive(vin, 0).filter((_, index) => index !== 300));
    await ingest.settle();
    for (const later of [1, 2, 3, 4, 5]) {
      ingest.clock.at = S0 + (later + 1) * DAY_MS;
      await ingest.take(drive(vin, later * 86_400, later));
      await ingest.settle();
    }
    await sweepJournal(db.prisma, ingest.clock.at - 3 * DAY_MS);
    const before = await storedReport(db.prisma, vehicle);
    const missed = drive(vin, 0).slice(300, 301);
    expect(await ingest.take(missed)).toMatchObject({ accepted: 1, late: 0, tooLate: 1 });
    await ingest.settle();
    expect(await storedReport(db.prisma, vehicle)).toEqual(before);
    const kept = await db.prisma.ingestRecord.findMany({
      where: { vehicleId: vehicle.id },
      orderBy: { at: 'asc' },
    });
    expect(kept[0]?.data).toBe(missed[0]);
    // What is needed to start over from the oldest checkpoint is there.
    expect(kept[1]?.at.getTime()).toBeGreaterThan(S0 + DAY_MS);
    const again = drive(vin, 4 * 86_400, 4)
      .slice(0, 1)
      .map((line) => line.replace('80', '81'));
    expect(await ingest.take(again)).toMatchObject({ late: 1, tooLate: 0 });
    await ingest.settle();
    expect((await storedReport(db.prisma, vehicle)).vehicles[0]?.drives).toHaveLength(6);
  });

  it('forgets a vehicle that nothing came of for longer than that, and takes it up again', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    await ingest.take(drive(vin, 0));
    await ingest.settle();
    const swept = await sweepJournal(db.prisma, ingest.clock.at + 1);
    expect(swept).toBeGreaterThanOrEqual(602);
    expect(await db.prisma.vehicleStream.count({ where: { vehicleId: id } })).toBe(0);
    await ingest.take(drive(vin, 86_400, 1));
    await ingest.settle();
    expect(await drivesOf(id)).toHaveLength(2);
  });

  it('gives what is polled its place among what streams in', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, seconds(300));
    const lines = drive(vin, 0);
    await ingest.take(lines.slice(0, 200));
    const at = seconds(250);
    await applyEvents(db.prisma, id, [
      {
        kind: 'observation',
        observation: {
          ...{ vin, at, receivedAt: seconds(300), source: 'POLL', connectivity: 'online' },
          ...{ inService: null, sectionAt: { drive: at, climate: at }, raw: {} },
          signals: { gear: 'D', speedKmh: 60, outsideTempC: 7 },
        },
      },
      { kind: 'tick', at: seconds(301) },
    ]);
    await ingest.take(lines.slice(200));
    ingest.clock.at = seconds(700);
    await ingest.settle();
    const [driven] = await drivesOf(id);
    expect(driven).toMatchObject({ state: 'ENDED', outsideTempAvgC: 7, sampleCount: 602 });
  });

  it('gives history that is imported its place behind what streamed in before', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, seconds(5_000));
    await ingest.take(drive(vin, 0));
    const answered = (second: number, gear: 'D' | 'P', km: number): TraceLine => {
      const at = seconds(second);
      const drive_state = {
        ...{ shift_state: gear, speed: gear === 'D' ? 37 : null, timestamp: at },
        ...{ latitude: 47.0664 + km / 111.195, longitude: 9.5032 },
      };
      const vehicle_state = { odometer: miles(km), timestamp: at };
      const response = { vin, state: 'online', drive_state, vehicle_state };
      const path = `/api/1/vehicles/${vin}/vehicle_data`;
      return { at, status: 200, path, body: { response } };
    };
    await importHistory(db.prisma, id, [
      answered(3_600, 'D', 10),
      answered(3_900, 'D', 15),
      answered(4_200, 'P', 20),
    ]);
    await ingest.settle();
    expect(await drivesOf(id)).toMatchObject([
      { state: 'ENDED', startedAt: new Date(seconds(0)), endedAt: new Date(seconds(600)) },
      { state: 'ENDED', startedAt: new Date(seconds(3_600)), endedAt: new Date(seconds(4_200)) },
    ]);
  });

  it('takes up after a link that broke, and lines that end in a carriage return', async () => {
    const vin = newVin();
    const { id } = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0 + DAY_MS);
    await ingest.take(
      [link(0, 'CONNECTED', vin), ...drive(vin, 10), link(700, 'DISCONNECTED', vin)].map(
        (line) => `${line.replace('"c1"', '"c\u2028"')}\r`,
      ),
    );
    await ingest.settle();
    expect(await drivesOf(id)).toMatchObject([{ state: 'ENDED' }]);
    const vehicle = await db.prisma.vehicle.findUniqueOrThrow({ where: { id } });
    expect(vehicle).toMatchObject({ status: 'OFFLINE', connectivity: 'OFFLINE' });
  });

  it('goes with its vehicle', async () => {
    const vin = newVin();
    const { id, accountId } = await newStreamed(db.prisma, vin);
    await streamIngest(db.prisma, S0 + DAY_MS).take(
      day.map((line) => line.replace(/TEST\d+/, vin)),
    );
    const where = { vehicleId: id };
    expect(await db.prisma.ingestRecord.count({ where })).toBe(day.length);
    await db.prisma.account.delete({ where: { id: accountId } });
    expect(await db.prisma.ingestRecord.count({ where })).toBe(0);
    expect(await db.prisma.vehicleCheckpoint.count({ where })).toBe(0);
  });
});
