import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIngestToken } from '../../src/actions/manage-ingest.ts';
import { newAccount } from '../auth/household.ts';
import { type BootedService, boot } from '../support/boot.ts';
import { newStreamed } from '../support/streamed.ts';
import { gear, link, record } from '../support/telemetry.ts';

const VIN = 'TEST0000000000021';
const OTHER_VIN = 'TEST0000000000022';
const UNKNOWN_VIN = 'TEST0000000000099';
const MEBIBYTE = 1024 * 1024;

describe('POST /ingest/telemetry', () => {
  let booted: BootedService;
  let token = '';
  let accountId = '';
  beforeAll(async () => {
    booted = await boot();
    accountId = await newAccount(booted.prisma);
    await newStreamed(booted.prisma, VIN, accountId);
    await newStreamed(booted.prisma, OTHER_VIN, accountId);
    ({ token } = await createIngestToken(booted.service.access, { accountId, name: 'server' }));
  });
  afterAll(() => booted[Symbol.asyncDispose]());

  const post = (body: RequestInit['body'], headers: Record<string, string> = {}, by = token) =>
    fetch(`${booted.baseUrl}/ingest/telemetry`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        ...(by === '' ? {} : { authorization: `Bearer ${by}` }),
        ...headers,
      },
      body,
    });
  const none = { accepted: 0, duplicate: 0, late: 0, too_late: 0, unknown_vehicle: 0 };

  async function outcome(response: Response): Promise<unknown> {
    expect(response.status).toBe(200);
    const { code, response: body } = await response.json();
    expect(code).toBe(200);
    return body;
  }

  async function refusal(response: Response) {
    const { code, response: body, error, request_id, messages } = await response.json();
    expect([code, body]).toEqual([response.status, null]);
    expect(request_id).toBe(response.headers.get('x-request-id'));
    return { status: response.status, error, messages };
  }

  it('keeps records of every kind and says how many', async () => {
    const more = { vin: VIN, createdAt: '2026-03-02T07:00:00Z' };
    const lines = [
      record(0, { Gear: gear('P') }, VIN),
      link(1, 'CONNECTED', VIN),
      JSON.stringify({
        ...more,
        alerts: [{ name: 'A', audiences: [], startedAt: more.createdAt }],
      }),
      JSON.stringify({ ...more, errors: [{ name: 'E', createdAt: more.createdAt }] }),
      record(0, { Gear: gear('P') }, OTHER_VIN),
    ];
    const answered = await outcome(await post(lines.join('\n')));
    expect(answered).toEqual({ ...none, accepted: 5, rejected: [], rejected_count: 0 });
    expect(await booted.prisma.ingestRecord.count()).toBe(5);
  });

  it('keeps a record once however often it comes', async () => {
    const line = record(100, { Soc: 50 }, VIN);
    const again = record(100, { Soc: 50 }, VIN, { isResend: true });
    const first = await outcome(await post(`${line}\n${line}\n`));
    expect(first).toMatchObject({ accepted: 1, duplicate: 1 });
    expect(await outcome(await post(again))).toMatchObject({ accepted: 0, duplicate: 1 });
  });

  it('says of each line that is no record what is wrong with it, and keeps the others', async () => {
    const lines = [
      '{',
      record(200, { Soc: 51 }, VIN),
      '[]',
      '',
      record(201, { Soc: 51 }, 'SHORT'),
      `{"vin":"${VIN}","data":[]}`,
      JSON.stringify({ vin: VIN, createdAt: '2026-03-02T08:00:00Z', what: 1 }),
      'x'.repeat(1_000_001),
      record(202, { Soc: 51 }, VIN),
    ];
    const response = await post(lines.join('\r\n'));
    const text = await response.clone().text();
    expect(await outcome(response)).toEqual({
      ...none,
      accepted: 2,
      rejected: [
        { line: 1, reason: 'not_json' },
        { line: 3, reason: 'not_an_object' },
        { line: 5, reason: 'no_vin' },
        { line: 6, reason: 'no_time' },
        { line: 7, reason: 'unknown_record' },
        { line: 8, reason: 'too_long' },
      ],
      rejected_count: 6,
    });
    expect(text).not.toContain(VIN);
  });

  it('counts records of vehicles that nobody holds, and keeps none of them', async () => {
    const response = await post(record(0, { Soc: 50 }, UNKNOWN_VIN));
    expect(await outcome(response)).toMatchObject({ accepted: 0, unknown_vehicle: 1 });
  });

  it('takes a body that is packed with gzip', async () => {
    const body = gzipSync(record(300, { Soc: 52 }, VIN));
    const response = await post(body, { 'content-encoding': 'gzip' });
    expect(await outcome(response)).toMatchObject({ accepted: 1 });
  });

  it('takes 8 MiB in one request', async () => {
    const lines: string[] = [];
    let bytes = 0;
    for (let second = 0; ; second += 1) {
      const line = record(1_000 + second, { Soc: 52, VehicleName: 'x'.repeat(8_000) }, OTHER_VIN);
      bytes += line.length + 1;
      if (bytes > 8 * MEBIBYTE) break;
      lines.push(line);
    }
    const body = lines.join('\n').padEnd(8 * MEBIBYTE, '\n');
    expect(await outcome(await post(body))).toMatchObject({ accepted: lines.length });
  });

  it('answers 401 without a token and with a wrong one', async () => {
    const missing = await post('{}', {}, '');
    expect(missing.headers.get('www-authenticate')).toContain('Bearer');
    expect(await refusal(missing)).toMatchObject({ status: 401, error: 'missing_token' });
    const wrong = await post('{}', {}, `${token.slice(0, -1)}!`);
    expect(await refusal(wrong)).toMatchObject({ status: 401, error: 'invalid_token' });
  });

  it('answers 403 for a personal token, whatever its scopes', async () => {
    const scopes = ['account', 'maker-accounts', 'vehicles', 'controls'] as const;
    const personal = await booted.token({ scopes, accountId });
    const refused = await refusal(await post('{}', {}, personal));
    expect(refused).toMatchObject({ status: 403, error: 'insufficient_scope' });
  });

  it.each(['/api/vehicles', '/api/account', '/graphql?query=%7B__typename%7D'])(
    'opens nothing else: its token is answered with 401 at %s',
    async (path) => {
      expect((await booted.get(path, token)).status).toBe(401);
    },
  );

  it('answers 405 for another method', async () => {
    const response = await booted.get('/ingest/telemetry', token);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await refusal(response)).toMatchObject({ status: 405, error: 'method_not_allowed' });
  });

  it.each([
    ['a body of another type', { 'content-type': 'application/json' }],
    ['a body that is packed otherwise', { 'content-encoding': 'br' }],
  ])('answers 415 for %s', async (_, headers) => {
    const refused = await refusal(await post('{}', headers));
    expect(refused).toMatchObject({ status: 415, error: 'unsupported_media_type' });
  });

  it('answers 422 for a body without a record, telling the lines', async () => {
    expect(await refusal(await post('{\n[]'))).toEqual({
      status: 422,
      error: 'validation_failed',
      messages: { 'line 1': ['not_json'], 'line 2': ['not_an_object'] },
    });
    expect(await refusal(await post('\n\n'))).toMatchObject({ status: 422 });
  });

  it('answers 400 for what says gzip and is none', async () => {
    const refused = await refusal(await post('no gzip', { 'content-encoding': 'gzip' }));
    expect(refused).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('answers 413 for more than 8 MiB, announced, in chunks, or packed', async () => {
    const before = await booted.prisma.ingestRecord.count();
    const large = `${record(9_000, { Soc: 1 }, VIN)}\n${' '.repeat(8 * MEBIBYTE)}`;
    const announced = await post(large);
    expect(await refusal(announced)).toMatchObject({ status: 413, error: 'payload_too_large' });
    const packed = await post(gzipSync(large), { 'content-encoding': 'gzip' });
    expect(await refusal(packed)).toMatchObject({ status: 413, error: 'payload_too_large' });
    expect(await chunked(large)).toBe(413);
    expect(await booted.prisma.ingestRecord.count()).toBe(before);
  });

  /** Status of a body that comes in chunks, without a length. */
  function chunked(body: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(`${booted.baseUrl}/ingest/telemetry`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` },
      });
      sent.once('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      for (let from = 0; from < body.length; from += MEBIBYTE)
        sent.write(body.slice(from, from + MEBIBYTE));
      sent.end();
    });
  }

  it('is counted in the metrics', async () => {
    const text = await (await booted.get('/metrics')).text();
    expect(text).toMatch(/^odograph_telemetry_accepted [1-9]/m);
    expect(text).toMatch(/^odograph_telemetry_unknown_vehicle 1$/m);
    expect(text).toMatch(/^odograph_journal_reduced \d/m);
  });

  it('writes no VIN and no token into the log', () => {
    const log = booted.logLines.join('\n');
    for (const secret of [VIN, OTHER_VIN, UNKNOWN_VIN, token]) expect(log).not.toContain(secret);
  });
});
