import type { ErrorCode } from '../base/errors.ts';
import type { CommandState } from '../contract/command-states.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import { endIn, type Mover } from './command-running.ts';

/** Why a command cannot be carried on, and how it ends where nothing was sent. */
export type BreakOff = {
  code: ErrorCode;
  message: string;
  /** Whether it may be asked for again where nothing was sent. */
  retryable: boolean;
  unsent?: Extract<CommandState, 'FAILED' | 'CANCELLED'>;
};

/**
 * Ends a command that cannot be carried on as its state allows to say: what was surely not sent has not happened, what the
 * maker had acknowledged has succeeded unverified, and of the rest nobody knows. `refused` says that what was sent last
 * surely did not happen.
 */
export async function breakOff(
  move: Mover,
  command: Command,
  { code, message, retryable, unsent = 'FAILED' }: BreakOff,
  refused = command.refused,
): Promise<void> {
  const { state } = command;
  if (state === 'ACKNOWLEDGED') {
    const note = `The maker had acknowledged it, and it could not be checked: ${message}`;
    await move(command, [state], { state: 'SUCCEEDED', note, columns: { verified: false } });
    return;
  }
  const doubtful = state === 'SENDING' && !refused;
  await endIn({ move }, command, {
    state: doubtful ? 'UNKNOWN' : unsent,
    code,
    message,
    retryable: retryable && !doubtful,
  });
}
