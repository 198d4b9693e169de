/** The beginning of every scripted stream. */
export const S0 = Date.parse('2026-03-02T08:00:00Z');

export const VIN = 'TEST0000000000001';

/** Values of fields as a record holds them, by the member of the oneof that they need. */
export type Fields = Readonly<Record<string, unknown>>;

function wrapped(value: unknown): unknown {
  if (typeof value === 'number') return { doubleValue: value };
  if (typeof value === 'boolean') return { booleanValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return value;
}

/** A record of data, `seconds` after the beginning; numbers, texts and flags are wrapped, objects are taken as they are. */
export function record(seconds: number, fields: Fields, vin = VIN, more: Fields = {}): string {
  const data = Object.entries(fields).map(([key, value]) => ({ key, value: wrapped(value) }));
  return JSON.stringify({ data, createdAt: timeOf(seconds), vin, ...more });
}

/** A record of the link. */
export function link(seconds: number, status: 'CONNECTED' | 'DISCONNECTED', vin = VIN): string {
  return JSON.stringify({ vin, connectionId: 'c1', status, createdAt: timeOf(seconds) });
}

/** RFC 3339 with nanoseconds, as the maker writes it. */
export function timeOf(seconds: number): string {
  return new Date(S0 + Math.round(seconds * 1000)).toISOString().replace('Z', '000000Z');
}

/** Seconds after the beginning. */
export function secondsIn(time: unknown): number | null {
  return typeof time === 'string' ? (Date.parse(time) - S0) / 1000 : null;
}

/** A position `km` north of the beginning. */
export function place(km: number) {
  return { locationValue: { latitude: 47.0664 + km / 111.195, longitude: 9.5032 } };
}

export function gear(letter: 'P' | 'R' | 'N' | 'D' | 'Invalid' | 'SNA') {
  return { shiftStateValue: `ShiftState${letter}` };
}

export function charger(word: string) {
  return { detailedChargeStateValue: `DetailedChargeState${word}` };
}

/** 60 km/h in mph, and kilometres in miles. */
export const MPH_60 = 60 / 1.609344;
export function miles(km: number): number {
  return km / 1.609344;
}
