import { type Command, Option } from 'commander';
import { regionNamed, regionNames } from '../maker/regions.ts';
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

/** Adds the verbs about the application under which the service is known to a maker. */
export function registerMaker(program: Command, place: PlaceOfVerbs): void {
  registerRegistration(program, place);
  registerKey(program, place);
}

type RegisterFlags = AccountFlag & JsonFlag & { region?: string[] };

/** `maker-register` does what the route does, where nobody has a token yet. Ends with 1 where a region is not registered. */
function registerRegistration(program: Command, place: PlaceOfVerbs): void {
  commandOf(program, 'maker-register', 'register the application’s domain and key with the maker')
    .addOption(
      new Option('--region <region...>', 'only these of the regions that are set').choices(
        regionNames,
      ),
    )
    .addOption(accountOption())
    .addOption(jsonOption())
    .action(
      guarded(async (flags: RegisterFlags) => {
        const regions = flags.region?.flatMap((word) => regionNamed(word) ?? []) ?? null;
        const args = { account: flags.account ?? null, regions };
        const { domain, registrations } = await runVerb('maker.register', args, place());
        const ok = registrations.every(({ status }) => status === 'REGISTERED');
        if (!ok) process.exitCode = 1;
        if (flags.json) return out(JSON.stringify({ ok, domain, registrations }));
        for (const { region, status, description, detail, next } of registrations) {
          out(`${region} ${status}: ${description}${detail === null ? '' : ` (${detail})`}`);
          if (next !== null) note(`${region} next: ${next}`);
        }
      }),
    );
}

/** `maker-key export` hands the private key to whoever runs the maker's signing proxy. */
function registerKey(program: Command, place: PlaceOfVerbs): void {
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
