import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wwwAuthenticate } from '../../src/auth/challenge.ts';
import { type ErrorCode, errorTable, ServiceError } from '../../src/base/errors.ts';

/** auth-param list with quoted strings as RFC 6750 3 limits them. */
const wellFormed = /^Bearer( [a-z_]+="[\x20-\x21\x23-\x5b\x5d-\x7e]*"(,(?= [a-z])|$))+$/;

function isErrorCode(word: string): word is ErrorCode {
  return Object.hasOwn(errorTable, word);
}

describe('WWW-Authenticate', () => {
  it('names no error when no credential was presented (RFC 6750 3.1)', () => {
    expect(wwwAuthenticate(new ServiceError('missing_token', 'Send a token.'))).toBe(
      'Bearer realm="odograph"',
    );
  });

  it.each(['invalid_token', 'expired_token', 'bearer_required'] as const)(
    'names invalid_token and why for %s',
    (code) => {
      expect(wwwAuthenticate(new ServiceError(code, 'The token ended.'))).toBe(
        'Bearer realm="odograph", error="invalid_token", error_description="The token ended."',
      );
    },
  );

  it('names the scope that is missing', () => {
    const error = new ServiceError('insufficient_scope', 'controls is needed.', {
      requiredScope: 'controls',
    });
    expect(wwwAuthenticate(error)).toBe(
      'Bearer realm="odograph", error="insufficient_scope", error_description="controls is needed.", scope="controls"',
    );
  });

  it('is there for every 401 of the error table and for a missing scope, and for nothing else', () => {
    for (const code of Object.keys(errorTable).filter(isErrorCode)) {
      const expected = errorTable[code].status === 401 || code === 'insufficient_scope';
      expect([code, wwwAuthenticate(new ServiceError(code, 'x')) !== null]).toEqual([
        code,
        expected,
      ]);
    }
  });

  it('stays one well-formed header line whatever the message and the scope hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (message, requiredScope) => {
        const error = new ServiceError('insufficient_scope', message, { requiredScope });
        expect(wwwAuthenticate(error)).toMatch(wellFormed);
      }),
      { numRuns: 500 },
    );
  });
});
