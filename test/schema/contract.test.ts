import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLField,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { schema, schemaText } from '../../src/schema/index.ts';
import { requiredBy } from '../../src/schema/requires-scopes.ts';
import { publicFields, publicTypes } from './public.ts';

const own = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
);
const objects = own.filter((type) => isObjectType(type));

function codegen(...args: string[]): Promise<{ code: unknown; stderr: string }> {
  const command = ['--import', 'tsx', 'codegen.ts', ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: packageRoot }, (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

describe('the committed contract', () => {
  it('is what the code prints', () => {
    const committed = readFileSync(join(packageRoot, 'schema', 'schema.graphql'), 'utf8');
    expect(committed === schemaText(), 'run npm run codegen').toBe(true);
  });

  it('is refused by the check when it is stale', async () => {
    const root = mkdtempSync(join(tmpdir(), 'odo-stale-'));
    try {
      mkdirSync(join(root, 'schema'));
      for (const path of ['README.md', 'schema/openapi.json']) {
        copyFileSync(join(packageRoot, path), join(root, path));
      }
      writeFileSync(join(root, 'schema', 'schema.graphql'), 'type Query { old: Int }\n');
      const { code, stderr } = await codegen('--check', '--root', root);
      expect(code).toBe(1);
      expect(stderr).toContain('schema/schema.graphql');
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('is a schema that other tools read', () => {
    expect(Object.keys(buildSchema(schemaText()).getTypeMap()).sort()).toEqual(
      Object.keys(schema.getTypeMap()).sort(),
    );
  });

  it('shows the scopes of a type and of a field, and whether mcp:use stands for them', () => {
    const text = schemaText();
    expect(text).toContain(
      'type Drive implements Node @requiresScopes(anyOf: [["vehicles"]], mcp: true) {',
    );
    expect(text).toContain('account: Account! @requiresScopes(anyOf: [["account"]])');
    expect(text).toContain('@requiresScopes(anyOf: [["vehicles"], ["controls"]], mcp: true)');
  });

  it('cites no page that is not published', () => {
    expect(schemaText()).not.toMatch(/§|maker\.md/);
  });
});

describe('scopes', () => {
  it('are on every type but those on the public list', () => {
    const open = objects.filter((type) => requiredBy(type) === null).map((type) => type.name);
    expect(open.sort()).toEqual([...publicTypes, 'Mutation', 'Query', 'Subscription'].sort());
  });

  it('are on every root field but those on the public list', () => {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const open = roots.flatMap((root) =>
      Object.values(root?.getFields() ?? {})
        .filter((field) => requiredBy(field) === null)
        .map((field) => `${root?.name}.${field.name}`),
    );
    expect(open.sort()).toEqual([...publicFields].sort());
  });
});

describe('descriptions', () => {
  const named: [string, string | null | undefined][] = [];
  const addField = (owner: string, field: GraphQLField<unknown, unknown>) => {
    named.push([`${owner}.${field.name}`, field.description]);
    for (const arg of field.args)
      named.push([`${owner}.${field.name}(${arg.name})`, arg.description]);
  };
  for (const type of own) {
    named.push([type.name, type.description]);
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) addField(type.name, field);
    }
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        named.push([`${type.name}.${field.name}`, field.description]);
      }
    }
    if (isEnumType(type)) {
      for (const value of type.getValues()) {
        named.push([`${type.name}.${value.name}`, value.description]);
      }
    }
  }

  it('say something of every type, field, argument and enum value', () => {
    const silent = named.filter(([, description]) => !description).map(([name]) => name);
    expect(silent).toEqual([]);
  });

  it('name the unit of every number that has one in its name', () => {
    const units: Record<string, string> = {
      Km: 'km',
      Kmh: 'km/h',
      C: '°C',
      Bar: 'bar',
      Kwh: 'kWh',
      Kw: 'kW',
      A: 'A',
      V: 'V',
      Pct: '%',
      S: 's',
      M: 'm',
      Deg: '°',
      WhPerKm: 'Wh/km',
    };
    const wrong = named.filter(([name, description]) => {
      const field = /\.([a-z]\w*)$/.exec(name)?.[1] ?? '';
      const suffix = /(WhPerKm|Kwh|Kw|Kmh|Km|Bar|Pct|Deg|C|A|V|S|M)$/.exec(field)?.[1];
      if (suffix === undefined || !/[a-z0-9]/.test(field.slice(0, -suffix.length).slice(-1)))
        return false;
      return !description?.includes(`[${units[suffix]}]`);
    });
    expect(wrong).toEqual([]);
  });
});
