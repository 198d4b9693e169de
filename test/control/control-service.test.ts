import { lstatSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callService } from '../../src/transports/control/control-client.ts';
import { bearing } from '../auth/household.ts';
import { describeEachEngine } from '../support/database.ts';
import { type RunningService, startService, status } from './running-service.ts';

/** Everything that comes back on a raw connection after writing `request`, until the other end closes. */
async function raw(path: string, request: string | Buffer, end = true): Promise<string> {
  const socket = createConnection({ path, allowHalfOpen: true });
  socket.write(request);
  if (end) socket.end();
  return text(socket);
}

function answers(output: string): unknown[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const line = (verb: string, args: unknown) => `${JSON.stringify({ version: 1, verb, args })}\n`;

describeEachEngine('the control socket of a running service', (engine) => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService(engine);
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  const call: typeof callService = (_, verb, args) => callService(service.db.dataDir, verb, args);

  it('makes, lists and revokes a token, each visible to callers at once', async () => {
    const { authenticator, db } = service;
    const made = await callService(db.dataDir, 'token.create', {
      name: 'cli',
      scopes: ['vehicles'],
    });
    const token = made?.result.token ?? '';
    const id = made?.result.id ?? '';
    await authenticator.authenticate(bearing(token), { allowsApiKey: false });
    const listed = await callService(db.dataDir, 'token.list', {});
    expect(listed?.result.tokens.map((row) => row.id)).toContain(id);
    await callService(db.dataDir, 'token.revoke', { id });
    await expect(
      authenticator.authenticate(bearing(token), { allowsApiKey: false }),
    ).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('makes and revokes an API key', async () => {
    const { authenticator } = service;
    const made = await call('', 'apiKey.create', { controls: true });
    const presented = { authorization: [], apiKey: [made?.result.apiKey ?? ''], ip: null };
    const principal = await authenticator.authenticate(presented, { allowsApiKey: true });
    expect(principal.scopes.has('controls')).toBe(true);
    await call('', 'apiKey.revoke', { id: made?.result.id ?? '' });
    await expect(
      authenticator.authenticate(presented, { allowsApiKey: true }),
    ).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('tells the status and verifies the audit', async () => {
    expect(await call('', 'status', {})).toEqual({ result: status });
    await call('', 'token.create', { name: 'audited', scopes: ['vehicles'] });
    const verdict = await call('', 'audit.verify', {});
    expect(verdict?.result.fault).toBeNull();
    expect(verdict?.result.entries).toBeGreaterThan(0);
  });

  it('answers a refusal with its code, message and fields', async () => {
    const refused = call('', 'token.create', { name: '', scopes: ['all'], expiresInDays: 999 });
    await expect(refused).rejects.toMatchObject({
      code: 'validation_failed',
      fields: {
        name: [expect.any(String)],
        scopes: [expect.any(String)],
        expiresInDays: [expect.any(String)],
      },
    });
  });

  it.each([
    ['an argument too many', 'token.revoke', { id: 'tok_x', force: true }],
    ['no argument where one is needed', 'token.create', { scopes: ['vehicles'] }],
    ['an argument of another type', 'token.create', { name: 'x', scopes: 'vehicles' }],
    ['no arguments at all', 'token.revoke', undefined],
  ])('answers validation_failed for %s', async (_, verb, args) => {
    const [answer] = answers(await raw(service.control.path, line(verb, args)));
    expect(answer).toMatchObject({ version: 1, ok: false, error: { code: 'validation_failed' } });
  });

  it.each([
    ['no JSON', 'token.list\n'],
    ['an empty line', '\n'],
    ['JSON that is no request', '[1]\n'],
    ['a request without a version', `${JSON.stringify({ verb: 'status', args: {} })}\n`],
    ['another version', `${JSON.stringify({ version: 2, verb: 'status', args: {} })}\n`],
    ['an unknown verb', line('token.everything', {})],
    ['a name that every object has', line('constructor', {})],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a])],
  ])('answers invalid_request for %s and goes on', async (_, request) => {
    const both = Buffer.concat([Buffer.from(request), Buffer.from(line('status', {}))]);
    expect(answers(await raw(service.control.path, both))).toMatchObject([
      { version: 1, ok: false, error: { code: 'invalid_request' } },
      { version: 1, ok: true, result: { running: true } },
    ]);
  });

  it('answers several requests of one connection in their order, however they are cut', async () => {
    const requests = Buffer.from(line('status', {}) + line('nothing', {}) + line('token.list', {}));
    const socket = createConnection({ path: service.control.path, allowHalfOpen: true });
    const output = text(socket);
    for (const byte of requests) {
      if (!socket.write(Buffer.from([byte]))) await sleep(1);
    }
    socket.end();
    expect(answers(await output)).toMatchObject([
      { ok: true, result: { running: true } },
      { ok: false },
      { ok: true, result: { tokens: expect.any(Array) } },
    ]);
  });

  it('takes a request of 64 KiB and refuses a longer one as payload_too_large, then closes', async () => {
    const longest = line('token.revoke', { id: '' });
    const filler = 'x'.repeat(64 * 1024 + 1 - longest.length);
    const taken = await raw(service.control.path, line('token.revoke', { id: filler }));
    expect(answers(taken)).toMatchObject([{ ok: false, error: { code: 'not_found' } }]);
    const refused = await raw(
      service.control.path,
      line('token.revoke', { id: `${filler}x` }),
      false,
    );
    expect(answers(refused)).toMatchObject([{ ok: false, error: { code: 'payload_too_large' } }]);
  });

  it('ends a line that never ends, without keeping what comes', async () => {
    const refused = await raw(service.control.path, 'x'.repeat(8 * 1024 * 1024), false).catch(
      () => '',
    );
    if (refused !== '') {
      expect(answers(refused)).toMatchObject([{ ok: false, error: { code: 'payload_too_large' } }]);
    }
    expect(await call('', 'status', {})).toEqual({ result: status });
  });

  it('belongs to its owner alone: socket 0600 in a folder 0700', () => {
    expect(lstatSync(service.control.path).mode & 0o777).toBe(0o600);
    expect(lstatSync(service.control.path).isSocket()).toBe(true);
    expect(statSync(service.db.dataDir).mode & 0o777).toBe(0o700);
  });

  it('keeps every token that twenty callers ask for at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        callService(service.db.dataDir, 'token.create', { name: `p${index}`, scopes: ['account'] }),
      ),
    );
    expect(new Set(made.map((one) => one?.result.id)).size).toBe(20);
    const verdict = await call('', 'audit.verify', {});
    expect(verdict?.result.fault).toBeNull();
  });
});
