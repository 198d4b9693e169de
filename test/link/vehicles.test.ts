import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newUuid, uuidOf } from '../../src/base/ids.ts';
import { aDrive } from '../support/rows.ts';
import { eventually, type Journey, type Person, startJourney } from './journey.ts';

const ROOT = '/api/account/maker-accounts';

const list = z.array(
  z.looseObject({
    id: z.string(),
    vin: z.string(),
    associated: z.boolean(),
    public_id: z.string().nullable(),
    key_pairing: z.looseObject({ paired: z.boolean().nullable() }).nullable(),
  }),
);

let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey?.[Symbol.asyncDispose]());
afterEach(() => journey.maker.clearFaults());

/** A person with a linked account that has every simulated car. */
async function linked(): Promise<{ person: Person; id: string }> {
  const person = await journey.person();
  return { person, id: await person.link({ vins: journey.vins }) };
}

async function vehiclesOf(person: Person, id: string) {
  const { response } = await person.call('GET', `${ROOT}/${id}/vehicles`);
  return list.parse(response);
}

const rowsOf = ({ account }: Person) =>
  journey.service.prisma.vehicle.findMany({
    where: { accountId: account.id },
    orderBy: { vin: 'asc' },
  });

async function eventsOf({ account }: Person, type: string) {
  const where = { accountId: account.id, type };
  return journey.service.prisma.event.findMany({ where, orderBy: { position: 'asc' } });
}

/** Counts questions for cars while `work` goes on and for a little longer. */
async function polled(): Promise<boolean> {
  const before = journey.maker.calls.item;
  await new Promise((resolve) => setTimeout(resolve, 300));
  return journey.maker.calls.item > before;
}

describe('the vehicles of a maker account', () => {
  it('are listed with the state of their keys', async () => {
    const { person, id } = await linked();
    const [first = '', second = ''] = journey.vins;
    journey.maker.pairKey(first);
    const vehicles = await vehiclesOf(person, id);
    const pairing = new Map(vehicles.map(({ vin, key_pairing }) => [vin, key_pairing]));
    expect(pairing.get(first)).toMatchObject({
      paired: true,
      command_protocol_required: true,
      total_keys: 2,
      telemetry_version: null,
    });
    expect(pairing.get(second)).toMatchObject({ paired: false, total_keys: 1 });
    expect(vehicles.every(({ associated }) => associated)).toBe(true);
  });

  it('are listed where the maker does not say anything of keys', async () => {
    const { person, id } = await linked();
    journey.maker.fault({ kind: 'upstream_error', on: ['fleet'] });
    const vehicles = await vehiclesOf(person, id);
    expect(vehicles.map(({ key_pairing }) => key_pairing)).toEqual(journey.vins.map(() => null));
  });

  it('are listed over all accounts', async () => {
    const { person } = await linked();
    await person.link({ subject: 'second', vins: journey.vins.slice(0, 1) });
    const { response } = await person.call('GET', '/api/account/maker-vehicles');
    expect(list.parse(response)).toHaveLength(journey.vins.length + 1);
  });

  it('can be taken out, with their history kept, and put back into the same row', async () => {
    const { person, id } = await linked();
    const [before] = await rowsOf(person);
    if (before === undefined) throw new Error('No vehicle.');
    const drive = await aDrive(journey.service.prisma, before, 30);
    const path = `${ROOT}/${id}/vehicles/${before.makerVehicleId}`;
    expect(await person.call('DELETE', path)).toMatchObject({
      status: 200,
      response: { public_id: before.publicId },
    });
    expect((await rowsOf(person))[0]?.archivedAt).not.toBeNull();
    expect(await journey.service.prisma.drive.count({ where: { id: drive.id } })).toBe(1);
    const listed = (await vehiclesOf(person, id)).find(({ vin }) => vin === before.vin);
    expect(listed).toMatchObject({ associated: false, public_id: null });
    expect(await person.call('DELETE', path)).toMatchObject({ status: 404 });

    expect(await person.call('POST', path)).toMatchObject({
      status: 200,
      response: { associated: true, public_id: before.publicId },
    });
    expect((await rowsOf(person))[0]).toMatchObject({ id: before.id, archivedAt: null });
    expect(await eventsOf(person, 'vehicle.removed')).toHaveLength(1);
    expect(await eventsOf(person, 'vehicle.added')).toHaveLength(journey.vins.length + 1);
  });

  it('are not there for a vehicle that the account does not have', async () => {
    const person = await journey.person();
    const id = await person.link({ vins: [] });
    const path = `${ROOT}/${id}/vehicles/${journey.vins[0]}`;
    expect(await person.call('POST', path)).toMatchObject({ status: 404, error: 'not_found' });
  });

  it('are archived when the maker no longer has them', async () => {
    const { person, id } = await linked();
    const [vin = ''] = journey.vins;
    journey.maker.fault({ kind: 'sold', vin });
    const row = await eventually(async () =>
      (await rowsOf(person)).find((one) => one.vin === vin && one.archivedAt !== null),
    );
    const [event] = await eventsOf(person, 'vehicle.removed');
    expect(event?.data).toEqual({ publicId: row.publicId, reason: 'not_at_maker' });
    expect(await person.call('GET', `${ROOT}/${id}`)).toMatchObject({
      response: { status: 'ACTIVE', vehicles_count: journey.vins.length - 1 },
    });
  });

  it('are kept through a 404 of a vehicle that the list still has', async () => {
    const { person } = await linked();
    const polls = journey.service.service;
    expect(polls.garage).toBeNull();
    journey.maker.fault({ kind: 'not_found', on: ['item'] });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await rowsOf(person)).every(({ archivedAt }) => archivedAt === null)).toBe(true);
  });
});

