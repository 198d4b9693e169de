import { expect } from 'vitest';
import { SECOND_MS } from '../../src/base/units.ts';
import type { ReplayedVehicle } from '../../src/ingest/replay-report.ts';
import type { Ledger } from '../../src/simulator/ledger.ts';

/** How far a record may be from what the car did: times in seconds, kilometres, kilowatt-hours. */
export type Tolerance = {
  startS: number;
  endS: number;
  km: number;
  /** Of a charge. */
  kwh: number;
  /** Of the beginning and the end of a charge. */
  chargeS: number;
};

/** What a stream tells: the second in which the gear changes, kilometres by the tenth of a mile of its odometer. */
export const byStream: Tolerance = { startS: 2, endS: 2, km: 0.17, kwh: 0.01, chargeS: 2 };
/** What a recorder's looks tell that come every few seconds while the car does something. */
export const byRecorder: Tolerance = { startS: 2, endS: 2, km: 0.01, kwh: 0.01, chargeS: 2 };
/**
 * What looks tell that come every 15 s while the car drives: where it was under way already at the first of them, its start
 * is guessed by the kilometres; an idle car is asked every 5 min, and a minute after it woke.
 */
export const byLooks: Tolerance = { startS: 150, endS: 30, km: 0.05, kwh: 0.1, chargeS: 310 };

/** A number that is at most so far off. */
export function within(value: number, off: number) {
  return {
    asymmetricMatch: (other: unknown) =>
      typeof other === 'number' && Math.abs(other - value) <= off,
    toString: () => `${value} ± ${off}`,
  };
}

const seconds = (time: string | null) => Date.parse(time ?? '') / SECOND_MS;

/** Holds the drives and charges of a report against what the car did: as many, at the same times, as far and as much. */
export function expectDone(
  recorded: ReplayedVehicle | undefined,
  { drives, charges }: Pick<Ledger, 'drives' | 'charges'>,
  off: Tolerance,
): void {
  expect(
    recorded?.drives.map(({ started_at, ended_at, distance_km }) => [
      seconds(started_at),
      seconds(ended_at),
      distance_km,
    ]),
  ).toEqual(
    drives.map(({ fromMs, untilMs, km }) => [
      within(fromMs / SECOND_MS, off.startS),
      within(untilMs / SECOND_MS, off.endS),
      within(km, off.km),
    ]),
  );
  expect(
    recorded?.charges.map(({ started_at, kind, energy_added_kwh }) => [
      seconds(started_at),
      kind,
      energy_added_kwh,
    ]),
  ).toEqual(
    charges.map(({ fromMs, kind, kwh }) => [
      within(fromMs / SECOND_MS, off.chargeS),
      kind,
      within(kwh, off.kwh),
    ]),
  );
}

/** The same of drives and charges that were seen from their beginning to their end. */
export function expectWhole(...[recorded, ledger, off]: Parameters<typeof expectDone>): void {
  expectDone(recorded, ledger, off);
  expect(recorded?.drives.map(({ state }) => state)).toEqual(ledger.drives.map(() => 'ENDED'));
  const flowed = recorded?.charges.map(({ segments }) => segments.at(-1)?.ended_at ?? null);
  expect(flowed?.map(seconds), 'the last energy of each charge').toEqual(
    ledger.charges.map(({ untilMs }) => within(untilMs / SECOND_MS, off.chargeS)),
  );
}

/** Holds the energy of each drive against what the car took out of its pack, so many kWh off at most. */
export function expectUsed(
  recorded: ReplayedVehicle | undefined,
  { drives }: Pick<Ledger, 'drives'>,
  offKwh: number,
): void {
  expect(recorded?.drives.map(({ energy_used_kwh }) => energy_used_kwh)).toEqual(
    drives.map(({ usedKwh }) => within(usedKwh, offKwh)),
  );
}

/** What the service said that the vehicle was doing at a moment (epoch ms). */
export function stateAt({ states }: ReplayedVehicle, atMs: number): string | undefined {
  return states.findLast(({ from }) => Date.parse(from ?? '') <= atMs)?.state;
}
