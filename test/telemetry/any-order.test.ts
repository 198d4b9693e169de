import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedUuid } from '../../src/base/ids.ts';
import { DAY_MS, SECOND_MS } from '../../src/base/units.ts';
import { readSamples } from '../../src/store/track.ts';
import { newAccount } from '../auth/household.ts';
import { cheapestEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { streamIngest } from '../support/streamed.ts';
import { streamedDay } from '../support/streamed-day.ts';
import { gear, MPH_60, miles, place, record, S0, VIN } from '../support/telemetry.ts';

/** The scripted day, and after it a trip of two drives with a stop. */
const day = [
  ...streamedDay,
  ...[0, 1].flatMap((nth) => {
    const from = 13_000 + nth * 2_400;
    const km = 1_030 + nth * 25;
    return [
      record(from, { Gear: gear('D'), VehicleSpeed: MPH_60, Odometer: miles(km) }),
      ...[5, 10, 15, 20].map((minute) =>
        record(from + minute * 60, {
          Location: place(minute),
          VehicleSpeed: MPH_60,
          Soc: 60 - minute,
        }),
      ),
      record(from + 1_500, { Gear: gear('P'), VehicleSpeed: 0, Odometer: miles(km + 25) }),
    ];
  }),
];

const vehicleId = derivedUuid(0, 'a vehicle in any order');

// That streams are stored, late ones too, on both engines: journal, rerun and death in this folder.
describe('records in any order', () => {
  let db: ScratchDatabase;
  let accountId = '';
  beforeAll(async () => {
    db = await scratchDatabase(cheapestEngine());
    accountId = await newAccount(db.prisma);
  });
  afterAll(() => db.close());

  /** Everything that is stored of the vehicle after these requests, with seconds of silence before each. */
  async function stored(requests: readonly { lines: readonly string[]; afterS: number }[]) {
    const { prisma } = db;
    await prisma.vehicle.deleteMany({ where: { id: vehicleId } });
    await prisma.vehicle.create({
      data: { id: vehicleId, accountId, vin: VIN, publicId: 'any-order', maker: 'maker' },
    });
    const ingest = streamIngest(prisma, S0 + DAY_MS);
    for (const { lines, afterS } of requests) {
      ingest.clock.at += afterS * SECOND_MS;
      await ingest.reduce();
      await ingest.take(lines);
    }
    await ingest.settle();
    const where = { vehicleId };
    const orderBy = { id: 'asc' } as const;
    const omit = { createdAt: true, updatedAt: true } as const;
    const { status, connectivity, lastSeenAt, statusSince } =
      await prisma.vehicle.findUniqueOrThrow({ where: { id: vehicleId } });
    return {
      vehicle: { status, connectivity, lastSeenAt, statusSince },
      machine: (await prisma.vehicleMachine.findUniqueOrThrow({ where })).state,
      drives: await prisma.drive.findMany({ where, orderBy, omit }),
      charges: await prisma.charge.findMany({
        where,
        orderBy,
        omit,
        include: { segments: { orderBy: { ordinal: 'asc' } } },
      }),
      trips: await prisma.trip.findMany({ where, orderBy, omit }),
      states: await prisma.stateSpan.findMany({ where, orderBy }),
      parked: await prisma.parkedSpan.findMany({ where, orderBy }),
      software: await prisma.softwareInstallation.findMany({ where, orderBy }),
      samples: await readSamples(prisma, vehicleId, S0, S0 + DAY_MS),
    };
  }

  it('come to the same rows, down to the last sample', async () => {
    const whole = await stored([{ lines: day, afterS: 0 }]);
    expect(whole.trips).toHaveLength(2);
    const shuffled = fc.shuffledSubarray(day, { minLength: day.length, maxLength: day.length });
    const mostlyOnTime = fc
      .subarray(day, { minLength: 1, maxLength: 4 })
      .map((late) => [...day.filter((line) => !late.includes(line)), ...late.toReversed()]);
    const cuts = fc.array(
      fc.record({
        size: fc.integer({ min: 1, max: 20 }),
        afterS: fc.constantFrom(0, 6, 70, 9_000),
      }),
    );
    const requests = fc
      .tuple(fc.oneof({ arbitrary: mostlyOnTime, weight: 3 }, shuffled), cuts)
      .map(([lines, sizes]) => {
        const parts: { lines: string[]; afterS: number }[] = [];
        const rest = [...lines];
        for (const { size, afterS } of sizes)
          if (rest.length > 0) parts.push({ lines: rest.splice(0, size), afterS });
        const last = rest.splice(-4);
        return [...parts, { lines: rest, afterS: 6 }, { lines: last, afterS: 70 }];
      });
    await fc.assert(
      fc.asyncProperty(requests, async (parts) => {
        expect(await stored(parts)).toEqual(whole);
      }),
      { numRuns: Number(process.env.RUNS ?? 8) },
    );
  });
});
