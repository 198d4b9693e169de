import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SECOND_MS } from '../base/units.ts';
import { type Sample, type SampleColumn, sampleColumns } from '../contract/samples.ts';
import { ByteReader, ByteWriter, TrackDataError } from './track-bytes.ts';

/** Version byte of what is written. Version 1, which is still read, had times in ms and no column that keeps its pace. */
const VERSION = 2;

/** More than any batch inflates to; damaged bytes could else ask for all memory. */
const LARGEST_BODY_BYTES = 16 * 1024 * 1024;

/** The last instant that a Date can be (ECMA-262 21.4.1.1). */
const LATEST_MS = 8.64e15;

const columns = Object.keys(sampleColumns).filter(isColumn);
const stepOf = new Map(columns.map((column) => [column, sampleColumns[column].step]));

/** Forms of a column, as its first byte says: without values, with some or with all; and whether it keeps its pace. */
const SOME = 1;
const ALL = 2;
const PACED = 4;

function isColumn(name: string): name is SampleColumn {
  return Object.hasOwn(sampleColumns, name);
}

/**
 * Packs samples in time order: a version byte, the count, how many columns, the unit of time, then deflated: the times (delta of
 * delta), and per column its form, a bit for each sample that has a value, and the values as whole steps (delta, or the delta of
 * the delta where that is shorter), all as zigzag varints (performance.md §3). A column without any value costs one byte.
 */
export function packSamples(samples: readonly Sample[]): Buffer {
  const unitMs = samples.every(({ at }) => at % SECOND_MS === 0) ? SECOND_MS : 1;
  const body = new ByteWriter();
  let lastAt = 0;
  let lastDelta = 0;
  for (const sample of samples) {
    const at = sample.at / unitMs;
    const delta = at - lastAt;
    body.signed(delta - lastDelta);
    lastAt = at;
    lastDelta = delta;
  }
  for (const column of columns) writeColumn(body, samples, column);
  const head = new ByteWriter();
  head.byte(VERSION);
  head.unsigned(samples.length);
  head.unsigned(columns.length);
  head.unsigned(unitMs);
  return Buffer.concat([head.bytes(), deflateRawSync(body.bytes())]);
}

function writeColumn(out: ByteWriter, samples: readonly Sample[], column: SampleColumn): void {
  const step = stepOf.get(column) ?? 1;
  const steps: number[] = [];
  for (const sample of samples) {
    const value = sample[column];
    if (value !== null) steps.push(Math.round(value / step));
  }
  if (steps.length === 0) {
    out.byte(0);
    return;
  }
  const changes = changesOf(steps, 0);
  // The first change is the value itself, so that the second has no pace before it yet.
  const paces = changesOf(changes, 1);
  const keepsPace = weightOf(paces) < weightOf(changes);
  const whole = steps.length === samples.length;
  out.byte((whole ? ALL : SOME) + (keepsPace ? PACED : 0));
  if (!whole) out.bits(samples.map((sample) => sample[column] !== null));
  for (const number of keepsPace ? paces : changes) out.signed(number);
}

/** Each number less the one before it, from the place `from` on; those before it as they are, and itself. */
function changesOf(numbers: readonly number[], from: number): number[] {
  const changes: number[] = [];
  let last = 0;
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0;
    changes.push(number - last);
    if (i >= from) last = number;
  }
  return changes;
}

/** About how many bits the numbers take. */
function weightOf(numbers: readonly number[]): number {
  let bits = 0;
  for (const number of numbers) if (number !== 0) bits += Math.log2(1 + Math.abs(number));
  return bits;
}

/** Unpacks what `packSamples` made, now or in an earlier version; throws TrackDataError for anything else. */
export function unpackSamples(data: Uint8Array): Sample[] {
  const head = new ByteReader(data);
  const version = head.byte();
  if (version !== 1 && version !== VERSION)
    throw new TrackDataError(`Track data has the unknown version ${version}.`);
  const count = head.unsigned();
  const columnCount = head.unsigned();
  if (columnCount > columns.length)
    throw new TrackDataError(`Track data has ${columnCount} columns.`);
  const unitMs = version === 1 ? 1 : head.unsigned();
  if (unitMs !== 1 && unitMs !== SECOND_MS) throw new TrackDataError('Track data is damaged.');
  const body = new ByteReader(inflated(head.rest()));
  const samples: Sample[] = [];
  let at = 0;
  let delta = 0;
  // Every sample takes a byte at least, so a count that is wrong ends with the bytes.
  for (let i = 0; i < count; i += 1) {
    delta += body.signed();
    at += delta;
    if (Math.abs(at * unitMs) > LATEST_MS) throw new TrackDataError('Track data is damaged.');
    samples.push(emptySample(at * unitMs));
  }
  for (const column of columns.slice(0, columnCount)) readColumn(body, samples, column);
  return samples;
}

function inflated(data: Uint8Array): Buffer {
  try {
    return inflateRawSync(data, { maxOutputLength: LARGEST_BODY_BYTES });
  } catch (cause) {
    throw new TrackDataError('Track data is damaged.', { cause });
  }
}

function readColumn(body: ByteReader, samples: Sample[], column: SampleColumn): void {
  const form = body.byte();
  if (form === 0) return;
  const keepsPace = form > PACED;
  const held = keepsPace ? form - PACED : form;
  if (held !== SOME && held !== ALL) throw new TrackDataError('Track data is damaged.');
  const known = held === ALL ? null : body.bits(samples.length);
  const step = stepOf.get(column) ?? 1;
  const perUnit = Math.round(1 / step);
  let last: number | null = null;
  let pace = 0;
  for (const [i, sample] of samples.entries()) {
    if (known !== null && known[i] !== true) continue;
    const change = body.signed() + pace;
    if (keepsPace && last !== null) pace = change;
    last = (last ?? 0) + change;
    // Division by the whole number of steps per unit gives the nearest double to the decimal, multiplication does not.
    sample[column] = last / perUnit;
  }
}

function emptySample(at: number): Sample {
  return {
    at,
    latitude: null,
    longitude: null,
    headingDeg: null,
    speedKmh: null,
    powerKw: null,
    batteryLevelPct: null,
    odometerKm: null,
    elevationM: null,
    rangeRatedKm: null,
    insideTempC: null,
    outsideTempC: null,
    chargerPowerKw: null,
    chargerVoltageV: null,
    chargeActualCurrentA: null,
    chargerPhases: null,
    chargeEnergyAddedKwh: null,
    batteryHeaterOn: null,
  };
}
