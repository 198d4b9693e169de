import { type Command, Option } from 'commander';
import type { VerbPlace } from './run-verb.ts';

/** Where the verbs work, read when one runs, so that the flags of the program are known. */
export type PlaceOfVerbs = () => VerbPlace;

/** `--account`, which account a verb is about. */
export const accountOption = () =>
  new Option('--account <who>', 'address or id of the account, when there are several');

/** `--json`, for programs. */
export const jsonOption = () => new Option('--json', 'print one line of JSON on standard output');

/** What `--account` gives. */
export type AccountFlag = { account?: string };
/** What `--json` gives. */
export type JsonFlag = { json?: true };

/** A command that ends with 2 when it is used wrongly; its subcommands inherit that. */
export function commandOf(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
}
