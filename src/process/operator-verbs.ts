import { type Command, InvalidArgumentError, Option } from 'commander';
import { ServiceError } from '../base/errors.ts';
import { idPrefixes } from '../base/ids.ts';
import { commandGroups } from '../contract/commands/command.ts';
import { scopes } from '../contract/scopes.ts';
import { registerDoctor } from './doctor-verb.ts';
import { registerMaker } from './maker-verbs.ts';
import {
  type AccountFlag,
  accountOption,
  commandOf,
  type JsonFlag,
  jsonOption,
  type PlaceOfVerbs,
} from './operator-options.ts';
import { guarded, note, out } from './operator-output.ts';
import { grantText, ingestTokenTable, tokenTable } from './operator-words.ts';
import { runVerb, type VerbPlace } from './run-verb.ts';

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}

function collected(text: string, before: string[] = []): string[] {
  return [...before, text];
}

function registerTokens(program: Command, place: PlaceOfVerbs): void {
  const token = commandOf(program, 'token', 'make, list and revoke personal access tokens');

  token
    .command('create')
    .description('make a token and print it, this once')
    .requiredOption('--name <name>', 'what to recognise it by')
    .option('--scopes <scopes>', `what it opens, separated by commas: ${scopes.join(', ')}`)
    .option('--ingest', 'make one that brings telemetry in and opens nothing else')
    .option('--days <days>', 'how long it lives, 1 to 366 (default: 90)', wholeNumber)
    .option('--vehicle <slug>', 'limit it to a vehicle, by slug or id; can be repeated', collected)
    .option('--groups <groups>', `groups it may command: ${Object.keys(commandGroups).join(', ')}`)
    .addOption(
      new Option('--precision <precision>', 'how exactly it tells positions').choices([
        'exact',
        'approximate',
        'hidden',
      ]),
    )
    .addOption(accountOption())
    .addOption(jsonOption())
    .action(
      guarded(async (flags: TokenFlags) => {
        if (flags.ingest) return createIngest(flags, place());
        const made = await runVerb('token.create', createArgs(flags), place());
        out(flags.json ? JSON.stringify(made) : made.token);
        note(`Token "${made.name}" (${made.id}) opens ${grantText(made)} until ${made.expiresAt}.`);
        note(onceText(made.id));
      }),
    );

  token
    .command('list')
    .description('list the tokens of the account, newest first')
    .option('--revoked', 'those that were revoked, too')
    .option('--ingest', 'the ingest tokens of the instance instead')
    .addOption(accountOption())
    .addOption(jsonOption())
    .action(
      guarded(async (flags: AccountFlag & JsonFlag & { revoked?: true; ingest?: true }) => {
        const revoked = flags.revoked ?? false;
        if (flags.ingest) return listIngest({ revoked }, flags, place());
        const args = { account: flags.account ?? null, revoked };
        const list = await runVerb('token.list', args, place());
        if (flags.json) return out(JSON.stringify(list));
        if (list.tokens.length === 0) return note('The account has no tokens.');
        out(tokenTable(list.tokens));
        if (list.more) note('There are more; these are the newest.');
      }),
    );

  token
    .command('revoke')
    .description('end a token at once')
    .argument('<id>', 'id of the token, as `token list` shows it')
    .action(
      guarded(async (id: string) => {
        const verb = id.startsWith(`${idPrefixes.IngestToken}_`) ? 'ingestToken' : 'token';
        const { changed } = await runVerb(`${verb}.revoke`, { id }, place());
        note(changed ? `Token ${id} is revoked.` : `Token ${id} had been revoked before.`);
      }),
    );
}

type TokenFlags = AccountFlag &
  JsonFlag & {
    name: string;
    scopes?: string;
    ingest?: true;
    days?: number;
    vehicle?: string[];
    precision?: 'exact' | 'approximate' | 'hidden';
    groups?: string;
  };

const precisions = { exact: 'EXACT', approximate: 'APPROXIMATE', hidden: 'HIDDEN' } as const;

function createArgs(flags: TokenFlags) {
  if (flags.scopes === undefined) {
    throw new ServiceError('validation_failed', 'It is not said what the token opens.', {
      fields: { scopes: ['Give scopes, or --ingest.'] },
    });
  }
  return {
    account: flags.account ?? null,
    name: flags.name,
    scopes: listOf(flags.scopes),
    vehicleIds: flags.vehicle ?? null,
    expiresInDays: flags.days,
    locationPrecision: flags.precision && precisions[flags.precision],
    commandGroups: flags.groups === undefined ? null : listOf(flags.groups),
  };
}

function onceText(id: string): string {
  return `It is shown this once. \`odograph token revoke ${id}\` ends it.`;
}

