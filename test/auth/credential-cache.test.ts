import { describe, expect, it } from 'vitest';
import { createCredentialCache } from '../../src/auth/credential-cache.ts';
import type { StoredCredential } from '../../src/auth/stored-credential.ts';
import { testClock } from './household.ts';

const parsed = { kind: 'TOKEN', hash: 'h' } as const;

function credential(revoked: boolean): StoredCredential {
  const principal = {
    accountId: 'a',
    vehicleIds: null,
    credential: { kind: 'TOKEN', id: 't', name: 'n' },
    scopes: new Set(['vehicles'] as const),
    locationPrecision: 'EXACT',
    commandGroups: null,
    expiresAt: Number.MAX_SAFE_INTEGER,
  } as const;
  return { principal, revoked };
}

describe('look-ups of credentials', () => {
  it('are made anew after half a second, whichever way the clock went', async () => {
    const clock = testClock();
    let loads = 0;
    const cache = createCredentialCache(async () => {
      loads += 1;
      return credential(false);
    }, clock);
    for (const [passedMs, expected] of [
      [0, 1],
      [499, 1],
      [1, 2],
      [-86_400_000, 3],
    ] as const) {
      clock.at += passedMs;
      await cache.find(parsed);
      expect(loads).toBe(expected);
    }
  });

  it('find a new credential at once after they did not', async () => {
    const stored: StoredCredential[] = [];
    const cache = createCredentialCache(async () => stored[0] ?? null, testClock());
    expect(await cache.find(parsed)).toBeNull();
    stored.push(credential(false));
    expect(await cache.find(parsed)).toEqual(credential(false));
  });

  it('do not keep what was read before a revocation that came meanwhile', async () => {
    const answers: ((stored: StoredCredential) => void)[] = [];
    const cache = createCredentialCache(
      () => new Promise<StoredCredential>((resolve) => answers.push(resolve)),
      testClock(),
    );
    const early = cache.find(parsed);
    cache.forget(parsed.hash);
    answers[0]?.(credential(false));
    await early;
    const late = cache.find(parsed);
    answers[1]?.(credential(true));
    expect(await late).toEqual(credential(true));
  });
});
