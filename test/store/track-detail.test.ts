import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sample } from '../../src/contract/samples.ts';
import { withPeaks } from '../../src/store/min-max.ts';
import { simplified } from '../../src/store/simplify.ts';
import { TrackDataError } from '../../src/store/track-bytes.ts';
import { packSamples, unpackSamples } from '../../src/store/track-codec.ts';
import { levelsM, located, packDetail, unpackDetail } from '../../src/store/track-detail.ts';
import { aSample } from '../support/rows.ts';

/** A drive that winds about: its turns, speeds and the samples without a position follow from the numbers. */
const drive = fc
  .array(fc.tuple(fc.integer({ min: -60, max: 60 }), fc.nat({ max: 130 }), fc.nat({ max: 9 })), {
    minLength: 500,
    maxLength: 900,
  })
  .map((steps) => {
    let [latitude, longitude, heading] = [47, 9.5, 0];
    const samples = steps.map(([turn, speedKmh, gap], n) => {
      heading += turn / 400;
      latitude += Math.cos(heading) * 1e-4;
      longitude += Math.sin(heading) * 1e-4;
      const position = gap === 0 ? {} : { latitude, longitude };
      return aSample(1_772_434_800_000 + n * 1_000, { ...position, speedKmh, powerKw: turn });
    });
    // As they are after one passage through the form.
    return unpackSamples(packSamples(samples));
  });

describe('the detail of a batch', () => {
  it('holds the path as it is simplified to each of its tolerances, each in the finer one', () => {
    fc.assert(
      fc.property(drive, (samples) => {
        const detail = unpackDetail(packDetail(samples) ?? Buffer.alloc(0));
        const points = samples.flatMap(located);
        expect(detail?.locatedCount).toBe(points.length);
        for (const level of levelsM) {
          expect(detail?.path(level)).toEqual(simplified(points, level));
        }
      }),
      { numRuns: 20 },
    );
  });

  it('holds the peaks of speed and power, without where they were', () => {
    fc.assert(
      fc.property(drive, (samples) => {
        const chart = unpackDetail(packDetail(samples) ?? Buffer.alloc(0))?.chart ?? [];
        for (const column of ['speedKmh', 'powerKw'] as const) {
          const all = samples.map((sample) => sample[column] ?? 0);
          const told = chart.map((sample) => sample[column] ?? 0);
          expect([Math.max(...told), Math.min(...told)]).toEqual([
            Math.max(...all),
            Math.min(...all),
          ]);
        }
        expect(chart.length).toBeLessThan(samples.length / 4);
        expect(chart.every(({ latitude }) => latitude === null)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('is none of a short batch', () => {
    const short = Array.from({ length: 499 }, (_, n) => aSample(n * 1_000, { speedKmh: n }));
    expect(packDetail(short)).toBeNull();
    expect(packDetail([...short, aSample(499_000)])).not.toBeNull();
  });

  it('of another version is passed over, and damaged is an error that says so', () => {
    const samples = Array.from({ length: 600 }, (_, n) =>
      aSample(n * 1_000, {
        latitude: 47 + (n % 7) / 1_000,
        longitude: 9 + n / 1_000,
        speedKmh: n % 50,
      }),
    );
    const stored = packDetail(samples) ?? Buffer.alloc(0);
    expect(unpackDetail(Buffer.concat([Uint8Array.of(9), stored.subarray(1)]))).toBeNull();
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1 });
    fc.assert(
      fc.property(damage, fc.nat({ max: 40 }), (changes, cut) => {
        const data = Buffer.from(stored.subarray(0, stored.length - cut));
        for (const [at, byte] of changes) data[at % data.length] = byte;
        try {
          const detail = unpackDetail(data);
          if (detail !== null) expect(detail.path(50)).toBeInstanceOf(Array);
        } catch (error) {
          expect(error).toBeInstanceOf(TrackDataError);
        }
      }),
    );
  });
});

describe('a chart', () => {
  const column = fc.option(fc.integer({ min: -300, max: 300 }), { freq: 8 });
  const series = fc
    .array(fc.record({ speedKmh: column, powerKw: column }), { maxLength: 400 })
    .map((rows) => rows.map((row, n) => aSample(n, row)));

  it('keeps at most as many samples as asked for, in order, first and last among them', () => {
    fc.assert(
      fc.property(series, fc.integer({ min: 2, max: 300 }), (samples, most) => {
        const kept = withPeaks(samples, most);
        expect(kept.length).toBeLessThanOrEqual(most);
        expect(kept.map(({ at }) => at)).toEqual(
          [...kept.map(({ at }) => at)].sort((a, b) => a - b),
        );
        if (samples.length > 0) {
          expect([kept[0], kept.at(-1)]).toEqual([samples[0], samples.at(-1)]);
        }
      }),
    );
  });

  it('keeps the highest and the lowest of all from ten samples on', () => {
    const peak = (samples: readonly Sample[], pick: typeof Math.max) =>
      pick(...samples.map(({ speedKmh }) => speedKmh ?? 0), 0);
    fc.assert(
      fc.property(series, fc.integer({ min: 10, max: 300 }), (samples, most) => {
        const kept = withPeaks(samples, most);
        expect(peak(kept, Math.max)).toBe(peak(samples, Math.max));
        expect(peak(kept, Math.min)).toBe(peak(samples, Math.min));
      }),
    );
  });
});
