import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { scopes } from '../../src/contract/scopes.ts';
import type { Endpoint } from '../../src/transports/rest/endpoint.ts';
import { aWorld, type World } from '../schema/world.ts';
import { aVehicle } from '../support/rows.ts';
import {
  all,
  missing,
  ordinary,
  pathWith,
  queryFor,
  request,
  segmentsFor,
  titleOf,
} from './requests.ts';
import { type RestService, startRest } from './rest-service.ts';

let rest: RestService;
let mine: World;
let theirs: World;
beforeAll(async () => {
  rest = await startRest();
  mine = await aWorld(rest.db.prisma);
  theirs = await aWorld(rest.db.prisma);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

/** Body and status, without what differs between any two answers. */
async function answer(path: string, token: string, endpoint?: Endpoint): Promise<object> {
  const response =
    endpoint === undefined
      ? await rest.get(path, token)
      : await request(rest, endpoint, path, token);
  const body = z.record(z.string(), z.unknown()).parse(await response.json());
  return { ...body, status: response.status, request_id: null };
}

const owned = ordinary.filter(
  ({ route, scopes: needed }) => needed !== null && route.path.includes('/:'),
);

it('answers the same 404 for what is somebody else’s as for what does not exist, on every route', async () => {
  const token = await rest.token(mine.account.id, scopes);
  for (const endpoint of owned) {
    const query = `?${new URLSearchParams(queryFor(endpoint))}`;
    const foreign = segmentsFor(endpoint, theirs);
    const own = segmentsFor(endpoint, mine);
    for (const name of Object.keys(own)) {
      const withForeign = { ...own, [name]: foreign[name] ?? '' };
      const withMissing = { ...own, [name]: missing(own[name] ?? '') };
      const [seen, absent] = await Promise.all([
        answer(pathWith(endpoint, withForeign) + query, token, endpoint),
        answer(pathWith(endpoint, withMissing) + query, token, endpoint),
      ]);
      expect([titleOf(endpoint), name, seen]).toEqual([titleOf(endpoint), name, absent]);
      expect(seen).toMatchObject({ status: 404, error: 'not_found' });
    }
  }
});

it('answers 404 for a thing of another vehicle of the same account', async () => {
  const token = await rest.token(mine.account.id, scopes);
  const other = await aVehicle(rest.db.prisma, mine.account);
  const inside = owned.filter(
    ({ route }) => route.path.includes(':public_id') && route.path.includes(':id'),
  );
  expect(inside.length).toBeGreaterThan(5);
  for (const endpoint of inside) {
    const segments = { ...segmentsFor(endpoint, mine), public_id: other.publicId };
    expect([titleOf(endpoint), await answer(pathWith(endpoint, segments), token)]).toMatchObject([
      titleOf(endpoint),
      { status: 404 },
    ]);
  }
});

it('answers 404 for a vehicle outside the list of a token', async () => {
  const outside = await aVehicle(rest.db.prisma, mine.account);
  const token = await rest.token(mine.account.id, scopes, { vehicleIds: [outside.publicId] });
  for (const endpoint of owned.filter(({ route }) => route.path.includes(':public_id'))) {
    const query = `?${new URLSearchParams(queryFor(endpoint))}`;
    const path = pathWith(endpoint, segmentsFor(endpoint, mine)) + query;
    expect([titleOf(endpoint), await answer(path, token)]).toMatchObject([
      titleOf(endpoint),
      { status: 404 },
    ]);
  }
});

it('lists only what is of the caller', async () => {
  const token = await rest.token(mine.account.id, scopes);
  const others = JSON.stringify([theirs.vehicle.publicId, theirs.args.drive, theirs.args.place]);
  for (const endpoint of all.filter(
    ({ route }) => route.method === 'GET' && route.answer.kind === 'page',
  )) {
    const text = await (
      await rest.get(pathWith(endpoint, segmentsFor(endpoint, mine)), token)
    ).text();
    for (const [id] of others.matchAll(/[a-z]+_[0-9a-z]{26}|car-\d+/g))
      expect(text).not.toContain(id);
  }
});

it('hides exact positions from a token that may not see them', async () => {
  const path = `/api/vehicle/${mine.vehicle.publicId}/location`;
  const hidden = await rest.token(mine.account.id, ['vehicles'], { locationPrecision: 'HIDDEN' });
  expect(await answer(path, hidden)).toMatchObject({
    response: { latitude: null, longitude: null, place: null, precision: 'HIDDEN' },
  });
});

it('takes a slug in any case, an id, and a slug the vehicle had before', async () => {
  const token = await rest.token(mine.account.id, ['vehicles']);
  const { publicId, id } = mine.vehicle;
  await rest.db.prisma.vehicleSlug.create({ data: { slug: 'old-name', vehicleId: id } });
  for (const name of [publicId.toUpperCase(), mine.ids.Vehicle ?? '', 'OLD-name']) {
    const response = await rest.get(`/api/vehicle/${name}?fields=public_id`, token);
    const wanted = name === mine.ids.Vehicle ? 404 : 200;
    expect([name, response.status]).toEqual([name, wanted]);
  }
});
