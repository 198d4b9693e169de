import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '../base/errors.ts';
import { isIdempotent, REDACTED } from '../contract/command-params.ts';
import { type CommandState, unsentStates } from '../contract/command-states.ts';
import type { CommandParams, CommandRow, Expectation } from '../contract/commands/command.ts';
import { commandRow, isCommandName } from '../contract/commands.ts';
import { type Verdict, verdictOf } from '../contract/expectations.ts';
import { callsOf, type MakerCall } from '../maker/command-body.ts';
import { type CommandOutcome, outcomeOf, type Refusal } from '../maker/command-outcome.ts';
import type { CommandStep } from '../store/commands.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import { linkTo, type VehicleLink } from './command-link.ts';
import type { CommandPace, CommandParts } from './command-parts.ts';

/** A command to carry out: its id, and its parameters with what the ledger does not keep. */
export type Job = { id: string; vehicleId: string; params: CommandParams; stop: AbortController };

/** Moves a command on and tells who waits for it; null where somebody else ended it. */
export type Mover = (
  command: Pick<Command, 'id' | 'vehicleId'>,
  from: readonly CommandState[],
  step: Omit<CommandStep, 'at'>,
) => Promise<Command | null>;

/** What a life is led with. */
export type Life = {
  parts: CommandParts;
  pace: CommandPace;
  move: Mover;
  /** Ends with the desk: nothing is written after it, and the next start completes what is left. */
  closing: AbortSignal;
  /** Tells the commands that wait behind this one that the vehicle does not wake. */
  wakeFailed: (vehicleId: string, why: Ending) => Promise<void>;
};

/** How a command ends that does not succeed. */
export type Ending = { state: CommandState; code: ErrorCode; message: string; retryable: boolean };

/** Nothing is left to do: the command was ended by somebody else, or the desk closes. */
class LifeOver extends Error {}

/** How often one call is made at most (contract §11). */
const MOST_ATTEMPTS = 3;

type Running = Life & { job: Job; row: CommandRow; command: Command; link: VehicleLink };

