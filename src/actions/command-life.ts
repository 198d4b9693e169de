import { isIdempotent, REDACTED } from '../contract/command-params.ts';
import { unsentStates } from '../contract/command-states.ts';
import { commandRow, isCommandName } from '../contract/commands.ts';
import { callsOf } from '../maker/command-body.ts';
import { type BreakOff, breakOff } from './command-break-off.ts';
import { linkTo } from './command-link.ts';
import {
  type Ending,
  endIn,
  isOver,
  type Job,
  type Life,
  LifeOver,
  NotItsTurn,
  type Running,
  step,
} from './command-running.ts';
import { transmit, unsettled } from './command-transmit.ts';
import { lookForIt, verify } from './command-verify.ts';
import { reach, tooLate } from './command-wake.ts';

/** Leads a command from the state it is in to its end. Rejects with NotItsTurn, and otherwise only where the database does. */
export async function leadLife(job: Job, life: Life): Promise<void> {
  const { parts, pace, closing, teller } = life;
  const command = await parts.prisma.command.findUnique({ where: { id: job.id } });
  if (command === null) return;
  if (!isCommandName(command.name)) {
    await breakOff(life.move, command, unknownHere);
    return;
  }
  if (command.state === 'QUEUED' && !(await life.inTurn(job.id))) throw new NotItsTurn();
  const row = commandRow(command.name);
  try {
    const untilMs = command.expiresAt.getTime();
    // Between the step to SENDING and the wire lie the budget and the token, and each may take long.
    const maySend = () =>
      !job.stop.signal.aborted && parts.clock() < untilMs && life.isHeld(job.createdAt);
    const target = { command, pace, signal: closing, untilMs, maySend, teller };
    const link = await linkTo(job.vehicleId, parts, target);
    if (link === null) {
      await breakOff(life.move, command, unlinked, command.refused || job.refused === true);
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

/** Why a command ends that another version of the service wrote and this one does not know: nobody can carry it on. */
const unknownHere: BreakOff = {
  code: 'invalid_command',
  message: 'This version of the service does not know the command.',
  retryable: false,
};

const unlinked: BreakOff = {
  code: 'maker_unavailable',
  message: 'The vehicle is linked to no maker account that works.',
  retryable: true,
};

const pinsLost: Ending = {
  state: 'FAILED',
  code: 'service_unavailable',
  message: 'The service was started anew before it was sent, and PINs are not kept.',
  retryable: true,
};

const refusedTooLong: Ending = {
  state: 'FAILED',
  code: 'maker_unavailable',
  message: 'It was refused, and could not be sent again before its deadline.',
  retryable: true,
};

function isWhole({ params }: Job): boolean {
  return !Object.values(params).includes(REDACTED);
}

async function deliver(running: Running): Promise<void> {
  const { job, command, row } = running;
  if (!isWhole(job)) {
    await endIn(running, command, pinsLost);
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
  await transmit(running, callsOf(row, job.params, command.createdAt.getTime()));
}

/**
 * A command that was being sent when its process stopped: sent again where the maker had refused it, and otherwise the
 * vehicle's state is the only witness.
 */
async function settleLeftover(running: Running): Promise<void> {
  const { row, job, command } = running;
  const sendable = isWhole(job) && !isOver(running);
  if (command.refused || job.refused === true) {
    if (sendable) await transmit(running, callsOf(row, job.params, command.createdAt.getTime()));
    else await endIn(running, command, isOver(running) ? refusedTooLong : pinsLost);
    return;
  }
  if ((await lookForIt(running)) === 'met') {
    const note = 'The process that was sending it stopped; the vehicle shows that it happened.';
    await step(running, ['SENDING'], { state: 'SUCCEEDED', note, columns: { verified: true } });
    return;
  }
  if (isIdempotent(row, job.params) && sendable) {
    await transmit(running, callsOf(row, job.params, command.createdAt.getTime()));
    return;
  }
  await unsettled(running, 'The service stopped while it was being sent.');
}
