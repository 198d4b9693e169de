import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin, UserConfig } from 'vite';

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// It is started by its path, with the engine from its own package, which finds its files by where it is.
const databaseThread: Plugin = {
  name: 'database-thread',
  generateBundle() {
    const source = readFileSync(inRoot('src/store/embedded-worker.mjs'));
    this.emitFile({ type: 'asset', fileName: 'embedded-worker.mjs', source });
  },
};

/**
 * Programs of Node with the packages that they use, as a few files in a folder below the root: finding and reading twelve
 * hundred modules took a start longer than anything else that it does. Paths are below the root, names those of the files.
 */
export function nodeBundle(input: Record<string, string>, outDir: string): UserConfig {
  const paths = Object.entries(input).map(([name, path]) => [name, inRoot(path)]);
  return {
    root: inRoot('.'),
    // graphql ships two copies (`.js` and `.mjs`); every importer must get the same one.
    resolve: {
      alias: [{ find: /^graphql$/, replacement: inRoot('node_modules/graphql/index.js') }],
    },
    plugins: [databaseThread],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir: inRoot(outDir),
      // A program that runs may still ask for one of them.
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      copyPublicDir: false,
      rolldownOptions: {
        input: Object.fromEntries(paths),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
    cacheDir: inRoot('.build/vite/'),
  };
}
