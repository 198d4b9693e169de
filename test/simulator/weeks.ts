import { expect } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import type { Ledger } from '../../src/simulator/ledger.ts';
import type { Air } from './air.ts';
import { byLooks, byStream, expectDone, expectWhole, within } from './held.ts';
import type { Played } from './playing.ts';

/** Late, twice and in another order, but never later than records are waited for. */
export const badRadio: Air = {
  ...{ delayMs: 25 * SECOND_MS, resent: 0.1, lost: { share: 0.02, lostMs: 30 * SECOND_MS } },
};

/** A bad radio, and a quarter of an hour of the second drive that arrives a day later. */
export const badAir: Air = {
  ...badRadio,
  dayLate: ({ drives }: Ledger) =>
    drives.slice(1, 2).map(({ fromMs }) => ({
      fromMs: fromMs + 10 * MINUTE_MS,
      untilMs: fromMs + 25 * MINUTE_MS,
    })),
};

/** Between two looks at an idle car lie five minutes, a fault of 100 s at most, and the pause that grows while it lasts. */
const BETWEEN_LOOKS_S = 5 * 60 + 100 + 64;

/**
 * What looks tell of a week with faults: a drive of a few minutes may lie between two of them, and a charge begins before
 * it is seen; kilometres that were driven out of reach are in the drive after them.
 */
const byBadLooks = {
  ...{ ...byLooks, km: 1 },
  ...{ startS: BETWEEN_LOOKS_S, endS: BETWEEN_LOOKS_S, chargeS: BETWEEN_LOOKS_S },
};

/** Energy of a drive by the pack's own counter, and by its power as looks saw it: a part of it, and some [kWh]. */
const driveEnergy = { stream: { part: 0.02, kwh: 0.05 }, looks: { part: 0.35, kwh: 1 } };

/** Holds a faulty week against what the car did. */
export function expectWeek({ recorded, ledger, ...it }: Played, by: 'stream' | 'looks'): void {
  expect([ledger.drives.length, ledger.charges.length]).toEqual([6, 2]);
  if (by === 'stream') expectWhole(recorded, ledger, byStream);
  else expectDone(recorded, ledger, byBadLooks);
  const sum = (values: readonly (number | null)[]) =>
    values.reduce((total: number, value) => total + (value ?? 0), 0);
  expect(sum(recorded.drives.map(({ distance_km }) => distance_km)), 'kilometres in all').toEqual(
    within(sum(ledger.drives.map(({ km }) => km)), by === 'stream' ? byStream.km : byLooks.km),
  );
  const { part, kwh } = driveEnergy[by];
  expect(
    recorded.drives.map(({ energy_used_kwh }) => energy_used_kwh),
    'energy of each drive, where it is known',
  ).toEqual(
    ledger.drives.map(({ usedKwh }, index) => {
      const unseen = by === 'looks' && recorded.drives[index]?.energy_used_kwh === null;
      return unseen ? null : within(usedKwh, Math.abs(usedKwh) * part + kwh);
    }),
  );
  expect(recorded.software.map(({ version, state }) => [version, state])).toEqual([
    ['2026.2.1', 'INSTALLED'],
    [ledger.installations[0]?.version, 'INSTALLED'],
  ]);
  expect(it.statuses, 'lost, linked, revoked, linked').toEqual([
    ...['NEEDS_REAUTH', 'ACTIVE'],
    ...['NEEDS_REAUTH', 'ACTIVE'],
  ]);
  expect([it.account.status, it.vehicle.archivedAt]).toEqual(['ACTIVE', null]);
  expect(it.other.archivedAt, 'the other car is gone').not.toBeNull();
  expect(it.account.baseUrl).not.toBe(it.linkedTo);
  expect(it.counts.lives).toBeGreaterThan(3 * (ledger.drives.length + ledger.charges.length) - 5);
  expect(it.counts.failures).toBeGreaterThan(5);
}
