import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { loadConfig } from '../../src/base/config.ts';
import { silentLog } from '../../src/base/log.ts';
import { startServer } from '../../src/server.ts';
import { lockDataDir } from '../../src/store/lock.ts';
import { openListener } from '../../src/transports/http/listener.ts';
import { boot } from '../support/boot.ts';
import { scratchPlace } from '../support/database.ts';

const parts = { log: silentLog, clock: systemClock };

async function freePort(): Promise<number> {
  const listener = await openListener({ host: '127.0.0.1', port: 0 });
  await listener.close(0);
  return listener.port;
}

describe('the service', () => {
  it('ends everything that was started when a later step fails', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
    const port = await freePort();
    // Without the garage a secret key is required, which shows only after the port and the lock are taken.
    const config = loadConfig({
      PORT: `${port}`,
      ODOGRAPH_DATA_DIR: dataDir,
      ODOGRAPH_GARAGE: 'off',
    });
    await expect(startServer(config, parts)).rejects.toThrow('ODOGRAPH_SECRET_KEY is required');
    await (await openListener({ host: '127.0.0.1', port })).close(0);
    (await lockDataDir(dataDir)).release();
    rmSync(dataDir, { recursive: true });
  });

  it('does not touch the database of a folder that another process holds', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
    const lock = await lockDataDir(dataDir);
    const config = loadConfig({ PORT: '0', ODOGRAPH_DATA_DIR: dataDir });
    await expect(startServer(config, parts)).rejects.toThrow(`${process.pid}`);
    expect(existsSync(join(dataDir, 'database'))).toBe(false);
    lock.release();
    rmSync(dataDir, { recursive: true });
  });

  it('gives up a start that is not wanted any more', async () => {
    await using place = await scratchPlace('embedded');
    const config = loadConfig({ PORT: '0', ODOGRAPH_DATA_DIR: place.dataDir });
    const stopping = new AbortController();
    const starting = startServer(config, { ...parts, historyDays: 30, signal: stopping.signal });
    stopping.abort();
    await expect(starting).rejects.toThrow('aborted');
    (await lockDataDir(place.dataDir)).release();
  });

  it('can be closed twice, and answers nobody afterwards', async () => {
    await using booted = await boot();
    await Promise.all([booted.service.close(), booted.service.close()]);
    await expect(booted.get('/healthz')).rejects.toThrow();
    (await lockDataDir(booted.dataDir)).release();
  });

  it('lets a request that is running end before it closes', async () => {
    await using booted = await boot({ garageDays: 1 });
    const path = '/api/vehicle/blue-heron/statistics?period=day';
    const answers = Array.from({ length: 20 }, () => booted.get(path, booted.service.token));
    // The first bytes are under way once one is answered.
    await Promise.any(answers);
    await booted.service.close();
    const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
