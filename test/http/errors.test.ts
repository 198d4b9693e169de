import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { startHttpApp } from '../support/http-app.ts';

function echo(app: FastifyInstance): void {
  app.post('/api/echo', async (request) => request.body);
  app.get('/api/vehicle/:public_id', async () => ({}));
  app.patch('/api/vehicle/:public_id', async () => ({}));
}

const json = { method: 'POST', headers: { 'content-type': 'application/json' } };

describe('errors outside GraphQL', () => {
  it('answers an unknown path with 404 and every member of the envelope', async () => {
    await using app = await startHttpApp();
    const answer = await fetch(`${app.baseUrl}/nowhere`, {
      headers: { 'x-request-id': 'abcdefgh' },
    });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual({
      code: 404,
      response: null,
      error: 'not_found',
      error_description: 'Nothing is found at this path.',
      messages: null,
      request_id: 'abcdefgh',
      retry_after_s: null,
      resolution: 'fix_request',
      docs: null,
    });
  });

  it('answers a method that a path does not take with 405 and the ones it takes in Allow', async () => {
    await using app = await startHttpApp({ routes: echo });
    const answer = await fetch(`${app.baseUrl}/api/vehicle/abc?x=1`, { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PATCH');
    expect(await answer.json()).toMatchObject({ error: 'method_not_allowed' });
  });

  it('answers malformed JSON with 400 invalid_request', async () => {
    await using app = await startHttpApp({ routes: echo });
    const answer = await fetch(`${app.baseUrl}/api/echo`, { ...json, body: '{"a":' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('answers a body that tries to set a prototype with 400 invalid_request', async () => {
    await using app = await startHttpApp({ routes: echo });
    const answer = await fetch(`${app.baseUrl}/api/echo`, { ...json, body: '{"__proto__":{}}' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('answers an empty body that says it is JSON with 400 invalid_request', async () => {
    await using app = await startHttpApp({ routes: echo });
    const answer = await fetch(`${app.baseUrl}/api/echo`, { ...json, body: '' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('answers a body that is no JSON type with 415 unsupported_media_type', async () => {
    await using app = await startHttpApp({ routes: echo });
    const answer = await fetch(`${app.baseUrl}/api/echo`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: '<a/>',
    });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ error: 'unsupported_media_type' });
  });

  it('takes a body of 1 MiB', async () => {
    await using app = await startHttpApp({ routes: echo });
    const body = JSON.stringify('x'.repeat(1_048_576 - 2));
    const answer = await fetch(`${app.baseUrl}/api/echo`, { ...json, body });
    expect(answer.status).toBe(200);
  });

  it('answers a body over 1 MiB with 413 payload_too_large', async () => {
    await using app = await startHttpApp({ routes: echo });
    const body = JSON.stringify('x'.repeat(1_048_576 - 1));
    const answer = await fetch(`${app.baseUrl}/api/echo`, { ...json, body });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: 'payload_too_large' });
  });

  it('answers a query string over 8 KiB with 400 invalid_request', async () => {
    await using app = await startHttpApp({ routes: echo });
    const at = `${app.baseUrl}/api/vehicle/abc`;
    expect((await fetch(`${at}?${'x'.repeat(8_192)}`)).status).toBe(200);
    const answer = await fetch(`${at}?${'x'.repeat(8_193)}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('answers a path that is no URL with 400 and the protective headers', async () => {
    await using app = await startHttpApp();
    const answer = await fetch(`${app.baseUrl}/%zz`);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it.each([
    ['bytes that are no HTTP', 'hello\r\n\r\n'],
    ['headers over 16 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
  ])('answers %s with 400 in the envelope and closes', async (_what, bytes) => {
    await using app = await startHttpApp();
    const socket = connect(app.port, '127.0.0.1');
    socket.write(bytes);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      code: 400,
      error: 'invalid_request',
    });
  });

  it('masks an unexpected error as 500 and writes it to the log with the request id', async () => {
    await using app = await startHttpApp({
      routes: (fastify) => {
        fastify.get('/boom', async () => {
          throw new Error('the disk of Jane is full');
        });
      },
    });
    const answer = await fetch(`${app.baseUrl}/boom`, {
      headers: { 'x-request-id': 'request-17' },
    });
    expect(answer.status).toBe(500);
    const body = await answer.text();
    expect(JSON.parse(body)).toMatchObject({ error: 'internal_error', request_id: 'request-17' });
    expect(body).not.toContain('Jane');
    expect(app.logLines).toHaveLength(1);
    expect(JSON.parse(app.logLines[0] ?? '')).toMatchObject({
      requestId: 'request-17',
      route: '/boom',
      err: { message: 'the disk of Jane is full' },
    });
  });

  it('answers what the service can explain by its own code, with a log line', async () => {
    const outage = new Error('connection refused');
    await using app = await startHttpApp({
      explain: (thrown) =>
        thrown === outage
          ? new ServiceError('service_unavailable', 'The database is out of reach.', {
              cause: thrown,
              retryAfterS: 5,
            })
          : null,
      routes: (fastify) => {
        fastify.get('/boom', async () => {
          throw outage;
        });
      },
    });
    const answer = await fetch(`${app.baseUrl}/boom`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toMatchObject({ error: 'service_unavailable', retry_after_s: 5 });
    expect(app.logLines[0]).toContain('connection refused');
  });

  it('names the missing scope in the body and in WWW-Authenticate', async () => {
    await using app = await startHttpApp({
      routes: (fastify) => {
        fastify.get('/api/x', async () => {
          throw new ServiceError('insufficient_scope', 'This needs the scope vehicles.', {
            requiredScope: 'vehicles',
          });
        });
      },
    });
    const answer = await fetch(`${app.baseUrl}/api/x`);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('scope="vehicles"');
    expect(await answer.json()).toMatchObject({ required_scope: 'vehicles' });
  });

  it('gives messages by field for what did not pass validation', async () => {
    await using app = await startHttpApp({
      routes: (fastify) => {
        fastify.get('/api/x', async () => {
          throw new ServiceError('validation_failed', 'A parameter is wrong.', {
            fields: { limit: ['Must be from 1 to 200.'] },
          });
        });
      },
    });
    const answer = await fetch(`${app.baseUrl}/api/x`);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ messages: { limit: ['Must be from 1 to 200.'] } });
  });
});
