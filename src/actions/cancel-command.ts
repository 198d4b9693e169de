import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import { typeIdOf } from '../base/ids.ts';
import { commandStates } from '../contract/command-states.ts';
import { auditIn } from '../store/audit.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import { checkAllowed } from './command-checks.ts';
import type { CommandDesk } from './command-desk.ts';
import { actorOf } from './maker-door.ts';

/** Who takes back which command; it is one the caller may see. */
export type Cancellation = { command: Command; principal: Principal; requestId: string };

/**
 * Takes a command back that was not sent yet, and keeps who did in the same transaction; one that was taken back before stays
 * so. Throws `command_group_disabled` for one that the token may not send either, `command_in_progress` for one that is on
 * its way, and `precondition_failed` for one that ended otherwise.
 */
export async function cancelCommand(
  desk: CommandDesk,
  { command, principal, requestId }: Cancellation,
): Promise<Command> {
  checkAllowed(command, principal);
  if (command.state === 'CANCELLED') return command;
  if (commandStates[command.state].ends) {
    throw new ServiceError(
      'precondition_failed',
      'The command has ended; nothing is left to take back.',
    );
  }
  const { accountId } = principal;
  const fact = {
    at: desk.parts.clock(),
    actor: actorOf(principal),
    action: 'command.cancel',
    object: typeIdOf('Command', command.id),
    details: { name: command.name },
    requestId,
  };
  const cancelled = await desk.withdraw(command, 'Taken back by the caller.', (tx) =>
    auditIn(tx, accountId, [fact]),
  );
  if (cancelled !== null) return cancelled;
  throw new ServiceError('command_in_progress', 'The command was sent; it cannot be taken back.');
}
