import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';

function logged(form: 'json' | 'human', fields: object, message: string): string {
  const lines: string[] = [];
  createLog('info', { write: (line) => lines.push(line) }, form).info(fields, message);
  return lines.join('');
}

const secrets: [what: string, secret: string, text: string][] = [
  ['a token of ours', 'odo_pat_0123456789abcdef', 'token odo_pat_0123456789abcdef ends'],
  ['a bearer header', 'c2VjcmV0', 'Authorization: Bearer c2VjcmV0'],
  ['an api_key in an address', 'k3y', 'GET /api/vehicles?api_key=k3y&limit=1'],
  ['a password in an address', 'hunter2', 'postgresql://me:hunter2@localhost/odograph'],
  ['a web token', 'eyJhbGciOi.eyJzdWIi.c2ln', 'sent eyJhbGciOi.eyJzdWIi.c2ln'],
  ['a vehicle identification number', '5YJ3E1EA7KF317000', 'no vehicle 5YJ3E1EA7KF317000'],
  ['the same in lower case', '5yj3e1ea7kf317000', '/vehicles/5yj3e1ea7kf317000/wake'],
  ['a position', '47.37689', 'at 47.37689, 8.54169 now'],
  ['a position in an address', '47.3768', '/near?lat=47.3768&lon=8.5416'],
];

describe('the log', () => {
  it.each(secrets)('hides %s in a message', (_what, secret, text) => {
    expect(logged('json', {}, text)).not.toContain(secret);
    expect(logged('human', {}, text)).not.toContain(secret);
  });

  it.each(secrets)('hides %s in a field at any depth', (_what, secret, text) => {
    const line = logged('json', { a: { b: { c: { d: [text] } } } }, 'x');
    expect(line).not.toContain(secret);
    expect(JSON.parse(line)).toMatchObject({ msg: 'x' });
  });

  it.each(secrets)('hides %s in the message and the stack of an error', (_what, secret, text) => {
    const line = logged('json', { err: new Error(text, { cause: new Error(text) }) }, 'x');
    expect(line).not.toContain(secret);
    expect(JSON.parse(line)).toHaveProperty('err.stack');
  });

  it.each([
    [{ token: 'abc' }],
    [{ headers: { authorization: 'abc' } }],
    [{ account: { password: 'abc' } }],
    [{ vehicle: { vin: 'abc' } }],
  ])('hides what stands under a secret name: %j', (fields) => {
    expect(logged('json', fields, 'x')).not.toContain('abc');
  });

  it('hides coordinates in objects, whatever their precision, and stays JSON', () => {
    const line = logged('json', { drive: { start: { latitude: 47, longitude: -8.5 } } }, 'x');
    expect(JSON.parse(line)).toMatchObject({
      drive: { start: { latitude: null, longitude: null } },
    });
  });

  it('leaves harmless numbers, ids and words alone', () => {
    const text = 'drive drv_01h45ytscbebyvny4gc8cr8ma2 of my-car: 12.345 km in 3.5 min';
    const line = logged(
      'json',
      { requestId: '0b7d2f6e-6c1f-4f0e-9d55-0e1b6b7a4c11', at: 1795253272457 },
      text,
    );
    expect(JSON.parse(line)).toMatchObject({
      msg: text,
      requestId: '0b7d2f6e-6c1f-4f0e-9d55-0e1b6b7a4c11',
      at: 1795253272457,
    });
  });

  it('writes a short line for people on a terminal', () => {
    expect(logged('human', { drives: 3 }, 'History imported.')).toMatch(
      /^\d\d:\d\d:\d\d info {2}History imported\. drives=3\n$/,
    );
  });
});
