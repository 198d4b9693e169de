import { defineConfig } from 'vite';
import { nodeBundle } from './node-bundle.ts';

/** The service. `NODE_OPTIONS=--enable-source-maps` shows where something is in the sources. */
export default defineConfig(nodeBundle({ main: 'src/main.ts' }, '.build/src/'));
