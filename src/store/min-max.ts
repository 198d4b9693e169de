import type { Sample, SampleColumn } from '../contract/samples.ts';
import { thinned } from './simplify.ts';

/** The columns whose peaks a chart must not lose: what swings fast. */
const peakColumns: readonly SampleColumn[] = ['speedKmh', 'powerKw', 'chargerPowerKw'];

/**
 * At most `most` of the samples, in their order, such that a chart of them looks like one of all: the first and the last, and of
 * each of as many equal windows as fit, where each of `peakColumns` is least and greatest. The least and the greatest value of
 * all are always among them.
 */
export function withPeaks(samples: readonly Sample[], most: number): Sample[] {
  if (samples.length <= most) return [...samples];
  const swing = peakColumns.filter((column) =>
    samples.some((sample) => sample[column] !== samples[0]?.[column]),
  );
  const windows = swing.length === 0 ? 0 : Math.floor((most - 2) / (2 * swing.length));
  if (windows < 1) return thinned(samples, most);
  const kept = new Set([0, samples.length - 1]);
  for (let window = 0; window < windows; window += 1) {
    const from = Math.floor((window * samples.length) / windows);
    const to = Math.floor(((window + 1) * samples.length) / windows);
    for (const column of swing)
      for (const index of peaks(samples, column, { from, to })) kept.add(index);
  }
  return samples.filter((_, index) => kept.has(index));
}

function peaks(
  samples: readonly Sample[],
  column: SampleColumn,
  { from, to }: { from: number; to: number },
): number[] {
  let least: { index: number; value: number } | null = null;
  let greatest: { index: number; value: number } | null = null;
  for (let index = from; index < to; index += 1) {
    const value = samples[index]?.[column] ?? null;
    if (value === null) continue;
    if (least === null || value < least.value) least = { index, value };
    if (greatest === null || value > greatest.value) greatest = { index, value };
  }
  return [least, greatest].flatMap((peak) => (peak === null ? [] : [peak.index]));
}
