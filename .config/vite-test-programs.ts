import { readdirSync } from 'node:fs';
import { defineConfig } from 'vite';
import { nodeBundle } from './node-bundle.ts';

const root = new URL('..', import.meta.url);
const programs = readdirSync(new URL('test', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\/programs\/[^/]+\.ts$/.test(path))
  .map((path) => [path.replace(/\/programs\//, '-').replace(/\.ts$/, ''), `test/${path}`]);

const bundle = nodeBundle(Object.fromEntries(programs), '.build/test/');

/** The programs that tests start, each as `AREA-NAME.js`. */
export default defineConfig({
  ...bundle,
  // What they share with tests may name the runner, of which they use nothing.
  ssr: { ...bundle.ssr, external: ['vitest'] },
});
