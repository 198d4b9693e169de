import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Sample, sampleColumns } from '../../src/contract/samples.ts';
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

  it('refuses data that was cut off', () => {
    const data = packSamples([{ ...blank(), at: 5, speedKmh: 3 }]);
    expect(() => unpackSamples(data.subarray(0, data.length - 2))).toThrow();
  });
});

function blank(): Sample {
  return Object.fromEntries([['at', 0], ...columns.map(([name]) => [name, null])]) as Sample;
}
