import { unsentStates } from '../contract/command-states.ts';
import { makeRoom } from './command-room.ts';
import {
  type Ending,
  endIn,
  isOver,
  LifeOver,
  pause,
  type Running,
  step,
  tooLate,
} from './command-running.ts';

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
  await step(running, unsentStates, { state: 'WAKING', columns: { wakeUsed: true } });
  if (await wake(running)) return true;
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

/** Asks the vehicle to wake and waits until it answers; false where it does not in time. */
export async function wake(running: Running): Promise<boolean> {
  const { link, pace, parts } = running;
  const untilMs = parts.clock() + pace.wakeLimit;
  const answer = await link.api.wakeUp(link.vin);
  if (answer.kind === 'rate_limited') {
    await pause(running, answer.retryAfterMs);
    await link.api.wakeUp(link.vin);
  }
  if (answer.kind === 'held_back') return false;
  while (parts.clock() < untilMs && !isOver(running)) {
    await pause(running, pace.wakeLook);
    if ((await link.look()) === 'online') return true;
  }
  return false;
}
