import { type CommandState, unsentStates } from '../contract/command-states.ts';
import { makeRoom, noBudget } from './command-room.ts';
import {
  type Ending,
  endIn,
  isOver,
  LifeOver,
  pause,
  type Running,
  step,
  TooManyWakes,
} from './command-running.ts';

/** How a command ends whose deadline passed before anything was sent. */
export const tooLate: Ending = {
  state: 'TIMED_OUT',
  code: 'vehicle_unavailable',
  message: 'The deadline passed before anything was sent.',
  retryable: true,
};

/** Makes sure that the vehicle answers; tells whether it was woken, or null where that ended the command. */
export async function reach(running: Running): Promise<boolean | null> {
  const { link, command, job } = running;
  const connectivity = await link.look();
  if (running.closing.aborted) throw new LifeOver();
  // Where the list says nothing, the command itself will.
  if (connectivity === 'online' || connectivity === null) return false;
  if (!command.wake) {
    const message = 'The vehicle is asleep, and the command was not to wake it.';
    await endIn(running, command, {
      state: 'REJECTED',
      code: 'vehicle_unavailable',
      message,
      retryable: true,
    });
    return null;
  }
  await makeRoom(running, 'WAKE');
  const limited = await takeWake(running, unsentStates, 'WAKING');
  if (limited !== null) {
    await endIn(running, command, tooManyWakes, { retryAt: new Date(limited) });
    return null;
  }
  const woken = await wake(running, 'WAKING');
  if (woken.kind === 'awake') return true;
  const ending = endings[woken.kind];
  const retryAt = woken.kind === 'limited' ? new Date(woken.untilMs) : null;
  const ended = await endIn(running, command, ending, { retryAt });
  // A command’s own deadline, budget or limit says nothing of the vehicle to those that wait behind it.
  if (ended && woken.kind === 'asleep') await running.wakeFailed(job.vehicleId, ending);
  return null;
}

/** What came of a wake; `untilMs` is when the vehicle may be asked again (epoch ms). */
type Woken =
  | { kind: 'awake' | 'asleep' | 'late' | 'no_budget' | 'too_many' }
  | { kind: 'limited'; untilMs: number };

const tooManyWakes: Ending = {
  state: 'REJECTED',
  code: 'rate_limited',
  message: 'The vehicle was woken too often of late; nothing was sent.',
  retryable: true,
};

const endings: Record<Exclude<Woken['kind'], 'awake'>, Ending> = {
  asleep: {
    state: 'TIMED_OUT',
    code: 'vehicle_unavailable',
    message: 'The vehicle did not wake up; nothing was sent.',
    retryable: true,
  },
  late: tooLate,
  no_budget: noBudget,
  too_many: tooManyWakes,
  limited: {
    state: 'REJECTED',
    code: 'maker_rate_limited',
    message: 'The maker’s limits did not let the vehicle be woken; nothing was sent.',
    retryable: true,
  },
};

/** Wakes a vehicle that fell asleep before the command reached it; false where it does not wake in time or may not be woken. */
export async function wakeAgain(running: Running): Promise<boolean> {
  if ((await takeWake(running, ['SENDING'], 'SENDING')) !== null) return false;
  return (await wake(running, 'SENDING')).kind === 'awake';
}

/**
 * Writes a wake into the ledger before the vehicle is asked, as soon as its limits allow it. When they will (epoch ms),
 * where that is not before the deadline; null once it is written.
 */
async function takeWake(
  running: Running,
  from: readonly CommandState[],
  state: CommandState,
): Promise<number | null> {
  const note = state === 'SENDING' ? 'The vehicle fell asleep and is woken again.' : null;
  for (;;) {
    try {
      await step(running, from, { state, note, wake: true, columns: { wakeUsed: true } });
      return null;
    } catch (error) {
      if (!(error instanceof TooManyWakes)) throw error;
      if (error.nextAt >= running.command.expiresAt.getTime()) return error.nextAt;
      await pause(running, error.nextAt - running.parts.clock());
    }
  }
}

/** Asks the vehicle to wake, once more after a limit, and waits until it answers. */
async function wake(running: Running, state: 'WAKING' | 'SENDING'): Promise<Woken> {
  const { link, pace, parts } = running;
  let asked = await link.askToWake();
  if (asked.kind === 'limited') {
    await pause(running, asked.retryAfterMs);
    if (isOver(running)) return { kind: 'late' };
    // One that was held back was never made: what is in the ledger already stands for it.
    if (asked.sent && (await takeWake(running, [state], state)) !== null) {
      return { kind: 'too_many' };
    }
    asked = await link.askToWake();
  }
  if (asked.kind === 'no_budget') return { kind: 'no_budget' };
  if (asked.kind === 'limited') {
    return { kind: 'limited', untilMs: parts.clock() + asked.retryAfterMs };
  }
  const untilMs = parts.clock() + pace.wakeLimit;
  while (parts.clock() < untilMs) {
    if (isOver(running)) return { kind: 'late' };
    await pause(running, pace.wakeLook);
    if ((await link.look()) === 'online') return { kind: 'awake' };
  }
  return { kind: 'asleep' };
}
