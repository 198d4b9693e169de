import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/schema/scalars.ts';

describe('a point in time', () => {
  it('is read from RFC 3339 in any offset, to the millisecond', () => {
    const wanted = Date.UTC(2026, 2, 1, 8, 30, 15, 123);
    for (const text of [
      '2026-03-01T08:30:15.123Z',
      '2026-03-01t08:30:15.123z',
      '2026-03-01 08:30:15.123Z',
      '2026-03-01T09:30:15.123+01:00',
      '2026-03-01T03:00:15.123-05:30',
      '2026-03-01T08:30:15.123987Z',
    ]) {
      expect([text, instantOf(text)]).toEqual([text, wanted]);
    }
  });

  it('is read from unix seconds, as a number or as text', () => {
    expect(instantOf(1_772_353_815)).toBe(1_772_353_815_000);
    expect(instantOf('1772353815')).toBe(1_772_353_815_000);
    expect(instantOf(1_772_353_815.5)).toBe(1_772_353_815_500);
  });

  it('comes back as the same text whatever it is', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
        (date) => {
          expect(instantOf(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00',
    '2026-01-01',
    'yesterday',
    '',
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e15,
    true,
    null,
    {},
  ])('is not %j', (value) => {
    expect(() => instantOf(value)).toThrow('This is no point in time.');
  });

  it('is a number or refused with its code, for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/),
        ),
        (text) => {
          try {
            expect(Number.isSafeInteger(instantOf(text))).toBe(true);
          } catch (error) {
            expect(error).toMatchObject({ code: 'validation_failed' });
          }
        },
      ),
    );
  });
});