describe('a maker account', () => {
  it('is refreshed when wished', async () => {
    const { person, id } = await linked();
    const before = journey.maker.calls.token;
    expect(await person.call('POST', `${ROOT}/${id}/refresh`)).toMatchObject({
      status: 200,
      response: { status: 'ACTIVE' },
    });
    expect(journey.maker.calls.token - before).toBe(1);
  });

  it.each([
    ['token_unavailable', 503, 'maker_unavailable'],
    ['token_failed', 503, 'maker_unavailable'],
    ['login_required', 409, 'relink_required'],
    ['invalid_grant', 409, 'relink_required'],
  ] as const)('answers a refresh under %s with %i', async (kind, status, error) => {
    const { person, id } = await linked();
    journey.maker.fault({ kind });
    expect(await person.call('POST', `${ROOT}/${id}/refresh`)).toMatchObject({ status, error });
  });

  it.each([
    ['rate_limited', 429, 'maker_rate_limited'],
    ['exceeded_limit', 429, 'maker_rate_limited'],
    ['upstream_error', 503, 'maker_unavailable'],
    ['payment_required', 502, 'maker_error'],
  ] as const)('answers for its vehicles under %s with %i', async (kind, status, error) => {
    const { person, id } = await linked();
    journey.maker.fault({ kind });
    expect(await person.call('GET', `${ROOT}/${id}/vehicles`)).toMatchObject({ status, error });
  });

  it('is asked where the maker has moved it to, from then on', async () => {
    const { person, id } = await linked();
    const { port } = new URL(journey.maker.baseUrl);
    const regionUrl = `http://localhost:${port}`;
    // Twice, because fetch itself asks once more after 421 (Fetch standard, HTTP-network-or-cache fetch).
    journey.maker.fault({ kind: 'out_of_region', on: ['list'], times: 2, regionUrl });
    expect(await vehiclesOf(person, id)).toHaveLength(journey.vins.length);
    const uuid = uuidOf('MakerAccount', id) ?? '';
    const row = await journey.service.prisma.makerAccount.findUniqueOrThrow({
      where: { id: uuid },
    });
    expect(row.baseUrl).toBe(regionUrl);
  });

  it('is refreshed with all others by the shortcut, and what failed is told', async () => {
    const { person } = await linked();
    await person.link({ subject: 'another', vins: [] });
    const { status, response } = await person.call('POST', '/api/account/maker-refresh');
    expect(status).toBe(200);
    expect(response).toMatchObject([{ status: 'ACTIVE' }, { status: 'ACTIVE' }]);
    journey.maker.fault({ kind: 'token_unavailable' });
    expect((await person.call('POST', '/api/account/maker-refresh')).response).toMatchObject([
      { status: 'ACTIVE', last_error: { code: 'upstream' } },
      { status: 'ACTIVE', last_error: { code: 'upstream' } },
    ]);
  });

  it('is left alone after it has ended', async () => {
    const { person, id } = await linked();
    journey.maker.fault({ kind: 'login_required' });
    await person.call('POST', `${ROOT}/${id}/refresh`);
    const uuid = uuidOf('MakerAccount', id) ?? '';
    const { prisma } = journey.service;
    const others = { status: 'ACTIVE', id: { not: uuid } } as const;
    await prisma.makerAccount.updateMany({ where: others, data: { status: 'ERROR' } });
    // The shortest wait between two looks is longer: only the first look of a follower would be seen.
    await eventually(async () => !(await polled()));
    const [event] = await eventsOf(person, 'maker_account.status_changed').then((all) =>
      all.slice(-1),
    );
    expect(event?.data).toMatchObject({ status: 'NEEDS_REAUTH', reason: 'login_required' });
  });

  it('is unlinked with its history kept, and linked again to the same vehicles', async () => {
    const { person, id } = await linked();
    const before = await rowsOf(person);
    expect(await person.call('DELETE', `${ROOT}/${id}`)).toMatchObject({
      status: 200,
      response: { id, kept_history: true, vehicles_count: journey.vins.length },
    });
    expect(await person.call('GET', `${ROOT}/${id}`)).toMatchObject({ status: 404 });
    const kept = await rowsOf(person);
    expect(kept.map(({ id: uuid }) => uuid)).toEqual(before.map(({ id: uuid }) => uuid));
    expect(kept.every((row) => row.archivedAt !== null && row.makerAccountId === null)).toBe(true);
    await person.link({ vins: journey.vins });
    const back = await rowsOf(person);
    expect(back.map(({ id: uuid }) => uuid)).toEqual(before.map(({ id: uuid }) => uuid));
    expect(back.every(({ archivedAt }) => archivedAt === null)).toBe(true);
  });

  it('is unlinked without history, and nothing of its vehicles is left', async () => {
    const { person, id } = await linked();
    const { prisma } = journey.service;
    const [vehicle] = await rowsOf(person);
    if (vehicle === undefined) throw new Error('No vehicle.');
    await aDrive(prisma, vehicle, 30);
    expect(await person.call('DELETE', `${ROOT}/${id}?keep_history=false`)).toMatchObject({
      status: 200,
      response: { kept_history: false },
    });
    expect(await rowsOf(person)).toEqual([]);
    expect(await prisma.drive.count({ where: { vehicleId: vehicle.id } })).toBe(0);
    // Whoever followed it is told that it is gone, and of nothing else any more.
    const told = await prisma.event.findMany({ where: { vehicleId: vehicle.id } });
    expect(told.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'vehicle.removed', data: { publicId: vehicle.publicId, reason: 'erased' } },
    ]);
    // What was under way for it must not bring it back.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await rowsOf(person)).toEqual([]);
  });

  it('keeps its history against a token that is limited to some vehicles', async () => {
    const { person, id } = await linked();
    const [vehicle] = await rowsOf(person);
    const token = await journey.service.token({
      accountId: person.account.id,
      scopes: ['maker-accounts'],
      vehicleIds: [vehicle?.publicId ?? ''],
    });
    const answer = await fetch(`${journey.service.baseUrl}${ROOT}/${id}?keep_history=false`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(403);
    expect(await rowsOf(person)).toHaveLength(journey.vins.length);
  });

  it('is not there for somebody else, whatever is wished of it', async () => {
    const { id } = await linked();
    const other = await journey.person();
    const [vin = ''] = journey.vins;
    const wishes = [
      ['GET', ''],
      ['GET', '/vehicles'],
      ['POST', '/refresh'],
      ['POST', '/reauthorize'],
      ['POST', `/vehicles/${vin}`],
      ['DELETE', `/vehicles/${vin}`],
      ['DELETE', ''],
    ] as const;
    const missing = id.replace(
      /.{6}$/,
      newUuid()
        .slice(-6)
        .replace(/[^0-9a-f]/g, '0'),
    );
    for (const [method, path] of wishes) {
      const seen = await other.call(method, `${ROOT}/${id}${path}`);
      expect([method, path, seen.status, seen.error]).toEqual([method, path, 404, 'not_found']);
      expect((await other.call(method, `${ROOT}/${missing}${path}`)).status).toBe(404);
    }
  });

  it('is changed over GraphQL as well', async () => {
    const { person, id } = await linked();
    const query = `mutation ($id: ID!) {
      refreshMakerAccount(id: $id) { makerAccount { status vehiclesAtMaker { vin keyPairing { paired } } } }
    }`;
    const answer = await journey.service.graphql({ query, variables: { id } }, person.token);
    expect(await answer.json()).toMatchObject({
      data: { refreshMakerAccount: { makerAccount: { status: 'ACTIVE' } } },
    });
  });

  it('is closed to a token without the scope', async () => {
    const { id } = await linked();
    const other = await journey.person(['vehicles', 'account', 'controls']);
    expect(await other.call('DELETE', `${ROOT}/${id}`)).toMatchObject({
      status: 403,
      error: 'insufficient_scope',
    });
  });

  it('leaves no token in any answer or log line', () => {
    const said = journey.said();
    expect(said).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
    expect(said).not.toMatch(/\bEU_[\w-]{20,}/);
    expect(said).not.toMatch(/v1\.[\w-]{8}\./);
  });
});
