import { defineConfig } from 'vitest/config';
import usual from './vitest.ts';

/** Rounds of the long tests, until the time is over that the environment gives (test/soak/README.md). */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: ['test/soak/*.soak.ts'],
    // Memory is watched after a collection.
    execArgv: ['--expose-gc'],
    testTimeout: 24 * 3_600_000,
    reporters: ['verbose'],
    disableConsoleIntercept: true,
  },
});
