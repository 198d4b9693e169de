import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

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
 * The service with the packages it uses, as a few files: finding and reading twelve hundred modules took a start longer
 * than anything else that it does. `NODE_OPTIONS=--enable-source-maps` shows where something is in the sources.
 */
export default defineConfig({
  root: inRoot('.'),
  // graphql ships two copies (`.js` and `.mjs`); every importer must get the same one.
  resolve: { alias: [{ find: /^graphql$/, replacement: inRoot('node_modules/graphql/index.js') }] },
  plugins: [databaseThread],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    target: 'node20',
    outDir: inRoot('.build/src/'),
    // A program that runs may still ask for one of them.
    emptyOutDir: false,
    minify: false,
    sourcemap: true,
    copyPublicDir: false,
    rolldownOptions: {
      input: { main: inRoot('src/main.ts') },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
  cacheDir: inRoot('.build/vite/'),
});
