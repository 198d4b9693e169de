import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeIdOf } from '../../src/base/ids.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { simplified, thinned } from '../../src/store/simplify.ts';
import { readSamples } from '../../src/store/track.ts';
import { located } from '../../src/store/track-detail.ts';
import { readSampleRanges } from '../../src/store/track-ranges.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import {
  aCharge,
  aDrive,
  anAccount,
  aPrincipal,
  aSample,
  aTrip,
  aVehicle,
  now,
  storeSamples,
} from '../support/rows.ts';
import { answer, ask, at, codes, listAt } from './ask.ts';

describeEachEngine('tracks', (engine) => {
  let db: ScratchDatabase;
  let account: Account;
  let vehicle: Vehicle;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
    account = await anAccount(db.prisma);
    vehicle = await aVehicle(db.prisma, account);
    const samples = Array.from({ length: 100 }, (_, i) =>
      aSample(now + i * 10_000, {
        // North, then east; the middle of each leg says nothing new.
        latitude: 52 + Math.min(i, 50) * 0.001,
        longitude: 13 + Math.max(0, i - 50) * 0.001,
        speedKmh: i,
        batteryLevelPct: 80,
        chargerPowerKw: 11,
        chargerPhases: 3,
        batteryHeaterOn: i === 0 ? 1 : 0,
      }),
    );
    await storeSamples(db.prisma, vehicle, samples.slice(0, 60));
    await storeSamples(db.prisma, vehicle, samples.slice(60));
  });
  afterAll(() => db.close());

  const ends = { startedAt: new Date(now), endedAt: new Date(now + 990_000) };

  async function path(args: string): Promise<unknown> {
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { drives(first: 1) { nodes { path${args} { sampleCount precision points { at latitude longitude speedKmh } } } } } }`,
      { id: vehicle.publicId },
    );
    return at(listAt(data, 'vehicle.drives.nodes')[0], 'path');
  }

  it('give a drive its path, simplified and thinned as asked', async () => {
    const drive = await aDrive(db.prisma, vehicle, 0, ends);
    try {
      const whole = await path('');
      expect(listAt(whole, 'points')).toHaveLength(100);
      expect(listAt(whole, 'points')[0]).toEqual({
        at: new Date(now).toISOString(),
        latitude: 52,
        longitude: 13,
        speedKmh: 0,
      });
      const corners = listAt(await path('(simplify: 5)'), 'points').map((point) =>
        at(point, 'speedKmh'),
      );
      expect(corners).toEqual([0, 50, 99]);
      const few = await path('(maxPoints: 10)');
      expect(listAt(few, 'points')).toHaveLength(10);
      expect(at(few, 'sampleCount')).toBe(100);
    } finally {
      await db.prisma.drive.delete({ where: { id: drive.id } });
    }
  });

  it('leave out what is before and after the drive', async () => {
    const drive = await aDrive(db.prisma, vehicle, 0, {
      startedAt: new Date(now + 100_000),
      endedAt: new Date(now + 200_000),
    });
    try {
      const speeds = listAt(await path(''), 'points').map((point) => at(point, 'speedKmh'));
      expect(speeds).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    } finally {
      await db.prisma.drive.delete({ where: { id: drive.id } });
    }
  });

  it('give a charge its curve and a trip its path', async () => {
    await aCharge(db.prisma, vehicle, 0, ends);
    await aTrip(db.prisma, vehicle, 0, ends);
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) {
        charges(first: 1) { nodes { curve(maxPoints: 2) { at batteryLevelPct powerKw phases batteryHeaterOn voltageV } } }
        trips(first: 1) { nodes { path(maxPoints: 3) { points { speedKmh } } } } } }`,
      { id: vehicle.publicId },
    );
    const point = { batteryLevelPct: 80, powerKw: 11, phases: 3, voltageV: null };
    expect(data.vehicle).toEqual({
      charges: {
        nodes: [
          {
            curve: [
              { ...point, at: new Date(now).toISOString(), batteryHeaterOn: true },
              { ...point, at: new Date(now + 990_000).toISOString(), batteryHeaterOn: false },
            ],
          },
        ],
      },
      trips: {
        nodes: [{ path: { points: [{ speedKmh: 0 }, { speedKmh: 50 }, { speedKmh: 99 }] } }],
      },
    });
  });

  describe('of a drive at a second a sample', () => {
    const START = now + 10 * 86_400_000;
    const SECONDS = 1_500;
    const winding = Array.from({ length: SECONDS }, (_, n) =>
      aSample(START + n * 1_000, {
        latitude: 50 + n * 1e-4 + Math.sin(n / 20) * 2e-4 + (n % 3) * 1e-5,
        longitude: 8 + Math.cos(n / 35) * 1e-3,
        speedKmh: n === 777 ? 201 : 60 + (n % 40),
        powerKw: n === 321 ? -80 : n % 25,
        outsideTempC: 12,
      }),
    );
    beforeAll(() => storeSamples(db.prisma, vehicle, winding));

    async function ofDrive(from: number, to: number, fields: string): Promise<unknown> {
      const times = {
        startedAt: new Date(START + from * 1_000),
        endedAt: new Date(START + to * 1_000),
      };
      const { id } = await aDrive(db.prisma, vehicle, 0, times);
      const document = `query ($id: ID!) { drive(id: $id) { ${fields} } }`;
      const data = await answer(db.prisma, aPrincipal(account), document, {
        id: typeIdOf('Drive', id),
      });
      await db.prisma.drive.delete({ where: { id } });
      return data.drive;
    }
    const fields = 'points { at latitude longitude speedKmh outsideTempC } sampleCount';
    /** The path as it follows from all samples. */
    const expected = (from: number, to: number, toleranceM: number) => {
      const samples = winding.slice(from, to + 1).flatMap(located);
      const points = simplified(samples, toleranceM).map(
        ({ at: when, latitude, longitude, speedKmh, outsideTempC }) => ({
          at: new Date(when).toISOString(),
          latitude: Number(latitude.toFixed(6)),
          longitude: Number(longitude.toFixed(6)),
          speedKmh,
          outsideTempC,
        }),
      );
      return { path: { points, sampleCount: samples.length } };
    };
    const path = (toleranceM: number) =>
      `path(simplify: ${toleranceM}, maxPoints: 50000) { ${fields} }`;
    /** Samples are rounded where they are stored, which moves who is farthest by less than this. */
    const near = (found: unknown, wanted: ReturnType<typeof expected>) => {
      const count = listAt(found, 'path.points').length;
      expect(at(found, 'path.sampleCount')).toBe(wanted.path.sampleCount);
      expect(Math.abs(count - wanted.path.points.length)).toBeLessThan(3);
      expect(listAt(found, 'path.points').at(-1)).toEqual(wanted.path.points.at(-1));
    };

    it.each([2, 10, 50])(
      'tell %d m from the level of detail that was stored',
      async (toleranceM) => {
        db.statements.length = 0;
        near(await ofDrive(0, SECONDS - 1, path(toleranceM)), expected(0, SECONDS - 1, toleranceM));
        const track = db.statements.filter((sql) => sql.includes('track_batch'));
        expect([track.length, track[0]?.includes('LATERAL')]).toEqual([1, true]);
      },
    );

    it('tell any other tolerance from a finer level, whose points it keeps within it', async () => {
      const found = await ofDrive(0, SECONDS - 1, path(30));
      const all = listAt(found, 'path.points').length;
      expect(all).toBeGreaterThanOrEqual(expected(0, SECONDS - 1, 50).path.points.length);
      expect(all).toBeLessThanOrEqual(expected(0, SECONDS - 1, 10).path.points.length);
    });

    it('tell a part of it from its samples', async () => {
      near(await ofDrive(100, 900, path(10)), expected(100, 900, 10));
    });

    it('tell it from its samples where the detail is of a version that is not known', async () => {
      const where = { vehicleId: vehicle.id, startedAt: new Date(START) };
      const { detail } = await db.prisma.trackBatch.findFirstOrThrow({ where });
      expect(detail).not.toBeNull();
      await db.prisma.trackBatch.updateMany({ where, data: { detail: Uint8Array.of(99, 1, 2) } });
      try {
        near(await ofDrive(0, SECONDS - 1, path(10)), expected(0, SECONDS - 1, 10));
      } finally {
        await db.prisma.trackBatch.updateMany({ where, data: { detail } });
      }
    });

    it.each([20, 300, 1_400])('keep the peaks in a chart of %d points', async (most) => {
      const found = await ofDrive(0, SECONDS - 1, `chart(maxPoints: ${most}) { speedKmh powerKw }`);
      const points = listAt(found, 'chart');
      expect(points.length).toBeLessThanOrEqual(most);
      const speeds = points.map((point) => Number(at(point, 'speedKmh')));
      const powers = points.map((point) => Number(at(point, 'powerKw')));
      expect([Math.max(...speeds), Math.min(...powers)]).toEqual([201, -80]);
    });
  });

  it('of several stretches in one statement equal those read one by one', async () => {
    const ranges = [
      { vehicleId: vehicle.id, fromMs: now, toMs: now + 990_000 },
      { vehicleId: vehicle.id, fromMs: now + 590_000, toMs: now + 600_000 },
      { vehicleId: vehicle.id, fromMs: 0, toMs: 1 },
      { vehicleId: account.id, fromMs: now, toMs: now + 990_000 },
    ];
    const singly = [];
    for (const { vehicleId, fromMs, toMs } of ranges) {
      singly.push(await readSamples(db.prisma, vehicleId, fromMs, toMs));
    }
    db.statements.length = 0;
    expect(await readSampleRanges(db.prisma, ranges)).toEqual(singly);
    expect(db.statements).toHaveLength(1);
  });

  it.each(['maxPoints: 1', 'maxPoints: 50001', 'simplify: -1', 'simplify: 1001'])(
    'refuse %s',
    async (arg) => {
      const drive = await aDrive(db.prisma, vehicle, 0, ends);
      try {
        const result = await ask(
          db.prisma,
          aPrincipal(account),
          `query ($id: ID!) { vehicle(publicId: $id) { drives(first: 1) { nodes { path(${arg}) { sampleCount } } } } }`,
          { id: vehicle.publicId },
        );
        expect(codes(result)).toEqual(['VALIDATION_FAILED']);
      } finally {
        await db.prisma.drive.delete({ where: { id: drive.id } });
      }
    },
  );
});