/** Leads a command from the state it is in to its end. Rejects only where the database does. */
export async function leadLife(job: Job, life: Life): Promise<void> {
  const command = await life.parts.prisma.command.findUnique({ where: { id: job.id } });
  if (command === null || !isCommandName(command.name)) return;
  const row = commandRow(command.name);
  try {
    const { parts, pace, closing } = life;
    const link = await linkTo(job.vehicleId, parts, { pace, signal: closing });
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

async function endIn(
  { move }: Pick<Life, 'move'>,
  command: Command,
  { state, code, message, retryable }: Ending,
  columns: CommandStep['columns'] = {},
): Promise<void> {
  const failure = { failureCode: code, failureMessage: message, retryable };
  await move(command, ['QUEUED', 'WAKING', 'SENDING', 'ACKNOWLEDGED'], {
    state,
    note: message,
    columns: { ...columns, ...failure },
  });
}

async function step(
  { move, command }: Running,
  from: readonly CommandState[],
  to: Omit<CommandStep, 'at'>,
): Promise<Command> {
  const moved = await move(command, from, to);
  if (moved === null) throw new LifeOver();
  return moved;
}

/** Waits, at most until the deadline; ends the life where the command was taken back or the desk closes. */
async function pause({ job, closing, command, parts }: Running, ms: number): Promise<void> {
  const leftMs = command.expiresAt.getTime() - parts.clock();
  const signal = job.stop.signal;
  if (closing.aborted || signal.aborted) throw new LifeOver();
  try {
    await sleep(Math.max(0, Math.min(ms, leftMs)), undefined, { signal });
  } catch {
    throw new LifeOver();
  }
  if (closing.aborted) throw new LifeOver();
}

function isOver({ command, parts }: Running): boolean {
  return parts.clock() >= command.expiresAt.getTime();
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

const tooLate: Ending = {
  state: 'TIMED_OUT',
  code: 'vehicle_unavailable',
  message: 'The deadline passed before anything was sent.',
  retryable: true,
};

/** Makes sure that the vehicle answers; tells whether it was woken, or null where that ended the command. */
async function reach(running: Running): Promise<boolean | null> {
  const { link, command, parts, job } = running;
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
  const { accountId } = command;
  const expense = {
    accountId,
    vehicleId: job.vehicleId,
    category: 'WAKE',
    overrideBudget: false,
  } as const;
  const refused = (await parts.spendGuard?.(expense)) ?? null;
  if (refused !== null) {
    await endIn(running, command, {
      state: 'REJECTED',
      code: refused.code,
      message: refused.message,
      retryable: false,
    });
    return null;
  }
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
async function wake(running: Running): Promise<boolean> {
  const { link, pace, parts } = running;
  const untilMs = parts.clock() + pace.wakeLimit;
  const answer = await link.api.wakeUp(link.vin);
  if (answer.kind === 'rate_limited') {
    await pause(running, answer.retryAfterMs);
    await link.api.wakeUp(link.vin);
  }
  while (parts.clock() < untilMs && !isOver(running)) {
    await pause(running, pace.wakeLook);
    if ((await link.look()) === 'online') return true;
  }
  return false;
}

/** Sends the calls of a command in their order, and settles what came of them. */
async function transmit(running: Running, calls: readonly MakerCall[]): Promise<void> {
  let last: CommandOutcome = { kind: 'happened', noOp: true, reason: null };
  let noOp = true;
  for (const call of calls) {
    last = await sendCall(running, call);
    if (running.closing.aborted) throw new LifeOver();
    if (last.kind !== 'happened') break;
    noOp &&= last.noOp;
  }
  if (last.kind === 'refused') return refuse(running, last);
  if (last.kind === 'unknown') return unsettled(running, last.reason);
  await acknowledged(running, { noOp, reason: last.reason });
}

async function acknowledged(
  running: Running,
  { noOp, reason }: { noOp: boolean; reason: string | null },
): Promise<void> {
  const columns = { noOp, makerResult: !noOp, makerReason: reason };
  const checks = expectationsOf(running).length > 0 && running.command.confirm === 'VERIFY';
  if (noOp || !checks) {
    await step(running, ['SENDING'], { state: 'SUCCEEDED', columns });
    return;
  }
  await step(running, ['SENDING'], { state: 'ACKNOWLEDGED', columns });
  await verify(running);
}

async function refuse(running: Running, refusal: Refusal): Promise<void> {
  const { code, message, reason, again, byVehicle, protocolRequired } = refusal;
  if (protocolRequired === true) await noteProtocol(running);
  await endIn(
    running,
    running.command,
    { state: 'FAILED', code, message, retryable: again !== 'never' },
    { makerResult: byVehicle ? false : null, makerReason: reason },
  );
}

/** Keeps that the vehicle takes signed commands only. */
async function noteProtocol({ parts, job }: Running): Promise<void> {
  const data = { commandProtocolRequired: true };
  await parts.prisma.vehicle.updateMany({ where: { id: job.vehicleId }, data });
}

async function unsettled(running: Running, reason: string): Promise<void> {
  const message = `It was sent, and whether it happened is not known: ${reason}`;
  await endIn(running, running.command, {
    state: 'UNKNOWN',
    code: 'maker_timeout',
    message,
    retryable: false,
  });
}

/**
 * Sends one call until something is known of it: again only where it surely did not happen, or where a repetition is
 * harmless and the vehicle's state was read before (contract §11).
 */
async function sendCall(running: Running, call: MakerCall): Promise<CommandOutcome> {
  const { link, row, job } = running;
  let outcome: CommandOutcome = { kind: 'unknown', reason: 'It was not sent.' };
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    await step(running, [...unsentStates, 'SENDING'], {
      state: 'SENDING',
      note: attempt === 1 ? call.command : `${call.command}, attempt ${attempt}`,
      columns: { attempts: { increment: 1 } },
    });
    outcome = outcomeOf(await link.signer.send(link.vin, call), row);
    if (running.closing.aborted) throw new LifeOver();
    if (outcome.kind === 'happened') return outcome;
    if (outcome.kind === 'refused') {
      if (attempt === MOST_ATTEMPTS || !(await worthRepeating(running, outcome, attempt)))
        return outcome;
    } else {
      if (running.command.confirm !== 'NONE' && (await lookForIt(running)) === 'met') {
        return { kind: 'happened', noOp: false, reason: null };
      }
      if (!isIdempotent(row, job.params) || isOver(running)) return outcome;
      await pause(running, running.pace.again * attempt);
    }
  }
  return outcome;
}

/** Does what has to be done before a refused call is worth making again; false where it is not. */
async function worthRepeating(
  running: Running,
  { again, retryAfterMs }: Refusal,
  attempt: number,
): Promise<boolean> {
  const { link, command, parts, pace } = running;
  switch (again) {
    case 'never':
      return false;
    case 'with_fresh_token':
      link.session.refused();
      return true;
    case 'when_awake':
      return command.wake && (await wake(running));
    case 'after':
    case 'later': {
      const waitMs = retryAfterMs ?? pace.again * attempt;
      if (parts.clock() + waitMs >= command.expiresAt.getTime()) return false;
      await pause(running, waitMs);
      return true;
    }
  }
}

function expectationsOf({ row, job }: Running): readonly Expectation[] {
  return row.verify?.(job.params) ?? [];
}

/** Reads the vehicle's state once and holds it against what the command asks. */
async function lookForIt(running: Running): Promise<Verdict> {
  const { link, parts, command, job } = running;
  const expectations = expectationsOf(running);
  if (expectations.length === 0) return 'silent';
  const { accountId } = command;
  const expense = {
    accountId,
    vehicleId: job.vehicleId,
    category: 'DATA',
    overrideBudget: false,
  } as const;
  if (((await parts.spendGuard?.(expense)) ?? null) !== null) return 'silent';
  const signals = await link.readState();
  if (running.closing.aborted) throw new LifeOver();
  return signals === null ? 'silent' : verdictOf(expectations, signals);
}

/** Looks until the vehicle shows what was asked of it, a few times and no longer than the deadline. */
async function verify(running: Running): Promise<void> {
  const from = ['ACKNOWLEDGED'] as const;
  let verdict: Verdict = 'silent';
  for (const waitMs of running.pace.verify) {
    if (isOver(running)) break;
    await pause(running, waitMs);
    verdict = await lookForIt(running);
    if (verdict !== 'met') continue;
    await step(running, from, { state: 'SUCCEEDED', columns: { verified: true } });
    return;
  }
  if (verdict === 'contradicted') {
    const message = 'The maker said yes, but the vehicle does not show it.';
    const retryable = isIdempotent(running.row, running.job.params);
    await endIn(
      running,
      running.command,
      { state: 'FAILED', code: 'maker_error', message, retryable },
      { verified: false },
    );
    return;
  }
  const note = 'The vehicle’s state could not be checked.';
  await step(running, from, { state: 'SUCCEEDED', note, columns: { verified: false } });
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
