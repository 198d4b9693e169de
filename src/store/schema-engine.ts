import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Migration } from './migration-files.ts';

/** Prisma's engine for migrations, as WebAssembly. */
export type SchemaEngine = glue.SchemaEngine;

/** No tables or enums are left to somebody else. */
export const allTables: glue.SchemaFilter = { externalTables: [], externalEnums: [] };

// The types for Node leave out the part of WebAssembly that makes instances.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loading: Promise<void> | null = null;

/**
 * An engine that works through an adapter; `free()` it afterwards. The WebAssembly is loaded once per process, because
 * its glue keeps views of a single memory (versions.md, trap 7).
 */
export async function openSchemaEngine(
  factory: SqlMigrationAwareDriverAdapterFactory,
  datamodel: string | null = null,
): Promise<SchemaEngine> {
  loading ??= load();
  await loading;
  const datamodels: [string, string][] | undefined =
    datamodel === null ? undefined : [['schema.prisma', datamodel]];
  return glue.SchemaEngine.new(
    { datamodels },
    ignoreLog,
    bindMigrationAwareSqlAdapterFactory(factory),
  );
}

/** Migrations in the form in which the engine takes them. */
export function migrationList(
  folder: string,
  migrations: readonly Migration[],
): glue.MigrationList {
  return {
    baseDir: folder,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

async function load(): Promise<void> {
  // Without this a panic inside shows as a TypeError about the missing registry.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message(message: string) {
        throw new Error(`The schema engine failed: ${message}`);
      },
    },
  });
  const entry = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  const bytes = readFileSync(entry.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': { ...glue },
  });
  glue.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start === 'function') start();
}

function ignoreLog(): void {}
