import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const root = fileURLToPath(new URL('../src/console/', import.meta.url));

// GraphiQL's styles carry 400 KB of fonts as data: addresses, which our policy does not allow; the system's do as well.
const withoutInlineFonts: Plugin = {
  name: 'without-inline-fonts',
  enforce: 'pre',
  transform: {
    filter: { id: /\/graphiql\/dist\/style\.css$/ },
    handler: (code) => code.replaceAll(/@font-face\s*\{[^}]*url\(["']?data:[^}]*\}/g, ''),
  },
};

// The pages that run in the browser; the service serves what this builds, and nothing on them comes from elsewhere.
export default defineConfig({
  root,
  plugins: [react(), withoutInlineFonts],
  build: {
    outDir: fileURLToPath(new URL('../.build/console/', import.meta.url)),
    emptyOutDir: true,
    // GraphiQL's editor is large and loaded once; the warning would be printed at every install.
    chunkSizeWarningLimit: 8_000,
    rolldownOptions: {
      input: { graphiql: `${root}graphiql/index.html` },
      onwarn(warning, warn) {
        // 'use no memo' and its kind, in the hundreds, from packages that were compiled before.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  cacheDir: fileURLToPath(new URL('../.build/vite/', import.meta.url)),
});
