import { pbkdf2 } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nameLookup } from '../../src/base/name-lookup.ts';

/** A name server that answers `known.test` with an address, is silent for `slow*.test` and knows nothing else. */
let server: Socket;
let servers: string[];
let folder: string;
let hostsFile: string;
beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const name = nameIn(query);
    if (name.startsWith('slow')) return;
    server.send(name === 'known.test' ? found(query) : missing(query), port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  servers = [`127.0.0.1:${server.address().port}`];
  folder = mkdtempSync(join(tmpdir(), 'odo-'));
  hostsFile = join(folder, 'hosts');
  writeFileSync(
    hostsFile,
    '# ours\n192.0.2.7 Printer.test printer # here\nfd00::7 printer\nrubbish printer\n',
  );
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** The name that a query asks for (RFC 1035 4.1.2). */
function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0; at += (query[at] ?? 0) + 1) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  }
  return labels.join('.').toLowerCase();
}

const endOfQuestion = (query: Buffer) => query.indexOf(0, 12) + 5;

/** An answer with a status and so many addresses (RFC 1035 4.1.1). */
function header(query: Buffer, flags: number, answers: number): Buffer {
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(flags, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers, 6);
  head.fill(0, 8, 12);
  return Buffer.concat([head, query.subarray(12, endOfQuestion(query))]);
}

const missing = (query: Buffer) => header(query, 0x8183, 0);

function found(query: Buffer): Buffer {
  const type = query.readUInt16BE(endOfQuestion(query) - 4);
  if (type !== 1) return header(query, 0x8180, 0);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  return Buffer.concat([header(query, 0x8180, 1), record]);
}

const noSystem = async (): Promise<LookupAddress[]> => {
  throw new Error('ENOTFOUND');
};

it('finds names in the hosts file first, whatever their case and with a dot at their end', async () => {
  const resolve = nameLookup({ hostsFile, servers: ['127.0.0.1:1'], system: noSystem });
  const both = [
    { address: '192.0.2.7', family: 4 },
    { address: 'fd00::7', family: 6 },
  ];
  expect(await resolve('printer')).toEqual(both);
  expect(await resolve('PRINTER.')).toEqual(both);
  expect(await resolve('printer.test')).toEqual(both.slice(0, 1));
});

it('finds names at the name servers, and what they do not know as the system does', async () => {
  const system = async (host: string) =>
    host === 'other.local' ? [{ address: '192.0.2.9', family: 4 }] : noSystem();
  const resolve = nameLookup({ hostsFile, servers, system });
  expect(await resolve('known.test')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  expect(await resolve('other.local')).toEqual([{ address: '192.0.2.9', family: 4 }]);
  await expect(resolve('nowhere.test')).rejects.toThrow('ENOTFOUND');
});

it('gives a silent name server up in five seconds, and holds up nothing by it meanwhile', async () => {
  const asked: string[] = [];
  const system = (host: string) => {
    asked.push(host);
    return noSystem();
  };
  const resolve = nameLookup({ hostsFile, servers, system });
  // Timers of the same process are as late as it on a busy machine.
  const [early, late] = [sleep(2_000, 'early'), sleep(5_500, 'late')];
  const slow = Array.from({ length: 12 }, (_, n) =>
    resolve(`slow${n}.test`).catch(() => 'given up'),
  );
  const others = async () => {
    expect(await resolve('known.test')).toHaveLength(1);
    await promisify(pbkdf2)('x', 'y', 1, 32, 'sha256');
    return 'done';
  };
  expect(await Promise.race([others(), early])).toBe('done');
  for (const one of slow) expect(await Promise.race([one, late])).toBe('given up');
  expect(asked).toEqual([]);
});

it('asks the system for two names at a time', async () => {
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const system = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running -= 1;
    return [{ address: '192.0.2.3', family: 4 }];
  };
  const resolve = nameLookup({ hostsFile, servers, system });
  let done = 0;
  const all = Array.from({ length: 5 }, async (_, n) => {
    await resolve(`host${n}.local`);
    done += 1;
  });
  while (done < 5) {
    waiting.shift()?.();
    await new Promise((next) => setTimeout(next, 2));
  }
  await Promise.all(all);
  expect(most).toBe(2);
});
