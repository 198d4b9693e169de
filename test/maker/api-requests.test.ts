import { expect, test } from 'vitest';
import { makerApi } from '../../src/maker/api.ts';
import { always, open, standIn } from './stand-in.ts';

const vin = 'LRW3E7FS0NC000042';
const clock = () => Date.UTC(2024, 4, 6);
const token = async () => 'access-1';

test('asks for one vehicle with the token and the content type that the maker wants', async () => {
  const { baseUrl, seen } = await standIn(always(200, { response: { vin } }));
  const answer = await makerApi({ baseUrl, token, clock }).vehicle(vin);
  expect(answer).toEqual({ kind: 'ok', status: 200, value: { vin } });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    method: 'GET',
    url: `/api/1/vehicles/${vin}`,
    headers: { authorization: 'Bearer access-1', 'content-type': 'application/json' },
  });
});

test('asks for sections as one list with semicolons', async () => {
  const { baseUrl, seen } = await standIn(always(200, { response: { vin } }));
  await makerApi({ baseUrl, token, clock, gate: open }).vehicleData(vin, [
    'charge_state',
    'location_data',
  ]);
  expect(seen[0]?.url).toBe(
    `/api/1/vehicles/${vin}/vehicle_data?endpoints=charge_state%3Blocation_data`,
  );
});

test('wakes a vehicle with a post', async () => {
  const { baseUrl, seen } = await standIn(always(200, { response: { vin, state: 'asleep' } }));
  const answer = await makerApi({ baseUrl, token, clock, gate: open }).wakeUp(vin);
  expect(answer).toMatchObject({ kind: 'ok', value: { state: 'asleep' } });
  expect(seen[0]).toMatchObject({ method: 'POST', url: `/api/1/vehicles/${vin}/wake_up` });
});

test('keeps the path of a base URL and lets no vehicle leave it', async () => {
  const { baseUrl, seen } = await standIn(always(404));
  await makerApi({ baseUrl: `${baseUrl}/maker/`, token, clock }).vehicle('../users/me?x=');
  expect(seen[0]?.url).toBe('/maker/api/1/vehicles/..%2Fusers%2Fme%3Fx%3D');
});

test('asks the supplier for the token of every request', async () => {
  const { baseUrl, seen } = await standIn(always(200, { response: { vin } }));
  const supply = ['access-1', 'access-2'];
  const api = makerApi({ baseUrl, clock, token: async () => supply.shift() ?? null });
  await api.vehicle(vin);
  await api.vehicle(vin);
  expect(seen.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer access-1',
    'Bearer access-2',
  ]);
});

test('sends nothing without a token', async () => {
  const { baseUrl, seen } = await standIn(always(200, { response: { vin } }));
  const answer = await makerApi({ baseUrl, token: async () => null, clock }).vehicle(vin);
  expect(answer).toMatchObject({ kind: 'unauthorized', reason: 'no_token', status: null });
  expect(seen).toHaveLength(0);
});

test('lists the vehicles of every page in order', async () => {
  const { baseUrl, seen } = await standIn(({ url }, response) => {
    const page = Number(new URL(url, 'http://maker').searchParams.get('page'));
    const next = page < 3 ? page + 1 : null;
    response.end(JSON.stringify({ response: [{ page }], pagination: { next }, count: 1 }));
  });
  const answer = await makerApi({ baseUrl, token, clock }).listVehicles();
  expect(answer).toEqual({
    kind: 'ok',
    status: 200,
    value: [{ page: 1 }, { page: 2 }, { page: 3 }],
  });
  expect(seen).toHaveLength(3);
});

test('lists the vehicles of an answer without pages', async () => {
  const { baseUrl } = await standIn(always(200, { response: [{ vin }], count: 1 }));
  const answer = await makerApi({ baseUrl, token, clock }).listVehicles();
  expect(answer).toEqual({ kind: 'ok', status: 200, value: [{ vin }] });
});

test('stops at a page that leads back to itself', async () => {
  const { baseUrl, seen } = await standIn(
    always(200, { response: [{ vin }], pagination: { next: 1 } }),
  );
  expect(await makerApi({ baseUrl, token, clock }).listVehicles()).toMatchObject({ kind: 'ok' });
  expect(seen).toHaveLength(1);
});

test('gives up a list that has no end', async () => {
  const { baseUrl, seen } = await standIn(({ url }, response) => {
    const page = Number(new URL(url, 'http://maker').searchParams.get('page'));
    response.end(JSON.stringify({ response: [{ vin }], pagination: { next: page + 1 } }));
  });
  const answer = await makerApi({ baseUrl, token, clock }).listVehicles();
  expect(answer).toMatchObject({ kind: 'malformed', reason: 'endless' });
  expect(seen).toHaveLength(100);
});

test('answers no part of a list when a later page fails', async () => {
  const { baseUrl } = await standIn(({ url }, response) => {
    if (url.includes('page=2')) response.writeHead(503).end();
    else response.end(JSON.stringify({ response: [{ vin }], pagination: { next: 2 } }));
  });
  expect(await makerApi({ baseUrl, token, clock }).listVehicles()).toMatchObject({
    kind: 'upstream',
    status: 503,
  });
});
