import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PresentedCredentials,
  presentedIn,
  readCredential,
} from '../../src/auth/credential.ts';
import { mintSecret } from '../../src/auth/token-format.ts';
import { ServiceError } from '../../src/base/errors.ts';

const token = mintSecret('TOKEN');
const key = mintSecret('API_KEY');

function presented(authorization: string[], apiKey: string[] = []): PresentedCredentials {
  return { authorization, apiKey, ip: null };
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return 'none';
}

describe('the credential of a request', () => {
  it('is none when nothing is presented', () => {
    expect(readCredential(presented([]), 'REFUSED')).toBeNull();
  });

  it('is the bearer token, its scheme in any case and with any number of spaces (RFC 6750 2.1)', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      for (const gap of [' ', '   ']) {
        const read = readCredential(presented([scheme + gap + token.secret]), 'REFUSED');
        expect(read).toEqual({ kind: 'TOKEN', hash: token.hash });
      }
    }
  });

  it.each([
    ['', 'an empty value'],
    ['Bearer', 'no token'],
    ['Bearer ', 'only a space after the scheme'],
    [`Basic ${token.secret}`, 'another scheme'],
    ['Digest username="a", realm="b"', 'another scheme with parameters'],
    [token.secret, 'no scheme'],
    [`Bearer\t${token.secret}`, 'a tab for a space'],
    [`Bearer ${token.secret} more`, 'something after the token'],
    [`Bearer "${token.secret}"`, 'quotes'],
    [`Bearer ${token.secret.slice(0, -1)}`, 'a cut token'],
    ['Bearer abc.def.ghi', 'a token of another form'],
    [`Bearer ${key.secret}`, 'an API key for a token'],
  ])('is refused as invalid_token: %j (%s)', (value) => {
    expect(refusal(() => readCredential(presented([value]), 'TAKEN'))).toBe('invalid_token');
  });

  it('is refused as invalid_request when there are several Authorization values', () => {
    const bearer = `Bearer ${token.secret}`;
    for (const values of [[bearer, bearer], [`${bearer}, ${bearer}`], [bearer, 'Basic eDp5']]) {
      expect(refusal(() => readCredential(presented(values), 'TAKEN'))).toBe('invalid_request');
    }
  });

  it('is refused as invalid_request when an api_key comes with a bearer token or twice', () => {
    const bearer = `Bearer ${token.secret}`;
    for (const policy of ['TAKEN', 'REFUSED', 'OFF'] as const) {
      const both = presented([bearer], [key.secret]);
      expect(refusal(() => readCredential(both, policy))).toBe('invalid_request');
      const twice = presented([], [key.secret, key.secret]);
      expect(refusal(() => readCredential(twice, policy))).toBe('invalid_request');
    }
  });

  it('is the api_key where the route and the instance take one', () => {
    const read = readCredential(presented([], [key.secret]), 'TAKEN');
    expect(read).toEqual({ kind: 'API_KEY', hash: key.hash });
  });

  it('is refused as bearer_required for any api_key where none is taken', () => {
    for (const policy of ['REFUSED', 'OFF'] as const) {
      for (const value of [key.secret, 'nonsense', '']) {
        const read = () => readCredential(presented([], [value]), policy);
        expect(refusal(read)).toBe('bearer_required');
      }
    }
  });

  it('is refused as invalid_token for an api_key that is empty, malformed or a token', () => {
    for (const value of ['', 'nonsense', token.secret]) {
      const read = () => readCredential(presented([], [value]), 'TAKEN');
      expect(refusal(read)).toBe('invalid_token');
    }
  });

  it('is read without any other throw, whatever the header and the query hold', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((rest) => `Bearer ${rest}`),
      fc.constantFrom(`Bearer ${token.secret}`, key.secret),
    );
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 3 }),
        fc.array(text, { maxLength: 3 }),
        fc.constantFrom('TAKEN', 'REFUSED', 'OFF'),
        (authorization, apiKey, policy) => {
          const code = refusal(() => readCredential(presented(authorization, apiKey), policy));
          expect(['none', 'invalid_token', 'invalid_request', 'bearer_required']).toContain(code);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never puts what was presented into a message', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9]{12,40}$/), (text) => {
        for (const read of [presented([`Bearer ${text}`]), presented([], [text])]) {
          try {
            readCredential(read, 'TAKEN');
          } catch (error) {
            expect(String(error)).not.toContain(text);
          }
        }
      }),
    );
  });
});

describe('what a request presents', () => {
  it('keeps every Authorization header in any case and every api_key of the query', () => {
    const read = presentedIn({
      rawHeaders: ['Host', 'x', 'AUTHORIZATION', 'a', 'authorization', 'b', 'X', 'authorization'],
      url: '/api/vehicles?api_key=one&limit=2&api_key=t%77o',
      ip: '192.0.2.1',
    });
    expect(read).toEqual({ authorization: ['a', 'b'], apiKey: ['one', 'two'], ip: '192.0.2.1' });
  });

  it('takes no other parameter, header or fragment for a credential', () => {
    const read = presentedIn({
      rawHeaders: ['Cookie', `token=${token.secret}`, 'X-Api-Key', key.secret],
      url: '/api/vehicles?access_token=a&API_KEY=b',
      ip: null,
    });
    expect(read).toEqual({ authorization: [], apiKey: [], ip: null });
  });
});
