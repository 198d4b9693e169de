import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import { bodyOf, startMaker } from './maker.ts';

const LIST = '/api/1/vehicles';
const item = (vin: string) => `${LIST}/${vin}`;
const data = (vin: string, endpoints?: string) =>
  `${item(vin)}/vehicle_data${endpoints === undefined ? '' : `?endpoints=${encodeURIComponent(endpoints)}`}`;

async function awakeMaker() {
  const maker = await startMaker({ wakeTime: 5 * SECOND_MS });
  for (const vin of maker.vins) await maker.post(`${item(vin)}/wake_up`);
  maker.turn(10 * SECOND_MS);
  return maker;
}

describe('the list of vehicles', () => {
  it('answers both cars, asleep, in the maker’s envelope', async () => {
    await using maker = await startMaker();
    const body = await bodyOf(maker.get(LIST));
    expect(body).toMatchObject({
      response: maker.vins.map((vin) => ({ vin, state: 'asleep', in_service: false })),
      error: null,
      pagination: { previous: null, next: null, current: 1, count: 2, pages: 1 },
      count: 2,
    });
  });

  it('pages', async () => {
    await using maker = await startMaker();
    const second = await bodyOf(maker.get(`${LIST}?page=2&per_page=1`));
    expect(second).toMatchObject({
      response: [{ vin: maker.vins[1] }],
      pagination: { previous: 1, next: null, current: 2, per_page: 1, count: 2, pages: 2 },
    });
    expect(await bodyOf(maker.get(`${LIST}?page=3&per_page=1`))).toMatchObject({ response: [] });
  });

  it('sends all digits of an id above 2^53 as a number', async () => {
    await using maker = await startMaker();
    const text = await (await maker.get(LIST)).text();
    const digits = [...text.matchAll(/"id":([0-9]+),.*?"id_s":"([0-9]+)"/g)];
    expect(digits.map((match) => match[1])).toEqual(digits.map((match) => match[2]));
    expect(digits.some((match) => BigInt(match[1] ?? 0) > 2n ** 53n)).toBe(true);
    expect(digits).toHaveLength(2);
  });

  it('finds a car by its VIN and by its id', async () => {
    await using maker = await startMaker();
    const car = maker.simulator.cars[1];
    for (const tag of [car?.spec.vin, car?.spec.id]) {
      expect(await bodyOf(maker.get(`${LIST}/${tag}`))).toMatchObject({
        response: { vin: car?.spec.vin },
      });
    }
  });

  it('shows an account its own cars alone', async () => {
    await using maker = await startMaker();
    const vins = maker.vins.slice(0, 1);
    const { accessToken } = maker.simulator.seedTokens({ subject: 'other', vins });
    expect(await bodyOf(maker.get(LIST, accessToken))).toMatchObject({ count: 1 });
    expect((await maker.get(item(maker.vins[1] ?? ''), accessToken)).status).toBe(404);
  });

  it('carries a transaction id', async () => {
    await using maker = await startMaker();
    expect((await maker.get(LIST)).headers.get('x-txid')).toMatch(/^[0-9a-f]{8}$/);
  });
});

describe('the data of a vehicle', () => {
  it('answers 408 for a sleeping car, and leaves it asleep', async () => {
    await using maker = await startMaker();
    const answer = await maker.get(data(maker.vins[0] ?? ''));
    expect(answer.status).toBe(408);
    expect(await answer.json()).toEqual({
      response: null,
      error: 'vehicle unavailable: vehicle is offline or asleep',
      error_description: '',
    });
    maker.turn(MINUTE_MS);
    expect(await bodyOf(maker.get(item(maker.vins[0] ?? '')))).toMatchObject({
      response: { state: 'asleep' },
    });
  });

  it('answers the sections asked for with semicolons, and no others', async () => {
    await using maker = await awakeMaker();
    const path = data(maker.vins[0] ?? '', 'charge_state;vehicle_state');
    const body = await bodyOf(maker.get(path));
    expect(body).toMatchObject({
      response: { charge_state: { battery_level: expect.any(Number) }, vehicle_state: {} },
    });
    expect(body).not.toHaveProperty('response.drive_state');
    expect(body).not.toHaveProperty('response.climate_state');
  });

  it('answers no section to a list with commas', async () => {
    await using maker = await awakeMaker();
    const body = await bodyOf(maker.get(data(maker.vins[0] ?? '', 'charge_state,drive_state')));
    expect(body).toMatchObject({ response: { vin: maker.vins[0], state: 'online' } });
    expect(body).not.toHaveProperty('response.charge_state');
  });

  it('gives the position only with its endpoint and its scope', async () => {
    await using maker = await awakeMaker();
    const vin = maker.vins[0] ?? '';
    const position = 'response.drive_state.latitude';
    expect(await bodyOf(maker.get(data(vin)))).not.toHaveProperty(position);
    expect(await bodyOf(maker.get(data(vin, 'drive_state')))).not.toHaveProperty(position);
    const asked = data(vin, 'drive_state;location_data');
    expect(await bodyOf(maker.get(asked))).toHaveProperty(position);
    const scopes = ['vehicle_device_data'];
    const { accessToken } = maker.simulator.seedTokens({ subject: 'blind', scopes });
    const blind = await bodyOf(maker.get(asked, accessToken));
    expect(blind).toHaveProperty('response.drive_state.timestamp');
    expect(blind).not.toHaveProperty(position);
  });

  it('keeps a car awake that is asked, and lets it sleep 12 minutes after the last question', async () => {
    await using maker = await awakeMaker();
    const vin = maker.vins[0] ?? '';
    for (let minute = 0; minute < 40; minute += 5) {
      expect((await maker.get(data(vin))).status).toBe(200);
      maker.turn(5 * MINUTE_MS);
    }
    maker.turn(6 * MINUTE_MS);
    expect(await bodyOf(maker.get(item(vin)))).toMatchObject({ response: { state: 'online' } });
    maker.turn(3 * MINUTE_MS);
    expect(await bodyOf(maker.get(item(vin)))).toMatchObject({ response: { state: 'asleep' } });
  });

  it('answers 404 for a VIN that nobody has', async () => {
    await using maker = await startMaker();
    expect((await maker.get(data('5YJ3S1MA8RD999999'))).status).toBe(404);
  });

  it('answers 429 with the time to wait above the allowed calls a minute', async () => {
    await using maker = await startMaker({ dataPerMinute: 2, wakeTime: 0 });
    const path = data(maker.vins[0] ?? '');
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await maker.get(path)).status);
    expect(statuses).toEqual([408, 408, 429]);
    const late = await maker.get(path);
    expect(Number(late.headers.get('retry-after'))).toBe(60);
    expect(late.headers.get('ratelimit-remaining')).toBe('0');
    maker.turn(MINUTE_MS);
    expect((await maker.get(path)).status).toBe(408);
  });
});

