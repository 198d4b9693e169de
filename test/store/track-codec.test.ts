import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Sample, sampleColumns } from '../../src/contract/samples.ts';
import { TrackDataError } from '../../src/store/track-bytes.ts';
import { packSamples, unpackSamples } from '../../src/store/track-codec.ts';

const columns = Object.entries(sampleColumns);

/** Values as they are after one passage through the form: whole steps. */
const sample: fc.Arbitrary<Sample> = fc
  .record({
    at: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    ...Object.fromEntries(
      columns.map(([name, { step }]) => [
        name,
        fc.option(
          fc
            .integer({ min: -2_000_000_000, max: 2_000_000_000 })
            .map((steps) => steps / Math.round(1 / step)),
        ),
      ]),
    ),
  })
  .map((record) => record as Sample);

const samples = fc.array(sample, { maxLength: 60 });

describe('the form of stored samples', () => {
  it('gives back every value exactly at its stated precision', () => {
    fc.assert(
      fc.property(samples, (given) => {
        expect(unpackSamples(packSamples(given))).toEqual(given);
      }),
    );
  });

  it('rounds finer values to the nearest step', () => {
    const fine: Sample = {
      ...(unpackSamples(packSamples([]))[0] ?? blank()),
      at: 1,
      speedKmh: 48.28032,
      latitude: 47.12345678,
    };
    expect(unpackSamples(packSamples([fine]))[0]).toMatchObject({
      speedKmh: 48.3,
      latitude: 47.123457,
    });
  });

  it('refuses a version it does not know', () => {
    const data = packSamples([]);
    data[0] = 99;
    expect(() => unpackSamples(data)).toThrow('unknown version 99');
  });

  it('reads what version 1 wrote', () => {
    const stored =
      '0103116bf876f4ead4f4ef178f5c9d9acec07460cb479d1f5c0778980eb4777076f075f03130b23e62f9c9c2c0c0f4adabea1fe33f4606186064620200';
    expect(unpackSamples(Buffer.from(stored, 'hex'))).toEqual([
      sampleAt('2026-03-02T07:00:00.000Z', [47.0664, 9.5032, 30.5, 1000.123, null]),
      sampleAt('2026-03-02T07:00:10.500Z', [47.0671, 9.5041, null, 1000.25, 1]),
      sampleAt('2026-03-02T07:00:21.000Z', [47.0679, 9.505, -1.2, 1000.377, null]),
    ]);
  });

  it('answers any other bytes with samples or an error that says so, and never hangs', () => {
    const readable = (data: Uint8Array) => {
      try {
        expect(unpackSamples(data)).toBeInstanceOf(Array);
      } catch (error) {
        expect(error).toBeInstanceOf(TrackDataError);
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), readable));
    const versioned = fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 60 }));
    fc.assert(
      fc.property(versioned, ([version, rest]) => readable(Uint8Array.of(version, ...rest))),
    );
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1 });
    fc.assert(
      fc.property(samples, damage, fc.nat({ max: 20 }), (given, changes, cut) => {
        const data = packSamples(given);
        for (const [at, byte] of changes) data[at % data.length] = byte;
        readable(data.subarray(0, Math.max(0, data.length - cut)));
      }),
    );
  });

  it('refuses a deflated body that would fill the memory', () => {
    const bomb = deflateRawSync(Buffer.alloc(17 * 1024 * 1024));
    const data = Buffer.concat([Uint8Array.of(2, 1, 0, 1), bomb]);
    expect(() => unpackSamples(data)).toThrow(TrackDataError);
  });

  it('refuses data that was cut off', () => {
    const data = packSamples([{ ...blank(), at: 5, speedKmh: 3 }]);
    expect(() => unpackSamples(data.subarray(0, data.length - 2))).toThrow();
  });
});

/** A sample with a position, speed, odometer and heater. */
function sampleAt(at: string, values: (number | null)[]): Sample {
  const [latitude = null, longitude = null, speedKmh = null, odometerKm = null, heater = null] =
    values;
  const known = { latitude, longitude, speedKmh, odometerKm, batteryHeaterOn: heater };
  return { ...blank(), ...known, at: Date.parse(at) };
}

function blank(): Sample {
  return Object.fromEntries([['at', 0], ...columns.map(([name]) => [name, null])]) as Sample;
}
