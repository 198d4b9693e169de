import type { Command } from 'commander';
import type { Check } from '../actions/doctor-check.ts';
import { ConfigError } from '../base/config.ts';
import { commandOf, type JsonFlag, jsonOption, type PlaceOfVerbs } from './operator-options.ts';
import { out } from './operator-output.ts';
import { failureText } from './operator-words.ts';
import { runVerb, type VerbPlace } from './run-verb.ts';

/** Adds `doctor`, which says of everything that has to be right whether it is, and what to do where it is not. */
export function registerDoctor(program: Command, place: PlaceOfVerbs): void {
  commandOf(
    program,
    'doctor',
    'look at everything that has to be right; ends with 1 when something is not',
  )
    .addOption(jsonOption())
    .action(async (flags: JsonFlag) => {
      const checks = await checked(place);
      const ok = checks.every(({ level }) => level !== 'FAIL');
      if (!ok) process.exitCode = 1;
      if (flags.json) return out(JSON.stringify({ ok, checks }));
      for (const check of checks) out(lineOf(check));
    });
}

/** The settings first; without them nothing else can be looked at. */
async function checked(place: PlaceOfVerbs): Promise<Check[]> {
  let found: VerbPlace;
  try {
    found = place();
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    const next = 'Mend it in the environment; the README lists every setting.';
    return cause.problems.map((says) => ({ id: 'settings', level: 'FAIL', says, next }));
  }
  const settings: Check = {
    id: 'settings',
    level: 'OK',
    says: 'Every setting of this shell can be read.',
    next: null,
  };
  try {
    const { running } = await runVerb('status', {}, found);
    const service = serviceCheck(running, found);
    const { checks } = await runVerb('doctor', {}, found);
    return [settings, service, ...checks];
  } catch (cause) {
    const [says = 'The service cannot be examined.'] = failureText(cause).split('\n');
    const next = 'Start the service, and read what it says.';
    return [settings, { id: 'service', level: 'FAIL', says: says.replace(/^error: /, ''), next }];
  }
}

function serviceCheck(running: boolean, { config }: VerbPlace): Check {
  const id = 'service';
  if (running) return { id, level: 'OK', says: `A service runs on ${config.dataDir}.`, next: null };
  const says = `No service runs on ${config.dataDir}; what follows is read from its database.`;
  return { id, level: 'WARN', says, next: 'Start it: npm start.' };
}

function lineOf({ level, id, says, next }: Check): string {
  const line = `${level.padEnd(5)} ${id}: ${says}`;
  return next === null ? line : `${line}\n      next: ${next}`;
}
