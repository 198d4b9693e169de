import { MINUTE_MS } from '../base/units.ts';
import type { Effect } from '../contract/effects.ts';
import { type OpenPart, openParts } from '../contract/left-open.ts';
import type { SignalValues } from '../contract/signals.ts';
import { isDriving } from './drive.ts';
import type { LeftOpen, MachineContext, MachineState } from './state.ts';

/** What may be left open, and what shows it. A port with a cable in it is in use. */
const isOpen = {
  DOORS: ({ doorFrontLeft, doorFrontRight, doorRearLeft, doorRearRight }) =>
    [doorFrontLeft, doorFrontRight, doorRearLeft, doorRearRight].includes(true),
  WINDOWS: ({ windowFrontLeft, windowFrontRight, windowRearLeft, windowRearRight }) =>
    [windowFrontLeft, windowFrontRight, windowRearLeft, windowRearRight].includes('OPEN'),
  FRUNK: ({ frunkOpen }) => frunkOpen === true,
  TRUNK: ({ trunkOpen }) => trunkOpen === true,
  CHARGE_PORT: ({ chargePortOpen, pluggedIn }) => chargePortOpen === true && pluggedIn !== true,
  UNLOCKED: ({ locked }) => locked === false,
} as const satisfies Record<OpenPart, (values: SignalValues) => boolean>;

/**
 * Follows what stands open while the vehicle is parked with nobody in it, and tells once of what did so for as long as the
 * vehicle's setting says (contract §16); it is told of again after it was closed, driven with, or left again.
 */
export function followLeftOpen(
  state: MachineState,
  { at, context, effects }: { at: number; context: MachineContext; effects: Effect[] },
): MachineState {
  const open = openNow(state);
  const before = state.leftOpen;
  if (open.length === 0 && Object.keys(before).length === 0) return state;
  const limitMs = (context.leftOpenMinutes ?? 0) * MINUTE_MS;
  const leftOpen: LeftOpen = {};
  const due: OpenPart[] = [];
  for (const part of open) {
    const { since, told } = before[part] ?? { since: at, told: false };
    const isDue = !told && limitMs > 0 && at - since >= limitMs;
    if (isDue) due.push(part);
    leftOpen[part] = { since, told: told || isDue };
  }
  if (due.length > 0) effects.push(reminder(due, leftOpen, { limitMs, at }));
  const same = due.length === 0 && open.length === Object.keys(before).length;
  return same && open.every((part) => before[part] !== undefined) ? state : { ...state, leftOpen };
}

function openNow({ values, drive }: MachineState): OpenPart[] {
  const left = drive === null && isDriving(values) !== true && values.userPresent !== true;
  return left ? openParts.filter((part) => isOpen[part](values)) : [];
}

/** It happened when the last of the parts had been open for so long. */
function reminder(
  parts: readonly OpenPart[],
  leftOpen: LeftOpen,
  { limitMs, at }: { limitMs: number; at: number },
): Effect {
  const since = Math.max(...parts.map((part) => leftOpen[part]?.since ?? at));
  return {
    kind: 'event',
    type: 'reminder.left_open',
    occurredAt: since + limitMs,
    data: { parts, since: new Date(since).toISOString(), minutes: limitMs / MINUTE_MS },
  };
}