async function createIngest(flags: TokenFlags, place: VerbPlace): Promise<void> {
  const made = await runVerb('ingestToken.create', ingestArgs(flags), place);
  out(flags.json ? JSON.stringify(made) : made.token);
  note(`Ingest token "${made.name}" (${made.id}) opens /ingest until ${made.expiresAt}.`);
  note(onceText(made.id));
}

/** An ingest token is of the instance: scopes, vehicles, precision and groups say nothing to it. */
function ingestArgs(flags: TokenFlags) {
  const { account = null, name, days: expiresInDays } = flags;
  const { scopes, vehicle, precision, groups } = flags;
  if ([scopes, vehicle, precision, groups].every((flag) => flag === undefined))
    return { account, name, expiresInDays };
  throw new ServiceError(
    'validation_failed',
    'An ingest token takes no --scopes, --vehicle, --precision or --groups.',
  );
}

async function listIngest(
  args: { revoked: boolean },
  flags: JsonFlag,
  place: VerbPlace,
): Promise<void> {
  const list = await runVerb('ingestToken.list', args, place);
  if (flags.json) return out(JSON.stringify(list));
  if (list.tokens.length === 0) return note('The instance has no ingest tokens.');
  out(ingestTokenTable(list.tokens));
}

function registerApiKeys(program: Command, place: PlaceOfVerbs): void {
  const apiKey = commandOf(program, 'api-key', 'make and revoke legacy API keys');

  apiKey
    .command('create')
    .description('make an API key for older clients and print it, this once')
    .option('--controls', 'let it send commands, too')
    .addOption(accountOption())
    .addOption(jsonOption())
    .action(
      guarded(async (flags: AccountFlag & JsonFlag & { controls?: true }) => {
        const args = { account: flags.account ?? null, controls: flags.controls ?? false };
        const made = await runVerb('apiKey.create', args, place());
        out(flags.json ? JSON.stringify(made) : made.apiKey);
        note(
          `API key ${made.id} opens vehicles${made.controls ? ' and controls' : ''} until ${made.expiresAt}.`,
        );
        note(
          'It is shown this once, goes into the query as `api_key=...`, and counts only on the older routes of a service that runs with ODOGRAPH_LEGACY_API_KEYS=on.',
        );
      }),
    );

  apiKey
    .command('revoke')
    .description('end an API key at once')
    .argument('<id>', 'id of the key, as it was told when it was made')
    .action(
      guarded(async (id: string) => {
        const { changed } = await runVerb('apiKey.revoke', { id }, place());
        note(changed ? `API key ${id} is revoked.` : `API key ${id} had been revoked before.`);
      }),
    );
}

function registerStatus(program: Command, place: PlaceOfVerbs): void {
  commandOf(program, 'status', 'say whether the service runs, and where')
    .addOption(jsonOption())
    .action(
      guarded(async (flags: JsonFlag) => {
        const status = await runVerb('status', {}, place());
        if (!status.running) process.exitCode = 1;
        if (flags.json) return out(JSON.stringify(status));
        if (!status.running) return out('No service runs on this data folder.');
        out(`Odograph ${status.version} runs as process ${status.pid} since ${status.startedAt}.`);
        for (const [what, url] of Object.entries(status.urls))
          if (url !== null) out(`${what}: ${url}`);
      }),
    );
}

function registerAudit(program: Command, place: PlaceOfVerbs): void {
  commandOf(program, 'audit', 'check who did what')
    .command('verify')
    .description('compute the chain of audit entries anew; ends with 1 when it was changed')
    .addOption(accountOption())
    .addOption(jsonOption())
    .action(
      guarded(async (flags: AccountFlag & JsonFlag) => {
        const verdict = await runVerb('audit.verify', { account: flags.account ?? null }, place());
        const { entries, letGo, lastHash, fault } = verdict;
        if (fault !== null) process.exitCode = 1;
        if (flags.json) return out(JSON.stringify(verdict));
        if (letGo > 0) note(`The ${letGo} entries of before are kept no longer.`);
        if (fault === null) return out(`${entries} entries, unchanged; the last is ${lastHash}.`);
        const what = fault.reason === 'CHANGED' ? 'was changed' : 'is missing or out of place';
        out(`Entry ${fault.position} ${what}; the ${entries} before it are unchanged.`);
      }),
    );
}

/**
 * Adds the operator's verbs to the command line. Results go to standard output, explanations to standard error; the
 * process ends with 0, with 1 after a failure, with 2 after a wrong use.
 */
export function registerOperatorVerbs(program: Command, place: PlaceOfVerbs): void {
  registerTokens(program, place);
  registerApiKeys(program, place);
  registerStatus(program, place);
  registerMaker(program, place);
  registerAudit(program, place);
  registerDoctor(program, place);
}
