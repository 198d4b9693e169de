import { type CommandState, unsentStates } from '../contract/command-states.ts';
import { makeRoom } from './command-room.ts';
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
  if (await wake(running, 'WAKING')) return true;
  const ending: Ending = isOver(running)
    ? tooLate
    : {
        state: 'TIMED_OUT',
        code: 'vehicle_unavailable',
        message: 'The vehicle did not wake up; nothing was sent.',
        retryable: true,
      };
  await endIn(running, command, ending);
  await running.wakeFailed(job.vehicleId, ending);
  return null;
}

const tooManyWakes: Ending = {
  state: 'REJECTED',
  code: 'rate_limited',
  message: 'The vehicle was woken too often of late; nothing was sent.',
  retryable: true,
};

/** Wakes a vehicle that fell asleep before the command reached it; false where it does not wake in time or may not be woken. */
export async function wakeAgain(running: Running): Promise<boolean> {
  if ((await takeWake(running, ['SENDING'], 'SENDING')) !== null) return false;
  return wake(running, 'SENDING');
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

/** Asks the vehicle to wake and waits until it answers; false where it does not in time. */
async function wake(running: Running, state: 'WAKING' | 'SENDING'): Promise<boolean> {
  const { link, pace, parts } = running;
  const untilMs = parts.clock() + pace.wakeLimit;
  const limitedForMs = await link.askToWake();
  if (limitedForMs !== null) {
    await pause(running, limitedForMs);
    if (isOver(running) || (await takeWake(running, [state], state)) !== null) return false;
    await link.askToWake();
  }
  while (parts.clock() < untilMs && !isOver(running)) {
    await pause(running, pace.wakeLook);
    if ((await link.look()) === 'online') return true;
  }
  return false;
}
