import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { secretKeyOf } from '../../src/base/secret-key.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'odo-key-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

describe('the secret key', () => {
  it('is made once in the garage and kept for its owner only', () => {
    const first = secretKeyOf({ configured: null, dataDir, garage: true });
    expect(first).toHaveLength(32);
    expect(secretKeyOf({ configured: null, dataDir, garage: true })).toEqual(first);
    expect(readdirSync(dataDir)).toEqual(['secret-key']);
    expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600);
  });

  it('is another one in every data folder', () => {
    const one = secretKeyOf({ configured: null, dataDir: join(dataDir, 'a'), garage: true });
    const other = secretKeyOf({ configured: null, dataDir: join(dataDir, 'b'), garage: true });
    expect(one).not.toEqual(other);
  });

  it('is the configured one when there is one, and nothing is written', () => {
    const configured = Buffer.alloc(32, 1);
    expect(secretKeyOf({ configured, dataDir, garage: true })).toBe(configured);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is required where real vehicles are', () => {
    expect(() => secretKeyOf({ configured: null, dataDir, garage: false })).toThrow(
      'ODOGRAPH_SECRET_KEY is required when the garage is off',
    );
  });

  it('is not replaced when its file is damaged', () => {
    writeFileSync(join(dataDir, 'secret-key'), 'half a k');
    expect(() => secretKeyOf({ configured: null, dataDir, garage: true })).toThrow('is damaged');
    expect(readFileSync(join(dataDir, 'secret-key'), 'utf8')).toBe('half a k');
  });
});
