#!/usr/bin/env node
import { Command, Option } from 'commander';
import { loadConfig } from './base/config.ts';
import { processLog } from './base/log.ts';
import { packageVersion } from './base/package-root.ts';
import { settings } from './base/settings.ts';
import { outliveReaders } from './process/closed-pipes.ts';
import { registerOperatorVerbs } from './process/operator-verbs.ts';
import { registerReplay } from './process/replay-verb.ts';
import type { ServeFlags } from './process/serve.ts';

function settingOption({ flag, sentence }: { flag: string; sentence: string }): Option {
  return new Option(flag, sentence.replaceAll('`', ''));
}

outliveReaders();

const program = new Command('odograph')
  .description('An open-source, self-hosted vehicle data service.')
  .version(packageVersion)
  // What was typed wrongly ends with 2, like a wrong setting.
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .addOption(settingOption(settings.dataDir));

program
  .command('serve', { isDefault: true })
  .description('run the service (the default)')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .addOption(settingOption(settings.port))
  .addOption(settingOption(settings.host))
  .option('--json', 'print one line of JSON when the service is ready, and no banner')
  .option('--no-open', 'never open a browser, not even when asked by a key')
  .action(async (flags: ServeFlags) => {
    // Loaded when it is wanted: a verb need not wait for the whole service.
    const { serve } = await import('./process/serve.ts');
    await serve({ ...flags, ...program.opts() });
  });

registerOperatorVerbs(program, () => {
  const config = loadConfig(process.env, program.opts());
  return { config, log: processLog(config.logLevel === 'info' ? 'warn' : config.logLevel) };
});

registerReplay(program);

await program.parseAsync();
