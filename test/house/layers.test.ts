import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packageRoot } from '../../src/base/package-root.ts';

const report = z.object({
  summary: z.object({
    violations: z.array(
      z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) }),
    ),
  }),
});

let root = '';

function withTree<T>(use: () => T): T {
  root = mkdtempSync(join(tmpdir(), 'odo-layers-'));
  try {
    copyFileSync(join(packageRoot, 'tsconfig.json'), join(root, 'tsconfig.json'));
    return use();
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Writes a tree of files that import each other, and returns the rules they break as `rule: from -> to`. */
function broken(imports: [from: string, to: string][]): string[] {
  const files = new Map<string, string[]>();
  for (const [from, to] of imports) {
    files.set(from, [...(files.get(from) ?? []), to]);
    files.set(to, files.get(to) ?? []);
  }
  for (const [file, targets] of files) {
    const lines = targets.map((to) => {
      const path = relative(dirname(file), to);
      return `import '${path.startsWith('.') ? path : `./${path}`}';`;
    });
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), `${lines.join('\n')}\nexport {};\n`);
  }
  const config = join(packageRoot, '.config/dependency-cruiser.cjs');
  const tool = join(packageRoot, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const run = spawnSync(
    process.execPath,
    [tool, '--config', config, '--output-type', 'json', 'src'],
    { cwd: root, encoding: 'utf8', maxBuffer: 1e8 },
  );
  return report
    .parse(JSON.parse(run.stdout))
    .summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`)
    .sort();
}

const plants: [rule: string, from: string, to: string][] = [
  ['base-imports-only-to-its-left', 'src/base/a.ts', 'src/schema/b.ts'],
  ['contract-imports-only-to-its-left', 'src/contract/a.ts', 'src/maker/b.ts'],
  ['maker-imports-only-to-its-left', 'src/maker/a.ts', 'src/store/b.ts'],
  ['maker-and-store-are-strangers', 'src/store/a.ts', 'src/maker/b.ts'],
  ['auth-imports-only-to-its-left', 'src/auth/a.ts', 'src/actions/b.ts'],
  ['ingest-imports-only-to-its-left', 'src/ingest/a.ts', 'src/schema/b.ts'],
  ['schema-imports-only-to-its-left', 'src/schema/a.ts', 'src/transports/http/b.ts'],
  ['transports-imports-only-to-its-left', 'src/transports/http/a.ts', 'src/server.ts'],
  ['transports-imports-only-to-its-left', 'src/transports/http/a.ts', 'src/process/b.ts'],
  ['process-imports-only-to-its-left', 'src/process/a.ts', 'src/main.ts'],
  ['no-transport-imports-store', 'src/transports/rest/a.ts', 'src/store/b.ts'],
  ['no-transport-imports-another', 'src/transports/rest/a.ts', 'src/transports/http/b.ts'],
  ['nothing-in-the-flow-imports-the-simulator', 'src/ingest/a.ts', 'src/simulator/b.ts'],
  ['simulator-speaks-only-the-wire', 'src/simulator/a.ts', 'src/maker/parse-vehicle-data.ts'],
  ['console-is-a-client', 'src/console/a.ts', 'src/contract/b.ts'],
  ['nothing-imports-the-console', 'src/transports/console/a.ts', 'src/console/b.ts'],
  ['no-test-in-src', 'src/base/a.ts', 'test/support/b.ts'],
];

// Each plant in files of its own, so that one run finds them all.
const planted = plants.map(([rule, from, to], index) => {
  const numbered = (file: string) => file.replace(/\/([ab])\.ts$/, `/$1${index}.ts`);
  return { rule, from: numbered(from), to: numbered(to) };
});

describe('the layer rule', () => {
  let found: string[] = [];
  beforeAll(() => {
    found = withTree(() => broken(planted.map(({ from, to }) => [from, to])));
  });

  it.each(planted)('$rule: fails on $from importing $to', ({ rule, from, to }) => {
    expect(found).toContain(`${rule}: ${from} -> ${to}`);
  });

  it('fails on two files that import each other', () => {
    const cycle = withTree(() =>
      broken([
        ['src/base/a.ts', 'src/base/b.ts'],
        ['src/base/b.ts', 'src/base/a.ts'],
      ]),
    );
    expect(cycle).toContain('no-cycles: src/base/a.ts -> src/base/b.ts');
  });

  it('fails on a file that nothing reaches', () => {
    const alone = withTree(() => {
      mkdirSync(join(root, 'src/base'), { recursive: true });
      writeFileSync(join(root, 'src/base/alone.ts'), 'export {};\n');
      return broken([]);
    });
    expect(alone).toContain('no-orphans: src/base/alone.ts -> src/base/alone.ts');
  });

  it('lets every layer import what is to its left, and the files in src everything', () => {
    const allowed = withTree(() =>
      broken([
        ['src/contract/a.ts', 'src/base/z.ts'],
        ['src/maker/wire.ts', 'src/contract/a.ts'],
        ['src/store/c.ts', 'src/contract/a.ts'],
        ['src/auth/d.ts', 'src/store/c.ts'],
        ['src/ingest/e.ts', 'src/maker/wire.ts'],
        ['src/ingest/e.ts', 'src/store/c.ts'],
        ['src/actions/f.ts', 'src/ingest/e.ts'],
        ['src/schema/g.ts', 'src/actions/f.ts'],
        ['src/transports/rest/h.ts', 'src/schema/g.ts'],
        ['src/simulator/i.ts', 'src/maker/wire.ts'],
        ['src/server.ts', 'src/simulator/i.ts'],
        ['src/server.ts', 'src/transports/rest/h.ts'],
        ['src/server.ts', 'src/store/c.ts'],
        ['src/main.ts', 'src/server.ts'],
      ]),
    );
    expect(allowed).toEqual([]);
  });
});
