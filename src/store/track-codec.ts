import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Sample, type SampleColumn, sampleColumns } from '../contract/samples.ts';

/** Version byte of the form below. */
const VERSION = 1;
const columns = Object.keys(sampleColumns).filter(isColumn);
const stepOf = new Map(columns.map((column) => [column, sampleColumns[column].step]));

function isColumn(name: string): name is SampleColumn {
  return Object.hasOwn(sampleColumns, name);
}

/**
 * Packs samples in time order: a version byte, the count, how many columns, then deflated: the times (delta of delta), and
 * per column a bit for each sample that has a value followed by the values as whole steps (delta), all as zigzag varints
 * (performance.md §3). A column without any value costs one byte.
 */
export function packSamples(samples: readonly Sample[]): Buffer {
  const body = new Writer();
  let lastAt = 0;
  let lastDelta = 0;
  for (const sample of samples) {
    const delta = sample.at - lastAt;
    body.signed(delta - lastDelta);
    lastAt = sample.at;
    lastDelta = delta;
  }
  for (const column of columns) writeColumn(body, samples, column);
  const head = new Writer();
  head.byte(VERSION);
  head.unsigned(samples.length);
  head.unsigned(columns.length);
  return Buffer.concat([head.bytes(), deflateRawSync(body.bytes())]);
}

function writeColumn(out: Writer, samples: readonly Sample[], column: SampleColumn): void {
  const step = stepOf.get(column) ?? 1;
  const known = samples.map((sample) => sample[column] !== null);
  const count = known.filter(Boolean).length;
  out.byte(count === 0 ? 0 : count === samples.length ? 2 : 1);
  if (count === 0) return;
  if (count < samples.length) out.bits(known);
  let last = 0;
  for (const sample of samples) {
    const value = sample[column];
    if (value === null) continue;
    const steps = Math.round(value / step);
    out.signed(steps - last);
    last = steps;
  }
}

/** Unpacks what `packSamples` made; throws on a version or a length it does not know. */
export function unpackSamples(data: Uint8Array): Sample[] {
  const head = new Reader(data);
  const version = head.byte();
  if (version !== VERSION) throw new Error(`Track data has the unknown version ${version}.`);
  const count = head.unsigned();
  const columnCount = head.unsigned();
  if (columnCount > columns.length) throw new Error(`Track data has ${columnCount} columns.`);
  const body = new Reader(inflateRawSync(head.rest()));
  const samples: Sample[] = [];
  let at = 0;
  let delta = 0;
  for (let i = 0; i < count; i += 1) {
    delta += body.signed();
    at += delta;
    samples.push(emptySample(at));
  }
  for (const column of columns.slice(0, columnCount)) readColumn(body, samples, column);
  return samples;
}

function readColumn(body: Reader, samples: Sample[], column: SampleColumn): void {
  const form = body.byte();
  if (form === 0) return;
  const known = form === 2 ? null : body.bits(samples.length);
  const step = stepOf.get(column) ?? 1;
  const perUnit = Math.round(1 / step);
  let last = 0;
  for (const [i, sample] of samples.entries()) {
    if (known !== null && known[i] !== true) continue;
    last += body.signed();
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

/** Bytes under construction. Varints go by division, because times exceed 32 bits. */
class Writer {
  #buffer = Buffer.alloc(256);
  #length = 0;

  byte(value: number): void {
    if (this.#length === this.#buffer.length)
      this.#buffer = Buffer.concat([this.#buffer, Buffer.alloc(this.#buffer.length)]);
    this.#buffer[this.#length] = value;
    this.#length += 1;
  }

  unsigned(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  /** Zigzag: small magnitudes of either sign become small numbers. */
  signed(value: number): void {
    this.unsigned(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  bits(flags: readonly boolean[]): void {
    for (let i = 0; i < flags.length; i += 8) {
      let byte = 0;
      for (let bit = 0; bit < 8; bit += 1) if (flags[i + bit] === true) byte |= 1 << bit;
      this.byte(byte);
    }
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

class Reader {
  #data: Uint8Array;
  #at = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  byte(): number {
    const value = this.#data[this.#at];
    if (value === undefined) throw new Error('Track data ends too early.');
    this.#at += 1;
    return value;
  }

  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bits(count: number): boolean[] {
    const flags: boolean[] = [];
    for (let i = 0; i < count; i += 8) {
      const byte = this.byte();
      for (let bit = 0; bit < 8 && i + bit < count; bit += 1) flags.push((byte & (1 << bit)) !== 0);
    }
    return flags;
  }

  rest(): Uint8Array {
    return this.#data.subarray(this.#at);
  }
}
