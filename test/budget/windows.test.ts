import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/base/units.ts';
import type { CallCategory } from '../../src/contract/spend.ts';
import { callWindows } from '../../src/ingest/call-windows.ts';

const vehicle = { DATA: 6, COMMAND: 4, WAKE: 1 };
const account = { DATA: 9, COMMAND: 6, WAKE: 2 };
const a = { makerAccountId: 'account', vehicleId: 'a' };
const b = { makerAccountId: 'account', vehicleId: 'b' };

function opened() {
  let now = Date.UTC(2026, 2, 1);
  const windows = callWindows(() => now, { vehicle, account });
  return { windows, pass: (ms: number) => (now += ms), now: () => now };
}

describe('the maker’s limits', () => {
  it('are kept for each vehicle and for the account, in every minute', () => {
    const asked = fc.array(
      fc.record({
        call: fc.constantFrom(a, b),
        category: fc.constantFrom<CallCategory>('DATA', 'COMMAND', 'WAKE'),
        afterMs: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ max: 90_000, min: 0 })),
      }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(asked, (calls) => {
        const { windows, pass, now } = opened();
        const taken: { at: number; vehicleId: string; category: CallCategory }[] = [];
        for (const { call, category, afterMs } of calls) {
          pass(afterMs);
          const waitMs = windows.take(call, category);
          if (waitMs > 0) continue;
          taken.push({ at: now(), vehicleId: call.vehicleId, category });
          const lately = taken.filter(
            (one) => one.category === category && one.at > now() - MINUTE_MS,
          );
          const own = lately.filter((one) => one.vehicleId === call.vehicleId);
          expect(own.length).toBeLessThanOrEqual(vehicle[category]);
          expect(lately.length).toBeLessThanOrEqual(account[category]);
        }
      }),
    );
  });

  it('let a call pass as soon as it has waited as long as it was told', () => {
    const { windows, pass } = opened();
    for (let count = 0; count < vehicle.DATA; count += 1) {
      expect(windows.take(a, 'DATA')).toBe(0);
      pass(1_000);
    }
    const waitMs = windows.take(a, 'DATA');
    expect(waitMs).toBe(MINUTE_MS - vehicle.DATA * 1_000);
    expect(windows.take(b, 'DATA'), 'another vehicle has room of its own').toBe(0);
    pass(waitMs - 1);
    expect(windows.take(a, 'DATA')).toBe(1);
    pass(1);
    expect(windows.take(a, 'DATA')).toBe(0);
  });

  it('take nothing for a look, and give back what was not used', () => {
    const { windows } = opened();
    expect([windows.waitMs(a, 'WAKE'), windows.take(a, 'WAKE')]).toEqual([0, 0]);
    expect(windows.waitMs(a, 'WAKE')).toBe(MINUTE_MS);
    windows.giveBack(a, 'WAKE');
    expect(windows.take(a, 'WAKE')).toBe(0);
  });

  it('hold back what the maker holds back: a kind of call to a vehicle, or a whole account', () => {
    const { windows, pass } = opened();
    windows.holdVehicle(a, 'DATA', 30_000);
    expect([windows.waitMs(a, 'DATA'), windows.waitMs(a, 'COMMAND')]).toEqual([30_000, 0]);
    expect(windows.waitMs(b, 'DATA')).toBe(0);
    windows.holdAccount('account', 40_000);
    expect([windows.waitMs(b, 'COMMAND'), windows.accountHeldMs('account')]).toEqual([
      40_000, 40_000,
    ]);
    pass(40_000);
    expect([windows.waitMs(a, 'DATA'), windows.accountHeldMs('account')]).toEqual([0, 0]);
  });

  it('are over after a minute where the clock was set back', () => {
    const { windows, pass } = opened();
    windows.take(a, 'WAKE');
    windows.holdVehicle(b, 'DATA', 30_000);
    pass(-HOUR_MS);
    expect([windows.waitMs(a, 'WAKE'), windows.waitMs(b, 'DATA')]).toEqual([MINUTE_MS, 30_000]);
  });
});
