import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog, silentLog } from '../../src/base/log.ts';
import { callService } from '../../src/transports/control/control-client.ts';
import { startControlServer } from '../../src/transports/control/control-server.ts';
import { controlSocketPath } from '../../src/transports/control/protocol.ts';
import type { Status, VerbContext } from '../../src/transports/control/verbs.ts';
import { status } from './running-service.ts';

const line = (verb: string, args: unknown) => `${JSON.stringify({ version: 1, verb, args })}\n`;

describe('the control socket', () => {
  let dataDir: string;

  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'odo-'));
  });

  afterAll(() => {
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A context whose only verb that works is `status`, run by `run`. */
  function context(run: () => Status): VerbContext {
    const missing = () => {
      throw new Error('No database here.');
    };
    const access = {
      get prisma(): never {
        return missing();
      },
      clock: Date.now,
      actor: 'operator',
      holder: null,
      requestId: null,
      forget: missing,
    };
    const connectors = new Map();
    return { access, connectors, status: run, vault: missing, doctor: missing };
  }

  const start = (options: { idleMs?: number; log?: typeof silentLog } = {}) =>
    startControlServer({ dataDir, context: context(() => status), log: silentLog, ...options });

  function closed(socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      socket.on('error', () => {});
      socket.once('close', () => resolve());
    });
  }

  it('answers nobody when no service runs, or when a dead one left its socket', async () => {
    expect(await callService(dataDir, 'status', {})).toBeNull();
    expect(await callService(join(dataDir, 'missing'), 'status', {})).toBeNull();
    await leaveStaleSocket();
    expect(existsSync(controlSocketPath(dataDir))).toBe(true);
    expect(await callService(dataDir, 'status', {})).toBeNull();
  });

  /** Leaves a socket file behind that nobody listens on, as a killed process does. */
  async function leaveStaleSocket(): Promise<void> {
    const path = controlSocketPath(dataDir);
    rmSync(path, { force: true });
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await new Promise((resolve) => spawn(process.execPath, ['-e', script]).once('exit', resolve));
  }

  it('takes the place of one that a dead service left, and is gone after its end', async () => {
    await leaveStaleSocket();
    const server = await start();
    expect(await callService(dataDir, 'status', {})).toEqual({ result: status });
    await server.close();
    expect(existsSync(server.path)).toBe(false);
  });

  it('does not take the place of a live one', async () => {
    const server = await start();
    await expect(start()).rejects.toThrow('Another service answers');
    expect(await callService(dataDir, 'status', {})).toEqual({ result: status });
    await server.close();
  });

  it('does not remove a file that is no socket', async () => {
    const path = controlSocketPath(dataDir);
    writeFileSync(path, 'mine');
    await expect(start()).rejects.toThrow('no socket');
    expect(existsSync(path)).toBe(true);
    rmSync(path);
  });

  it('closes its folder to others before it listens', async () => {
    chmodSync(dataDir, 0o777);
    const server = await start();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    await server.close();
  });

  it('says so when the path is too long for a socket', async () => {
    const deep = join(dataDir, 'x'.repeat(120));
    await expect(
      startControlServer({ dataDir: deep, context: context(() => status), log: silentLog }),
    ).rejects.toThrow('too long for a socket');
    expect(existsSync(deep)).toBe(false);
  });

  it('ends a connection that stays silent', async () => {
    const server = await start({ idleMs: 50 });
    const socket = createConnection(server.path);
    expect(await Promise.race([closed(socket), sleep(2_000, 'late')])).not.toBe('late');
    await server.close();
  });

  it('ends with silent connections open', async () => {
    const server = await start();
    const socket = createConnection(server.path);
    await new Promise((resolve) => socket.once('connect', resolve));
    const ending = Promise.all([closed(socket), server.close()]);
    expect(await Promise.race([ending, sleep(1_500, 'late')])).not.toBe('late');
    expect(await callService(dataDir, 'status', {})).toBeNull();
  });

  it('survives a client that goes away before its answer', async () => {
    const server = await start();
    for (let index = 0; index < 20; index += 1) {
      const socket = createConnection(server.path, () => {
        socket.write(line('status', {}));
        socket.destroy();
      });
      await closed(socket);
    }
    expect(await callService(dataDir, 'status', {})).toEqual({ result: status });
    await server.close();
  });

  it('masks what the service did not expect and logs it', async () => {
    const lines: string[] = [];
    const log = createLog('error', { write: (text) => lines.push(text) });
    const server = await startControlServer({
      dataDir,
      context: context(() => {
        throw new Error('the secret inside');
      }),
      log,
    });
    const failed = callService(dataDir, 'status', {});
    await expect(failed).rejects.toMatchObject({ code: 'internal_error' });
    expect(await failed.catch(String)).not.toContain('the secret inside');
    expect(lines.join()).toContain('the secret inside');
    await server.close();
  });

  it.each([
    ['goes away', (socket: Socket) => socket.destroy()],
    ['answers no JSON', (socket: Socket) => socket.end('hello\n')],
    [
      'speaks another version',
      (socket: Socket) => socket.end('{"version":9,"ok":true,"result":{}}\n'),
    ],
    [
      'answers another result',
      (socket: Socket) => socket.end('{"version":1,"ok":true,"result":{}}\n'),
    ],
    ['answers without end', (socket: Socket) => socket.end('x'.repeat(2 * 1024 * 1024))],
  ])('is service_unavailable to a caller when the other end %s', async (_, behave) => {
    const path = controlSocketPath(dataDir);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => behave(socket));
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await expect(callService(dataDir, 'status', {})).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await new Promise((resolve) => server.close(resolve));
  });
});
