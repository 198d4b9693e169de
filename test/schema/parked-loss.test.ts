import { expect, it } from 'vitest';
import { lostByRange } from '../../src/schema/parked-loss.ts';

const span = {
  energyAddedKwh: 0,
  startBatteryLevelPct: 80,
  startRangeRatedKm: 400,
  endBatteryLevelPct: 79,
  endRangeRatedKm: 396,
};

it('what a parked vehicle lost is the part of its range, of what its pack held', () => {
  expect(lostByRange(span, 75)).toBe(0.6);
  expect(lostByRange({ ...span, startRangeRatedKm: null }, 75)).toBe(0.75);
  expect(lostByRange({ ...span, endRangeRatedKm: 404 }, 75)).toBe(0);
});

it('nothing is said of a loss that is not known, or that a charge hides', () => {
  expect(lostByRange(span, null)).toBeNull();
  expect(lostByRange({ ...span, energyAddedKwh: 0.4 }, 75)).toBeNull();
  expect(lostByRange({ ...span, startBatteryLevelPct: null }, 75)).toBeNull();
  expect(lostByRange({ ...span, endRangeRatedKm: null, endBatteryLevelPct: null }, 75)).toBeNull();
});
