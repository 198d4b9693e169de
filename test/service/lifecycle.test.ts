import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
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
import { freePort } from '../support/port.ts';

const parts = { log: silentLog, clock: systemClock };

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
    const body = JSON.stringify({ query: '{ account { name } }' });
    const head = [
      'POST /graphql HTTP/1.1',
      `Host: ${new URL(booted.baseUrl).host}`,
      `Authorization: Bearer ${booted.service.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const socket = connect({ port: booted.service.port, host: '127.0.0.1' });
    socket.setEncoding('utf8');
    let answer = '';
    socket.on('data', (text: string) => {
      answer += text;
    });
    await once(socket, 'connect');
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
    // Answered after the first request was taken up: it came on an earlier connection.
    expect((await booted.get('/healthz')).status).toBe(200);
    const closed = booted.service.close();
    socket.write(body.slice(10));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"account"');
    await closed;
  });
});
