import type { Command } from 'commander';
import {
  type AccountFlag,
  accountOption,
  commandOf,
  type JsonFlag,
  jsonOption,
  type PlaceOfVerbs,
} from './operator-options.ts';
import { guarded, note, out } from './operator-output.ts';
import { runVerb } from './run-verb.ts';

/** Adds `maker-key export`, which hands the private key to whoever runs the maker's signing proxy. */
export function registerMakerKey(program: Command, place: PlaceOfVerbs): void {
  commandOf(program, 'maker-key', 'the key pair that vehicles know this service by')
    .command('export')
    .description('print the private key, for the maker’s signing proxy')
    .addOption(accountOption())
    .addOption(jsonOption())
    .action(
      guarded(async (flags: AccountFlag & JsonFlag) => {
        const args = { account: flags.account ?? null };
        const key = await runVerb('makerKey.export', args, place());
        out(flags.json ? JSON.stringify(key) : key.privateKey.trimEnd());
        note(
          'WARNING: whoever has this key can unlock and move every vehicle that it is paired with. Write it to a file that only the signing proxy reads (mode 0600), and keep no other copy.',
        );
      }),
    );
}