describe('waking a car', () => {
  it('takes 10 to 30 s, during which the answer still says asleep', async () => {
    await using maker = await startMaker();
    const vin = maker.vins[0] ?? '';
    const answer = await bodyOf(maker.post(`${item(vin)}/wake_up`));
    expect(answer).toMatchObject({ response: { state: 'asleep' } });
    maker.turn(9 * SECOND_MS);
    expect(await bodyOf(maker.get(item(vin)))).toMatchObject({ response: { state: 'asleep' } });
    maker.turn(22 * SECOND_MS);
    expect(await bodyOf(maker.get(item(vin)))).toMatchObject({ response: { state: 'online' } });
    expect((await maker.get(data(vin))).status).toBe(200);
  });

  it('may never succeed', async () => {
    await using maker = await startMaker({ wakeTime: 'never' });
    const vin = maker.vins[0] ?? '';
    expect((await maker.post(`${item(vin)}/wake_up`)).status).toBe(200);
    maker.turn(10 * MINUTE_MS);
    expect(await bodyOf(maker.get(item(vin)))).toMatchObject({ response: { state: 'asleep' } });
  });

  it('answers 406 without a content type', async () => {
    await using maker = await startMaker();
    expect((await maker.post(`${item(maker.vins[0] ?? '')}/wake_up`, {})).status).toBe(406);
  });

  it('answers 405 to a GET', async () => {
    await using maker = await startMaker();
    expect((await maker.get(`${item(maker.vins[0] ?? '')}/wake_up`)).status).toBe(405);
  });

  it('needs a scope for commands', async () => {
    await using maker = await startMaker();
    const scopes = ['vehicle_device_data'];
    const { accessToken } = maker.simulator.seedTokens({ subject: 'reader', scopes });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` };
    expect((await maker.post(`${item(maker.vins[0] ?? '')}/wake_up`, headers)).status).toBe(403);
  });
});

describe('the rest of the service', () => {
  it('says that it is up', async () => {
    await using maker = await startMaker();
    expect(await (await fetch(`${maker.simulator.baseUrl}/status`)).text()).toBe('ok');
  });

  it('names the region and its base address', async () => {
    await using maker = await startMaker();
    expect(await bodyOf(maker.get('/api/1/users/region'))).toMatchObject({
      response: { region: 'eu', fleet_api_base_url: maker.simulator.baseUrl },
    });
  });

  it('names the person', async () => {
    await using maker = await startMaker();
    expect(await bodyOf(maker.get('/api/1/users/me'))).toMatchObject({
      response: { email: 'person@garage.invalid' },
    });
  });

  it('runs the cars faster than its clock when asked to', async () => {
    await using maker = await startMaker({ speed: 60 });
    const before = maker.simulator.now();
    maker.turn(MINUTE_MS);
    expect(maker.simulator.now() - before).toBe(HOUR_MS);
    await maker.get(LIST);
    expect(maker.simulator.cars[0]?.state.atMs).toBeGreaterThanOrEqual(
      before + HOUR_MS - MINUTE_MS,
    );
  });

  it('counts the calls by kind', async () => {
    await using maker = await startMaker();
    await maker.get(LIST);
    await maker.get(data(maker.vins[0] ?? ''));
    await maker.refresh(maker.refreshToken);
    expect(maker.simulator.calls).toMatchObject({ list: 1, data: 1, token: 1, wake: 0 });
  });
});
