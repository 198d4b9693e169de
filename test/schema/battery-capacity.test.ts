import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capacityOf } from '../../src/schema/battery-capacity.ts';
import type { CapacityCharge } from '../../src/store/battery-charges.ts';

/** A charge of a pack of `kwh` from one level to another. */
function charge(kwh: number, from = 20, to = 80, id = 'c'): CapacityCharge {
  return {
    id,
    vehicleId: 'v',
    startedAt: new Date(0),
    startBatteryLevelPct: from,
    endBatteryLevelPct: to,
    energyAddedKwh: (kwh * (to - from)) / 100,
  };
}

const pack = fc.double({ min: 20, max: 200, noNaN: true });
const twenty = fc.array(pack, { minLength: 20, maxLength: 20 });

describe('the capacity of a pack', () => {
  it('is what the charges show where they agree, whatever their levels', () => {
    fc.assert(
      fc.property(
        pack,
        fc.array(fc.tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 21, max: 30 })), {
          minLength: 1,
          maxLength: 40,
        }),
        (kwh, levels) => {
          const charges = levels.map(([from, rise]) => charge(kwh, from, from + rise));
          const { capacityKwh, spreadPct, samples } = capacityOf(charges, null);
          expect(capacityKwh).toBeCloseTo(kwh, 1);
          expect(spreadPct).toBe(0);
          expect(samples).toHaveLength(Math.min(20, levels.length));
        },
      ),
    );
  });

  it('lies between the least and the greatest of the newest 20, and older ones change nothing', () => {
    fc.assert(
      fc.property(twenty, fc.array(pack), (taken, older) => {
        const all = [...taken, ...older].map((kwh) => charge(kwh));
        const found = capacityOf(all, null);
        expect(found).toEqual(capacityOf(all.slice(0, 20), null));
        expect(found.capacityKwh).toBeGreaterThanOrEqual(Math.min(...taken) - 0.01);
        expect(found.capacityKwh).toBeLessThanOrEqual(Math.max(...taken) + 0.01);
      }),
    );
  });

  it('is not moved by fewer than half of wild ones', () => {
    const sound = Array.from({ length: 11 }, () => charge(70));
    const wild = Array.from({ length: 9 }, (_, n) => charge(40 + n * 20));
    expect(capacityOf([...wild, ...sound], null).capacityKwh).toBe(70);
  });

  it('leaves out what no pack can be, so that older sound charges take its place', () => {
    const charges = [charge(1), charge(900), ...Array.from({ length: 20 }, () => charge(75))];
    expect(capacityOf(charges, null)).toMatchObject({ capacityKwh: 75, spreadPct: 0 });
    expect(capacityOf([charge(30), charge(95), charge(72)], 80).samples).toMatchObject([
      { capacityKwh: 72 },
    ]);
  });

  it('is held against the original one, and never grows', () => {
    expect(capacityOf([charge(72)], 80)).toMatchObject({
      degradationPct: 10,
      originalCapacityKwh: 80,
    });
    expect(capacityOf([charge(82)], 80).degradationPct).toBe(0);
    expect(capacityOf([charge(72)], null).degradationPct).toBeNull();
  });

  it.each([
    ['NONE', []],
    ['LOW', Array(3).fill(70)],
    ['LOW', [70, 70, 50, 90, 40, 100, 60, 80]],
    ['MEDIUM', Array(4).fill(70)],
    ['HIGH', Array(10).fill(70)],
  ])('is told with confidence %s for %j', (confidence, kwh: number[]) => {
    const found = capacityOf(
      kwh.map((one) => charge(one)),
      null,
    );
    expect(found.confidence).toBe(confidence);
    expect(found.capacityKwh).toBe(kwh.length === 0 ? null : 70);
  });
});
