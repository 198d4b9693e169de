import type { Clock } from '../base/clock.ts';
import { MINUTE_MS } from '../base/units.ts';
import type { CallCategory } from '../contract/spend.ts';
import type { SpentFor } from '../store/maker-spend.ts';

/** Calls in any minute, by category. */
export type CallLimits = Readonly<Record<CallCategory, number>>;

/**
 * The maker's limits, kept for all who call it from this process. Every window slides: a bucket that fills up again while
 * it is emptied lets nearly twice its size pass in a minute.
 */
export type CallWindows = {
  /** How long a call would have to wait now [ms]; 0 where there is room. */
  waitMs: (call: SpentFor, category: CallCategory) => number;
  /** Takes the room for a call; 0, or how long to wait [ms] where there is none, and then nothing is taken. */
  take: (call: SpentFor, category: CallCategory) => number;
  /** Gives the room of a call back that was taken and not used. */
  giveBack: (call: SpentFor, category: CallCategory) => void;
  /** Lets no call of the category to the vehicle pass for so long [ms], because the maker said so. */
  holdVehicle: (call: SpentFor, category: CallCategory, forMs: number) => void;
  /** Lets no call of the account pass for so long [ms]. */
  holdAccount: (makerAccountId: string, forMs: number) => void;
  /** How long the whole account is left alone from now [ms]. */
  accountHeldMs: (makerAccountId: string) => number;
};

/** Windows of `vehicle` calls for each vehicle and of `account` calls for each account. */
export function callWindows(
  clock: Clock,
  limits: { vehicle: CallLimits; account: CallLimits },
): CallWindows {
  const windows = new Map<string, Window>();
  const held = new Map<string, { until: number; forMs: number }>();
  const windowOf = (key: string, limit: number): Window => {
    const known = windows.get(key) ?? slidingWindow(limit);
    windows.set(key, known);
    return known;
  };
  const windowsOf = ({ makerAccountId, vehicleId }: SpentFor, category: CallCategory) => [
    windowOf(`${vehicleId} ${category}`, limits.vehicle[category]),
    windowOf(`${makerAccountId} ${category}`, limits.account[category]),
  ];
  const heldMs = (key: string) => {
    const { until, forMs } = held.get(key) ?? { until: 0, forMs: 0 };
    // Never longer than it was said, though the clock be set back.
    return Math.max(0, Math.min(forMs, until - clock()));
  };
  const hold = (key: string, forMs: number) => {
    if (forMs > heldMs(key)) held.set(key, { until: clock() + forMs, forMs });
  };
  const waitMs: CallWindows['waitMs'] = (call, category) =>
    Math.max(
      heldMs(call.makerAccountId),
      heldMs(`${call.vehicleId} ${category}`),
      ...windowsOf(call, category).map((window) => window.waitMs(clock())),
    );
  return {
    waitMs,
    take: (call, category) => {
      const wait = waitMs(call, category);
      if (wait === 0) for (const window of windowsOf(call, category)) window.add(clock());
      return wait;
    },
    giveBack: (call, category) => {
      for (const window of windowsOf(call, category)) window.removeNewest();
    },
    holdVehicle: ({ vehicleId }, category, forMs) => hold(`${vehicleId} ${category}`, forMs),
    holdAccount: hold,
    accountHeldMs: heldMs,
  };
}

/** The calls of the last minute, the oldest first. */
type Window = {
  waitMs: (now: number) => number;
  add: (now: number) => void;
  removeNewest: () => void;
};

function slidingWindow(limit: number): Window {
  let calls: number[] = [];
  const forget = (now: number) => {
    // A clock that was set back makes old calls new ones, not calls of the future that would block for long.
    if ((calls.at(-1) ?? 0) > now) calls = calls.map((at) => Math.min(at, now));
    const from = calls.findIndex((at) => at > now - MINUTE_MS);
    calls = from === -1 ? [] : calls.slice(from);
  };
  return {
    waitMs: (now) => {
      forget(now);
      const oldest = calls.at(-limit);
      return oldest === undefined ? 0 : oldest + MINUTE_MS - now;
    },
    add: (now) => {
      calls.push(now);
    },
    removeNewest: () => {
      calls.pop();
    },
  };
}
