import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureServerBuilt, runBuilt } from '../support/built.ts';

let cwd = '';
beforeAll(async () => {
  await ensureServerBuilt();
  cwd = mkdtempSync(join(tmpdir(), 'odo-wrong-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

describe('a wrong start', () => {
  it('names every wrong setting at once, ends with 2 and writes nothing', async () => {
    const env = { PORT: 'http', LOG_LEVEL: 'loud', ODOGRAPH_SECRET_KEY: 'hunter2' };
    await using service = runBuilt({ cwd, env });
    expect(await service.ended).toBe(2);
    expect(service.stderr()).toMatch(/^error: 3 settings are wrong:/);
    for (const name of Object.keys(env)) expect(service.stderr()).toContain(`${name} must be`);
    expect(service.stderr()).not.toContain('hunter2');
    expect(service.stdout()).toBe('');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('refuses an unknown flag with 2 and a guess', async () => {
    await using service = runBuilt({ cwd, args: ['--prot', '80'] });
    expect(await service.ended).toBe(2);
    expect(service.stderr()).toContain('Did you mean --port?');
  });

  it('refuses groups of commands that there are not, and writes nothing', async () => {
    const env = { ODOGRAPH_COMMAND_GROUPS: 'climate,doorz', PORT: '0' };
    await using service = runBuilt({ cwd, env });
    expect(await service.ended).toBe(2);
    expect(service.stderr()).toContain('ODOGRAPH_COMMAND_GROUPS must be names of wake, alerts');
    expect(service.stderr()).toContain('doorz');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('needs a secret key when the garage is off', async () => {
    const env = { ODOGRAPH_GARAGE: 'off', PORT: '0', ODOGRAPH_DATA_DIR: join(cwd, 'data') };
    await using service = runBuilt({ cwd, env });
    expect(await service.ended).toBe(2);
    expect(service.stderr()).toContain('ODOGRAPH_SECRET_KEY is required');
  });

  it('says that another program holds the port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? `${address.port}` : '';
    await using service = runBuilt({ cwd, args: ['--port', port] });
    expect(await service.ended).toBe(1);
    expect(service.stderr()).toContain(`Port ${port} on 127.0.0.1 is taken by another program`);
    expect(readdirSync(cwd)).not.toContain('.odograph');
    other.close();
  });

  it('says that a host is no address of this machine', async () => {
    await using service = runBuilt({ cwd, args: ['--host', '192.0.2.1', '--port', '0'] });
    expect(await service.ended).toBe(1);
    expect(service.stderr()).toContain('No address of this machine is 192.0.2.1; --host');
  });

  it('says that a database cannot be reached, and shows no password', async () => {
    const env = {
      DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:9/cars',
      PORT: '0',
      ODOGRAPH_DATA_DIR: join(cwd, 'data'),
    };
    await using service = runBuilt({ cwd, env });
    expect(await service.ended).toBe(1);
    expect(service.stderr()).toMatch(/^error: .*database/im);
    expect(service.stderr()).not.toContain('hunter2');
  });
});
