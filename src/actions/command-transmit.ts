import { isIdempotent } from '../contract/command-params.ts';
import { type CommandState, unsentStates } from '../contract/command-states.ts';
import { RenewalError } from '../ingest/renewal.ts';
import type { MakerCall } from '../maker/command-body.ts';
import { type CommandOutcome, outcomeOf, type Refusal } from '../maker/command-outcome.ts';
import { makeRoom } from './command-room.ts';
import { endIn, isOver, LifeOver, pause, type Running, step } from './command-running.ts';
import { expectationsOf, lookForIt, verify } from './command-verify.ts';
import { wakeAgain } from './command-wake.ts';

/** How often one call is made at most (contract §11). */
const MOST_ATTEMPTS = 3;

/** A call of a command, and whether an earlier one has happened already. */
type Turn = { call: MakerCall; from: readonly CommandState[]; first: boolean };

/** Sends the calls of a command in their order, and settles what came of them. */
export async function transmit(running: Running, calls: readonly MakerCall[]): Promise<void> {
  if (running.command.state !== 'SENDING') await makeRoom(running, 'COMMAND');
  let last: CommandOutcome = { kind: 'happened', noOp: true, reason: null };
  let noOp = true;
  // What somebody else began to send meanwhile is not sent here too.
  let from: readonly CommandState[] =
    running.command.state === 'SENDING' ? ['SENDING'] : unsentStates;
  for (const [index, call] of calls.entries()) {
    last = await sendCall(running, { call, from, first: index === 0 });
    from = ['SENDING'];
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
  const { code, message, reason, again, byVehicle, protocolRequired, retryAfterMs } = refusal;
  if (protocolRequired === true) await noteProtocol(running);
  const retryAt = retryAfterMs === null ? null : new Date(running.parts.clock() + retryAfterMs);
  await endIn(
    running,
    running.command,
    { state: 'FAILED', code, message, retryable: again !== 'never' },
    { makerResult: byVehicle ? false : null, makerReason: reason, retryAt },
  );
}

/** Keeps that the vehicle takes signed commands only. */
async function noteProtocol({ parts, job }: Running): Promise<void> {
  const data = { commandProtocolRequired: true };
  await parts.prisma.vehicle.updateMany({ where: { id: job.vehicleId }, data });
}

/** Ends a command of which nobody knows whether it happened. */
export async function unsettled(running: Running, reason: string): Promise<void> {
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
async function sendCall(running: Running, turn: Turn): Promise<CommandOutcome> {
  const { row, job } = running;
  let outcome: CommandOutcome = { kind: 'unknown', reason: 'It was not sent.' };
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    outcome = await attemptCall(running, turn, attempt);
    if (running.closing.aborted) throw new LifeOver();
    if (outcome.kind === 'happened') return outcome;
    if (outcome.kind === 'refused') {
      if (attempt === MOST_ATTEMPTS || outcome.again === 'never') return outcome;
      await noteRefusal(running, turn, outcome);
      if (!(await worthRepeating(running, outcome, attempt)) || isOver(running)) return outcome;
    } else {
      if ((await lookForIt(running)) === 'met') {
        return { kind: 'happened', noOp: false, reason: null };
      }
      if (!isIdempotent(row, job.params) || isOver(running)) return outcome;
      await pause(running, running.pace.again * attempt);
      // The pause ends at the deadline at the latest, and nothing is sent after it.
      if (isOver(running)) return outcome;
    }
  }
  return outcome;
}

async function attemptCall(
  running: Running,
  { call, from, first }: Turn,
  attempt: number,
): Promise<CommandOutcome> {
  const { link, row, job } = running;
  await step(running, attempt === 1 ? from : ['SENDING'], {
    state: 'SENDING',
    note: attempt === 1 ? call.command : `${call.command}, attempt ${attempt}`,
    columns: { attempts: { increment: 1 }, refused: false },
  });
  job.refused = false;
  try {
    return outcomeOf(await link.signer.send(link.vin, call), row);
  } catch (error) {
    // A signer throws where it has no token to send with: nothing was sent.
    job.refused = first;
    if (error instanceof RenewalError) return withoutToken(error);
    throw error;
  }
}

function withoutToken({ kind, reason, retryAfterMs }: RenewalError): Refusal {
  return {
    kind: 'refused',
    code: kind === 'misconfigured' ? 'maker_error' : 'maker_unavailable',
    message: 'The maker’s token endpoint gave no access token; nothing was sent.',
    reason,
    again: kind === 'misconfigured' ? 'never' : 'later',
    retryAfterMs,
    byVehicle: false,
  };
}

/**
 * Keeps that the last call surely did not happen, so that a stop while its repetition is waited for leaves no doubt. Of
 * several calls only the first can say so of the whole command.
 */
async function noteRefusal(running: Running, { first }: Turn, { message }: Refusal): Promise<void> {
  if (!first) return;
  running.job.refused = true;
  const note = `Refused, and to be sent again: ${message}`;
  await step(running, ['SENDING'], { state: 'SENDING', note, columns: { refused: true } });
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
      return command.wake && (await wakeAgain(running));
    case 'after':
    case 'later': {
      const waitMs = retryAfterMs ?? pace.again * attempt;
      if (parts.clock() + waitMs >= command.expiresAt.getTime()) return false;
      await pause(running, waitMs);
      return true;
    }
  }
}
