import { defineConfig } from 'prisma/config';

// `prisma generate` insists on a native schema engine that nothing here uses; any executable satisfies it.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: '../prisma/schema.prisma' });
