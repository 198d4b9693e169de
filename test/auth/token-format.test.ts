import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf, mintSecret, parseSecret } from '../../src/auth/token-format.ts';

const kinds = ['TOKEN', 'API_KEY', 'INGEST'] as const;
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Secrets of every kind, whose random part shrinks. */
const secrets = fc
  .record({
    kind: fc.constantFrom(...kinds),
    indexes: fc.array(fc.nat(61), { minLength: 32, maxLength: 32 }),
  })
  .map(({ kind, indexes }) => {
    const rest = [...indexes];
    return { kind, ...mintSecret(kind, () => rest.shift() ?? 0) };
  });

describe('the form of a secret', () => {
  it('names its kind, then 32 base62 characters, then a checksum of 6', () => {
    expect(mintSecret('TOKEN').secret).toMatch(/^odo_pat_[0-9A-Za-z]{38}$/);
    expect(mintSecret('API_KEY').secret).toMatch(/^odo_key_[0-9A-Za-z]{38}$/);
    expect(mintSecret('INGEST').secret).toMatch(/^odo_ing_[0-9A-Za-z]{38}$/);
  });

  it('stays the same for the same random characters, so that scanners keep finding it', () => {
    expect(mintSecret('TOKEN', () => 0).secret).toBe(
      'odo_pat_000000000000000000000000000000001QEK24',
    );
  });

  it('uses every base62 character about equally often', () => {
    const count = new Map<string, number>();
    for (let index = 0; index < 2_000; index += 1) {
      for (const letter of mintSecret('TOKEN').secret.slice(8, 40)) {
        count.set(letter, (count.get(letter) ?? 0) + 1);
      }
    }
    const mean = 64_000 / 62;
    expect([...count.keys()].sort()).toEqual([...letters].sort());
    // Six standard deviations of a fair draw.
    for (const seen of count.values()) expect(Math.abs(seen - mean)).toBeLessThan(6 * mean ** 0.5);
  });

  it('is kept as its SHA-256 and last four characters only', () => {
    const minted = mintSecret('TOKEN');
    expect(minted.hash).toBe(hashOf(minted.secret));
    expect(minted.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(minted.secret.endsWith(minted.lastFour)).toBe(true);
  });

  it('is read back with its kind and hash', () => {
    fc.assert(
      fc.property(secrets, ({ kind, secret, hash }) => {
        expect(parseSecret(secret)).toEqual({ kind, hash });
      }),
    );
  });
});

describe('a secret that is not ours', () => {
  it('is refused without a throw, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), (text) => {
        expect(parseSecret(text)).toBeNull();
        expect(parseSecret(`odo_pat_${text}`)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('is refused by its checksum after any change of one character', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.nat(45),
        fc.oneof(fc.constantFrom(...letters), fc.string({ minLength: 1, maxLength: 1 })),
        ({ secret }, at, letter) => {
          fc.pre(letter !== secret[at]);
          expect(parseSecret(secret.slice(0, at) + letter + secret.slice(at + 1))).toBeNull();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is refused after every single change of one token', () => {
    const { secret } = mintSecret('TOKEN');
    let refused = 0;
    for (let at = 0; at < secret.length; at += 1) {
      for (const letter of letters) {
        if (letter === secret[at]) continue;
        if (parseSecret(secret.slice(0, at) + letter + secret.slice(at + 1)) === null) refused += 1;
      }
    }
    expect(refused).toBe(46 * 62 - [...secret].filter((letter) => letter !== '_').length);
  });

  it('is refused when a character is missing or one is added', () => {
    fc.assert(
      fc.property(secrets, fc.nat(46), fc.constantFrom(...letters), ({ secret }, at, letter) => {
        expect(
          parseSecret(secret.slice(0, at) + secret.slice(at + 1) + (at === 46 ? '0' : '')),
        ).toBeNull();
        expect(parseSecret(secret.slice(0, at) + letter + secret.slice(at))).toBeNull();
      }),
    );
  });

  it('is refused when its prefix is that of the other kind', () => {
    const { secret } = mintSecret('TOKEN');
    expect(parseSecret(secret.replace('odo_pat_', 'odo_key_'))).toBeNull();
  });
});
