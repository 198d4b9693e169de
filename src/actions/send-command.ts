import { ServiceError } from '../base/errors.ts';
import { SECOND_MS } from '../base/units.ts';
import { commandRow } from '../contract/commands.ts';
import { commandOfKey } from '../store/idempotency.ts';
import { acceptCommand } from './accept-command.ts';
import { checkAllowed, checkOffered } from './command-checks.ts';
import type { CommandDesk } from './command-desk.ts';
import { deadlineS } from './command-parts.ts';
import {
  type CommandRequest,
  keyedRequest,
  type SentCommand,
  spenderOf,
} from './command-request.ts';

/** Longest that a caller can wait [s] (contract §11). */
export const LONGEST_WAIT_S = 60;

/**
 * Puts a command into the ledger and on its way, and waits for its end as long as the caller wants. Throws what the caller
 * got wrong, without a row: `validation_failed`, `command_group_disabled`, `budget_exhausted`, the idempotency words.
 */
export async function sendCommand(
  desk: CommandDesk,
  request: CommandRequest,
): Promise<SentCommand> {
  const { parts } = desk;
  const row = commandRow(request.name);
  checkRequest(request);
  checkOffered(row, parts);
  checkAllowed(row, request.principal);
  // Outside the vehicle's turn first, so that an impatient client costs one look.
  const keyed = keyedRequest(request);
  const earlier = keyed === null ? null : await commandOfKey(parts.prisma, keyed, parts.clock());
  if (earlier !== null) return { command: earlier, replayed: true };
  desk.quotas.check(spenderOf(request), parts.clock());
  const { accepted, superseded } = await acceptCommand(desk, request, { row, keyed });
  for (const command of superseded) desk.moved(command);
  const { command, replayed } = accepted;
  if (replayed) return accepted;
  if (command.state === 'QUEUED') desk.enqueue(command, request.params);
  else desk.moved(command);
  if (request.waitSeconds === 0 || command.state !== 'QUEUED') return accepted;
  await desk.ended(command.id, request.waitSeconds * SECOND_MS);
  const now = await parts.prisma.command.findUnique({ where: { id: command.id } });
  return { command: now ?? command, replayed };
}

function checkRequest({ waitSeconds, deadlineSeconds, idempotencyKey }: CommandRequest): void {
  const refuse = (field: string, sentence: string) => {
    throw new ServiceError('validation_failed', sentence, { fields: { [field]: [sentence] } });
  };
  if (waitSeconds < 0 || waitSeconds > LONGEST_WAIT_S) {
    refuse('waitSeconds', `Wait for 0 to ${LONGEST_WAIT_S} seconds.`);
  }
  const { least, most } = deadlineS;
  if (deadlineSeconds < least || deadlineSeconds > most) {
    refuse('deadlineSeconds', `Give a deadline of ${least} to ${most} seconds.`);
  }
  if (idempotencyKey !== null && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    refuse('idempotencyKey', 'Give an idempotency key of 1 to 255 printable characters.');
  }
}
