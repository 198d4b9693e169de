import fc from 'fast-check';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { fateOf } from '../../src/actions/webhook-fate.ts';
import { newSigningSecret, signedHeaders } from '../../src/actions/webhook-signature.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import { retryDelaysMs } from '../../src/contract/webhooks.ts';

const failed = { status: 500, error: 'status', retryAfterMs: null } as const;
const usual = { failures: 0, test: false, random: 0 };

describe('what becomes of a delivery', () => {
  it('is called ten times in 75 h 35 min and 5 s, and then given up', () => {
    const waits: number[] = [];
    for (let failures = 0; ; failures += 1) {
      const fate = fateOf(failed, { ...usual, failures });
      if (fate.state !== 'PENDING') {
        expect(fate).toEqual({ state: 'FAILED', stops: 'exhausted' });
        break;
      }
      waits.push(fate.inMs);
    }
    expect(waits.map((ms) => ms / SECOND_MS).slice(0, 4)).toEqual([5, 300, 1_800, 7_200]);
    expect(waits).toHaveLength(9);
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(75 * HOUR_MS + 35 * MINUTE_MS + 5 * SECOND_MS);
  });

  it('waits up to a fifth longer, so that what failed together does not come again together', () => {
    const luck = fc.double({ min: 0, max: 1, noNaN: true });
    const failures = fc.nat(retryDelaysMs.length - 1);
    fc.assert(
      fc.property(failures, luck, (before, random) => {
        const fate = fateOf(failed, { ...usual, failures: before, random });
        const delayMs = retryDelaysMs[before] ?? 0;
        return (
          fate.state === 'PENDING' && fate.inMs >= delayMs && fate.inMs <= Math.round(delayMs * 1.2)
        );
      }),
    );
  });

  it('waits longer where it is asked to, up to a day, and never less', () => {
    const waitOf = (retryAfterMs: number) => fateOf({ ...failed, retryAfterMs }, usual);
    expect(waitOf(HOUR_MS)).toEqual({ state: 'PENDING', inMs: HOUR_MS });
    expect(waitOf(9 * DAY_MS)).toEqual({ state: 'PENDING', inMs: DAY_MS });
    for (const ms of [0, 1, -5]) expect(waitOf(ms)).toEqual({ state: 'PENDING', inMs: 5_000 });
  });

  it('is settled by success, by 410, and of a test by any failure', () => {
    const success = { status: 204, error: null, retryAfterMs: HOUR_MS };
    expect(fateOf(success, usual)).toEqual({ state: 'DELIVERED' });
    expect(fateOf({ ...failed, status: 410 }, usual)).toEqual({ state: 'FAILED', stops: 'gone' });
    expect(fateOf(failed, { ...usual, test: true })).toEqual({ state: 'FAILED', stops: null });
  });
});

it('what is signed is verified by Standard Webhooks whatever it says, and refused with one character changed', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (body, place) => {
      const secrets = [newSigningSecret(), newSigningSecret()];
      const headers = signedHeaders({ id: 'evt_1', at: Date.now(), body }, secrets);
      for (const secret of secrets) new Verifier(secret).verify(body, headers);
      const at = place % body.length;
      const changed = `${body.slice(0, at)}${body[at] === '0' ? '1' : '0'}${body.slice(at + 1)}`;
      expect(() => new Verifier(secrets[0] ?? '').verify(changed, headers)).toThrow('signature');
    }),
    { numRuns: 60 },
  );
});