describe('simplifying', () => {
  const point = fc.record({
    latitude: fc.double({ min: 47, max: 48, noNaN: true }),
    longitude: fc.double({ min: 11, max: 12, noNaN: true }),
  });

  it('keeps both ends and the order, and with no tolerance every point off the line', () => {
    fc.assert(
      fc.property(
        fc.array(point, { maxLength: 60 }),
        fc.double({ min: 0, max: 5000, noNaN: true }),
        (points, tolerance) => {
          const kept = simplified(points, tolerance);
          expect(kept[0]).toBe(points[0]);
          expect(kept.at(-1)).toBe(points.at(-1));
          const order = kept.map((one) => points.indexOf(one));
          expect(order).toEqual([...order].sort((a, b) => a - b));
        },
      ),
    );
  });

  it('leaves less the more it may leave out', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 3, maxLength: 60 }), (points) => {
        expect(simplified(points, 10_000_000).length).toBeLessThanOrEqual(
          simplified(points, 10).length,
        );
        expect(simplified(points, 10_000_000)).toEqual([points[0], points.at(-1)]);
      }),
    );
  });

  it('thins to the number asked, both ends kept', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 1 }),
        fc.integer({ min: 2, max: 20 }),
        (items, max) => {
          const left = thinned(items, max);
          expect(left).toHaveLength(Math.min(items.length, max));
          expect([left[0], left.at(-1)]).toEqual([items[0], items.at(-1)]);
        },
      ),
    );
  });
});
