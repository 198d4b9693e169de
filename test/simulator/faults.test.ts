import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../src/base/units.ts';
import type { Fault, FaultKind } from '../../src/simulator/faults.ts';
import { bodyOf, type Maker, startMaker } from './maker.ts';

const LIST = '/api/1/vehicles';
const dataOf = (maker: Maker, index = 0) =>
  maker.get(`${LIST}/${maker.vins[index]}/vehicle_data?endpoints=charge_state%3Bdrive_state`);

async function awake(): Promise<Maker> {
  const maker = await startMaker({ wakeTime: 0 });
  for (const vin of maker.vins) await maker.post(`${LIST}/${vin}/wake_up`);
  maker.turn(2 * SECOND_MS);
  expect((await dataOf(maker)).status).toBe(200);
  return maker;
}

const replies: [FaultKind, number, string][] = [
  ['asleep', 408, 'vehicle unavailable: vehicle is offline or asleep'],
  ['offline', 408, 'vehicle unavailable: vehicle is offline or asleep'],
  ['timeout', 408, 'timeout'],
  ['rate_limited', 429, 'Retry in 30 seconds'],
  ['exceeded_limit', 403, 'account disabled: EXCEEDED_LIMIT'],
  ['payment_required', 402, 'payment required'],
  ['token_expired', 401, 'token expired (401)'],
  ['in_service', 405, 'vehicle is currently in service'],
  ['sold', 404, 'not_found'],
  ['upstream_error', 500, 'upstream internal error'],
];

describe('faults on demand', () => {
  it.each(replies)(
    'answers data under %s with %i %s until cleared',
    async (kind, status, error) => {
      await using maker = await awake();
      maker.simulator.fault({ kind });
      for (let call = 0; call < 2; call += 1) {
        const answer = await dataOf(maker);
        expect(answer.status).toBe(status);
        expect(await answer.json()).toMatchObject({ error });
      }
      maker.simulator.clearFaults(kind);
      expect((await dataOf(maker)).status).toBe(200);
    },
  );

  it('hits one car for a number of calls', async () => {
    await using maker = await awake();
    const fault: Fault = { kind: 'upstream_error', times: 2 };
    maker.simulator.fault({ ...fault, vin: maker.vins[0] ?? '' });
    const statuses = [];
    for (const index of [0, 1, 0, 0]) statuses.push((await dataOf(maker, index)).status);
    expect(statuses).toEqual([500, 200, 500, 200]);
  });

  it('says how long to wait under a rate limit', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'rate_limited', retryAfterS: 37_829 });
    const answer = await maker.get(LIST);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('37829');
  });

  it('names the other region under 421', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'out_of_region', regionUrl: 'https://eu.example.invalid' });
    const answer = await dataOf(maker);
    expect(answer.status).toBe(421);
    expect(answer.headers.get('alt-svc')).toBe('h2="eu.example.invalid"');
    expect(await answer.json()).toMatchObject({
      error: expect.stringContaining('use base URL: https://eu.example.invalid,'),
    });
  });

  it('shows an offline car and a car in service in the list, and a sold one no more', async () => {
    await using maker = await awake();
    const [first = '', second = ''] = maker.vins;
    maker.simulator.fault({ kind: 'offline', vin: first });
    maker.simulator.fault({ kind: 'in_service', vin: first });
    maker.simulator.fault({ kind: 'sold', vin: second });
    expect(await bodyOf(maker.get(LIST))).toMatchObject({
      response: [{ vin: first, state: 'offline', in_service: true }],
      count: 1,
    });
  });

  it('answers 503 without a body', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'unavailable' });
    const answer = await dataOf(maker);
    expect([answer.status, await answer.text()]).toEqual([503, '']);
  });

  it('cuts an answer short', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'malformed', times: 1 });
    await expect(bodyOf(dataOf(maker))).rejects.toThrow(SyntaxError);
  });

  it('closes the connection', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'closed', times: 1 });
    await expect(dataOf(maker)).rejects.toThrow();
    expect((await dataOf(maker)).status).toBe(200);
  });

  it('answers late', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'slow', delayMs: 120, times: 1 });
    const startedAt = performance.now();
    expect((await dataOf(maker)).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(110);
  });

  it('never answers, and still closes', async () => {
    const maker = await awake();
    maker.simulator.fault({ kind: 'hang' });
    const hanging = dataOf(maker).then(
      () => 'answered',
      () => 'broken off',
    );
    expect(
      await Promise.race([hanging, new Promise((done) => setTimeout(done, 80, 'waits'))]),
    ).toBe('waits');
    await maker.simulator.close();
    expect(await hanging).toBe('broken off');
  });

  it('repeats its last answer', async () => {
    await using maker = await awake();
    const before = await bodyOf(dataOf(maker));
    maker.simulator.fault({ kind: 'stale', times: 1 });
    maker.turn(60 * SECOND_MS);
    expect(await bodyOf(dataOf(maker))).toEqual(before);
    expect(await bodyOf(dataOf(maker))).not.toEqual(before);
  });

  it('leaves whole sections empty', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'hollow', times: 1 });
    expect(await bodyOf(dataOf(maker))).toMatchObject({
      response: { vin: maker.vins[0], state: 'online', charge_state: null, drive_state: null },
    });
  });

  it('refuses a refresh when the person has to log in again', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'login_required', times: 1 });
    expect((await maker.refresh(maker.refreshToken)).status).toBe(401);
    expect((await maker.refresh(maker.refreshToken)).status).toBe(200);
  });

  it('fails a refresh on the way without spending the token', async () => {
    await using maker = await awake();
    maker.simulator.fault({ kind: 'unavailable', on: ['token'], times: 1 });
    expect((await maker.refresh(maker.refreshToken)).status).toBe(503);
    expect((await maker.refresh(maker.refreshToken)).status).toBe(200);
  });
});
