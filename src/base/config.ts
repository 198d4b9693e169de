import type { z } from 'zod';
import { type SettingName, settingEntries, type settings } from './settings.ts';

type ValueOf<S extends (typeof settings)[SettingName]> =
  | z.output<S['reader']>
  | (S['unset'] extends null ? null : never);

/** What the service runs with; a setting that is unset and has no default is null. */
export type Config = { readonly [N in SettingName]: ValueOf<(typeof settings)[N]> };

/** Texts of the flags that were given, by setting; they win over the variables. */
export type FlagTexts = { readonly [N in SettingName]?: string | undefined };

/** Everything that is wrong with the settings, in one message that shows no secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const [first, ...others] = problems;
    super(
      others.length === 0
        ? `A setting is wrong: ${first}`
        : `${problems.length} settings are wrong:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Settings from the environment and the flags; an empty variable counts as unset. Throws ConfigError with every problem. */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>>,
  flags: FlagTexts = {},
): Config {
  const problems: string[] = [];
  const values = settingEntries().map(([name, setting]) => {
    const flag = flags[name];
    const text = flag ?? (environment[setting.variable] || setting.unset);
    if (text === null || text === undefined) return [name, null];
    const read = setting.reader.safeParse(text);
    if (read.success) return [name, read.data];
    const source = flag === undefined ? setting.variable : setting.flag?.split(' ')[0];
    const shown = setting.secret ? '' : ` (it is ${JSON.stringify(text.slice(0, 60))})`;
    problems.push(`${source} ${read.error.issues[0]?.message ?? 'is wrong'}${shown}.`);
    return [name, null];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.fromEntries(values);
}

/** The README's configuration table in Markdown, made from the settings. */
export function configurationTable(): string {
  const rows = settingEntries().map(([, setting]) => {
    const unset = setting.unset === null ? setting.unsetSentence : `\`${setting.unset}\``;
    const flag = setting.flag === null ? '' : `\`${setting.flag}\``;
    return `| \`${setting.variable}\` | ${flag} | ${unset} | ${setting.sentence} |`;
  });
  return ['| variable | flag | default | meaning |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** Whether the simulated garage runs: `auto` runs the garage while no maker is configured (contract §21). */
export function runsGarage({
  garage,
  makerClientId,
}: Pick<Config, 'garage' | 'makerClientId'>): boolean {
  return garage === 'auto' ? makerClientId === null : garage === 'on';
}
