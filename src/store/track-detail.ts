import type { Sample } from '../contract/samples.ts';
import { withPeaks } from './min-max.ts';
import { keptUpTo } from './simplify.ts';
import { ByteReader, ByteWriter } from './track-bytes.ts';
import { packSamples, unpackSamples } from './track-codec.ts';

/** Version byte of the form below. */
const VERSION = 1;

/** Tolerances of the levels of detail of a path, the finest first (performance.md §3) [m]. */
export const levelsM = [2, 10, 50] as const;
export type LevelM = (typeof levelsM)[number];

/** Samples from which on a batch has its detail beside it; fewer are read as fast. */
const DETAILED_FROM = 500;

/** Of so many samples a chart keeps one window's peaks, and it has so many windows at most. */
const CHART_WINDOW = 32;
const CHART_WINDOWS = 128;
/** Points that the peaks of a window are: least and greatest of speed and power. */
const POINTS_PER_WINDOW = 4;

/** A sample that has a position. */
export type Located = Sample & { latitude: number; longitude: number };

/** What was computed of a batch beforehand. */
export type TrackDetail = {
  /** Samples with a position that the batch holds. */
  locatedCount: number;
  /** The path at a level of detail, whole samples. */
  path: (level: LevelM) => Located[];
  /** Samples of a chart, without where they were. */
  chart: Sample[];
};

/** The sample where it has a position. */
export function located(sample: Sample): Located[] {
  const { latitude, longitude } = sample;
  return latitude === null || longitude === null ? [] : [{ ...sample, latitude, longitude }];
}

/**
 * What is computed of a batch when it is written: its path at three levels of detail, each a part of the finer one, and the
 * peaks of its chart. A version byte; the number of samples with a position; the samples of the finest level, with a bit each for
 * whether the coarser levels hold them; the samples of the chart. Null for a batch that is read as fast without.
 */
export function packDetail(samples: readonly Sample[]): Buffer | null {
  if (samples.length < DETAILED_FROM) return null;
  const points = samples.flatMap(located);
  const upTo = keptUpTo(points, levelsM[0]);
  const finest = points.flatMap((point, index) => {
    const keptM = upTo[index] ?? 0;
    return keptM > levelsM[0] ? [{ point, keptM }] : [];
  });
  const windows = Math.min(CHART_WINDOWS, Math.floor(samples.length / CHART_WINDOW));
  const chart = withPeaks(samples, windows * POINTS_PER_WINDOW + 2);
  const out = new ByteWriter();
  out.byte(VERSION);
  out.unsigned(points.length);
  out.block(packSamples(finest.map(({ point }) => point)));
  for (const level of levelsM.slice(1)) out.bits(finest.map(({ keptM }) => keptM > level));
  out.block(packSamples(chart.map(ofChart)));
  return out.bytes();
}

/** What `packDetail` made; null for a version that this program does not know. Throws TrackDataError where it is damaged. */
export function unpackDetail(data: Uint8Array): TrackDetail | null {
  const reader = new ByteReader(data);
  if (reader.byte() !== VERSION) return null;
  const locatedCount = reader.unsigned();
  const finest = unpackSamples(reader.block()).flatMap(located);
  const held = new Map(levelsM.slice(1).map((level) => [level, reader.bits(finest.length)]));
  const chart = unpackSamples(reader.block());
  const path = (level: LevelM) => {
    const flags = held.get(level);
    return flags === undefined ? finest : finest.filter((_, index) => flags[index] === true);
  };
  return { locatedCount, path, chart };
}

function ofChart(sample: Sample): Sample {
  return { ...sample, latitude: null, longitude: null, headingDeg: null, odometerKm: null };
}
