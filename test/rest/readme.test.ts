import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpointTable, scopesTable, withTables } from '../../.config/readme.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { scopes } from '../../src/contract/scopes.ts';
import { routes } from '../../src/transports/rest/routes.ts';
import { every } from './requests.ts';

describe('README.md', () => {
  const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8');

  it('holds the tables as the code makes them', () => {
    expect(withTables(readme)).toBe(readme);
  });

  it('lists every route, the stream of events, and every scope once', () => {
    expect(endpointTable(every).split('\n')).toHaveLength(routes.length + 1 + 2);
    expect(scopesTable().split('\n')).toHaveLength(scopes.length + 2);
  });

  it('is refused without its markers', () => {
    expect(() => withTables('# Odograph')).toThrow(/no markers for scopes/);
  });
});
