import { isIdempotent, REDACTED } from '../contract/command-params.ts';
import { unsentStates } from '../contract/command-states.ts';
import { commandRow, isCommandName } from '../contract/commands.ts';
import { callsOf } from '../maker/command-body.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import { linkTo } from './command-link.ts';
import {
  type Ending,
  endIn,
  isOver,
  type Job,
  type Life,
  LifeOver,
  type Running,
  step,
  tooLate,
} from './command-running.ts';
import { transmit, unsettled } from './command-transmit.ts';
import { lookForIt, verify } from './command-verify.ts';
import { reach } from './command-wake.ts';

/** Leads a command from the state it is in to its end. Rejects only where the database does. */
export async function leadLife(job: Job, life: Life): Promise<void> {
  const command = await life.parts.prisma.command.findUnique({ where: { id: job.id } });
  if (command === null || !isCommandName(command.name)) return;
  const row = commandRow(command.name);
  try {
    const { parts, pace, closing } = life;
    const link = await linkTo(job.vehicleId, parts, { command, pace, signal: closing });
    if (link === null) {
      await endIn(life, command, unlinked(command));
      return;
    }
    const running = { ...life, job, row, command, link };
    if (command.state === 'ACKNOWLEDGED') await verify(running);
    else if (command.state === 'SENDING') await settleLeftover(running);
    else if (command.state === 'QUEUED' || command.state === 'WAKING') await deliver(running);
  } catch (error) {
    if (!(error instanceof LifeOver)) throw error;
  }
}

function unlinked({ state }: Command): Ending {
  const message = 'The vehicle is linked to no maker account that works.';
  const sent = state === 'SENDING' || state === 'ACKNOWLEDGED';
  return {
    state: sent ? 'UNKNOWN' : 'FAILED',
    code: 'maker_unavailable',
    message,
    retryable: !sent,
  };
}
async function deliver(running: Running): Promise<void> {
  const { job, command, row } = running;
  if (Object.values(job.params).includes(REDACTED)) {
    const message = 'The service was started anew before it was sent, and PINs are not kept.';
    await endIn(running, command, {
      state: 'FAILED',
      code: 'service_unavailable',
      message,
      retryable: true,
    });
    return;
  }
  if (isOver(running)) {
    await endIn(running, command, tooLate);
    return;
  }
  const woke = await reach(running);
  if (woke === null) return;
  if (row.maker.some(({ command: maker }) => maker === 'wake_up')) {
    await step(running, unsentStates, {
      state: 'SUCCEEDED',
      note: woke ? 'The vehicle woke up.' : 'The vehicle was awake.',
      columns: { noOp: !woke, verified: true },
    });
    return;
  }
  await transmit(running, callsOf(row, job.params));
}
/** A command that was being sent when the service stopped: the vehicle's state is the only witness. */
async function settleLeftover(running: Running): Promise<void> {
  const { row, job, command, parts } = running;
  if ((await lookForIt(running)) === 'met') {
    const note = 'The service was started anew; the vehicle shows that it happened.';
    await step(running, ['SENDING'], { state: 'SUCCEEDED', note, columns: { verified: true } });
    return;
  }
  const whole = !Object.values(job.params).includes(REDACTED);
  const inTime = parts.clock() < command.expiresAt.getTime();
  if (isIdempotent(row, job.params) && whole && inTime) {
    await transmit(running, callsOf(row, job.params));
    return;
  }
  await unsettled(running, 'The service stopped while it was being sent.');
}
