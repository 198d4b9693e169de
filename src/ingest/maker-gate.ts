import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { callsLeftInAll } from '../contract/budget.ts';
import type { CallCategory } from '../contract/spend.ts';
import type { Answer, HeldBack } from '../maker/answer.ts';
import { type CallGate, isBilled } from '../maker/gate.ts';
import type { SpentFor } from '../store/maker-spend.ts';
import type { CallWindows } from './call-windows.ts';
import type { Charge, SpendLedger } from './spend-ledger.ts';

/** How soon to come back where what a call costs could not be noted [ms]. */
const LEDGER_AWAY_MS = 10 * SECOND_MS;
/** How long an account is left alone that the maker wants to be paid for [ms]; it says no time (maker.md §1.6). */
const UNPAID_MS = 15 * MINUTE_MS;

/** What stands between a process and the maker's bill, shared by all who call from it. */
export type MakerLimits = { ledger: SpendLedger; windows: CallWindows };

/** Calls to one vehicle, for a command or for none. */
export type GateTarget = SpentFor & Pick<Charge, 'commandId' | 'override'>;

/** The way of billed calls to one vehicle. */
export type VehicleGate = {
  pass: CallGate;
  /** How long a call has to wait for the maker's limits [ms]; null where the budget does not allow it. */
  roomFor: (category: CallCategory) => Promise<number | null>;
};

/** The gate before a vehicle. A call that would go over a limit is held back, never sent. */
export function gateTo(target: GateTarget, { ledger, windows }: MakerLimits): VehicleGate {
  const { makerAccountId, override } = target;
  return {
    pass: async (category) => {
      const waitMs = windows.take(target, category);
      if (waitMs > 0) return heldBack('rate', waitMs);
      const charge = { ...target, category };
      const charged = await ledger.charge(charge).catch(() => null);
      if (charged !== true) windows.giveBack(target, category);
      if (charged === null) return heldBack('ledger', LEDGER_AWAY_MS);
      if (!charged) return heldBack('budget', 0);
      const settle = async (answer: Answer<unknown>) => {
        heedLimits(makerAccountId, answer, windows);
        if (answer.kind === 'rate_limited') {
          windows.holdVehicle(target, category, answer.retryAfterMs);
        }
        // What could not be taken back was counted once too often, and never too seldom.
        if (!isBilled(answer)) await ledger.refund(charge).catch(() => {});
      };
      return { kind: 'passed', settle };
    },
    roomFor: async (category) => {
      if (override) return windows.waitMs(target, category);
      // As every call of this process left it; what others spent in the last half minute the call itself will meet.
      const left = callsLeftInAll(category, await ledger.lately(target));
      return left === 0 ? null : windows.waitMs(target, category);
    },
  };
}

/** Leaves an account alone that is over its limit at the maker, with all its vehicles. */
export function heedLimits(
  makerAccountId: string,
  answer: Answer<unknown>,
  windows: CallWindows,
): void {
  if (answer.kind !== 'forbidden') return;
  const { reason, retryAfterMs } = answer;
  const waitMs = reason === 'payment_required' ? UNPAID_MS : retryAfterMs;
  if (waitMs !== null) windows.holdAccount(makerAccountId, waitMs);
}

function heldBack(reason: HeldBack['reason'], retryAfterMs: number): HeldBack {
  const retry = reason === 'budget' ? 'never' : 'after';
  return { kind: 'held_back', reason, retryAfterMs, status: null, detail: null, retry };
}
