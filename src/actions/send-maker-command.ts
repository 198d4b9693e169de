import { ServiceError } from '../base/errors.ts';
import { readParams } from '../contract/command-params.ts';
import { commandRow } from '../contract/commands.ts';
import { fromMaker, inMakerWords } from '../maker/command-body.ts';
import type { CommandDesk } from './command-desk.ts';
import type { CommandRequest, SentCommand } from './command-request.ts';
import { sendCommand } from './send-command.ts';

/** A command under the maker's own name, with the maker's own body. */
export type MakerCommandRequest = Omit<CommandRequest, 'name' | 'params' | 'via'> & {
  makerName: string;
  body: unknown;
};

/**
 * Sends a command as the maker's own interface names it, through the same ledger. Throws `invalid_command` for a name the
 * maker does not have, and `validation_failed` in the maker's words for a body it would refuse; nothing was spent by then.
 */
export async function sendMakerCommand(
  desk: CommandDesk,
  { makerName, body, ...request }: MakerCommandRequest,
): Promise<SentCommand> {
  const given = body ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw new ServiceError('validation_failed', 'The body must be a JSON object.');
  }
  const asked: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(given));
  const read = fromMaker(makerName, asked);
  if (read === null) throw new ServiceError('invalid_command', 'invalid_command');
  if (!read.ok) throw new ServiceError('validation_failed', read.reason);
  const { name, values } = read;
  try {
    const named = { name, row: commandRow(name), params: {}, legacy: false };
    const params = readParams(named, { values, texts: false });
    return await sendCommand(desk, { ...request, name, params, via: 'FLEET_PROXY' });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.fields === null) throw error;
    // The maker's interface says one thing in one sentence.
    const [reason = error.message] = inMakerWords(name, asked, error.fields);
    throw new ServiceError(error.code, reason, { cause: error });
  }
}
