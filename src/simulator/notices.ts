import { DAY_MS, HOUR_MS } from '../base/units.ts';
import type { Car } from './state.ts';

/** An alert as the maker tells it (maker.md §1.4). */
export type Notice = { name: string; time: string; audience: readonly string[]; user_text: string };

const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const RAISED_AFTER_MS = 6 * HOUR_MS;
const CLEARED_AFTER_MS = 3 * DAY_MS;

/** What the cars warn of by themselves: washer fluid on Mondays, until Thursday. */
function ownNotices(nowMs: number): Notice[] {
  const mondayMs = Math.floor((nowMs - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
  const raisedMs = mondayMs + RAISED_AFTER_MS;
  if (nowMs < raisedMs || nowMs >= mondayMs + CLEARED_AFTER_MS) return [];
  return [
    {
      name: 'SIM_a021_washerFluidLow',
      time: new Date(raisedMs).toISOString(),
      audience: ['customer'],
      user_text: 'Washer fluid low: refill soon',
    },
  ];
}

/** Alerts that were raised on a car lately, those that a test raised among them. */
export function noticesOf(car: Car, raised: ReadonlyMap<string, readonly Notice[]>, nowMs: number) {
  return [...ownNotices(nowMs), ...(raised.get(car.spec.vin) ?? [])];
}

/** Who may drive a car beside its owner. */
export function driversOf({ spec }: Car) {
  const userId = 800_000 + Number(spec.id % 1_000n);
  return [
    {
      my_tesla_unique_id: userId,
      user_id: userId,
      user_id_s: String(userId),
      driver_first_name: 'Simulated',
      driver_last_name: 'Driver',
      granular_access: { hide_private: false },
      active_pubkeys: [],
      public_key: '',
    },
  ];
}

const maskByDay: Readonly<Record<string, number>> = {
  sun: 1,
  mon: 2,
  tue: 4,
  wed: 8,
  thu: 16,
  fri: 32,
  sat: 64,
  all: 127,
  weekdays: 62,
};

/** A plan as a car tells it: the days as a mask, the place in whole words (maker.md §2.3). */
export function planTold(plan: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { days_of_week: days, lat, lon, ...rest } = plan;
  const words = String(days).toLowerCase().split(',');
  const mask = words.reduce((sum, word) => {
    const day = word.trim();
    return sum | (maskByDay[day] ?? maskByDay[day.slice(0, 3)] ?? 0);
  }, 0);
  return { one_time: false, name: '', ...rest, days_of_week: mask, latitude: lat, longitude: lon };
}
