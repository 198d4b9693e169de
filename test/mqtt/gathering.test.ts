import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/base/units.ts';
import { gathering } from '../../src/transports/mqtt/gathering.ts';

const vin = '5YJ3E7EB0NF000001';
const told = (value: number) => ({ kind: 'field' as const, vin, field: 'Soc', value });
const noon = Date.UTC(2026, 2, 1, 12);

it('gives records the times of their arrival, in their order also within a millisecond', () => {
  const { recordsOf } = gathering();
  const arrived = [noon, noon, noon, noon + 1_000].map((at, n) => ({ told: told(n), at }));
  const { records } = recordsOf(arrived);
  expect(records.map(({ at }) => at - noon)).toEqual([0, 1, 2, 1_000]);
});

it('believes a clock that was ahead and is set back', () => {
  const { recordsOf } = gathering();
  recordsOf([{ told: told(1), at: noon + HOUR_MS }]);
  const timesOf = (at: number) => recordsOf([{ told: told(2), at }]).records.map((one) => one.at);
  expect(timesOf(noon)).toEqual([noon]);
  expect(timesOf(noon)).toEqual([noon + 1]);
  expect(timesOf(noon + 500)).toEqual([noon + 500]);
});

it('keeps apart what came before a clock was set back and what came after', () => {
  const { recordsOf } = gathering();
  const { records } = recordsOf([
    { told: told(1), at: noon + HOUR_MS },
    { told: { ...told(5), field: 'Odometer' }, at: noon },
  ]);
  expect(records.map(({ at }) => at)).toEqual([noon + HOUR_MS, noon]);
});
