import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  // graphql ships two copies (`.js` and `.mjs`); every importer must get the same one.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // Many files wait for processes of their own, so there are more workers than cores.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    // The files of a worker share their modules: loading all of the schema anew for each costs more than its tests.
    isolate: false,
    // Only what hangs comes to these: a busy machine takes its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
