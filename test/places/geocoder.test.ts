import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AddressParts, lookUpNext } from '../../src/ingest/address-desk.ts';
import { newSearch, queueSome } from '../../src/ingest/address-queue.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { answer, at } from '../schema/ask.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import {
  aCharge,
  aDrive,
  anAccount,
  aPrincipal,
  aVehicle,
  driveData,
  now,
} from '../support/rows.ts';

type Reply = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  hangs?: boolean;
  endless?: boolean;
};

const found = {
  name: 'Rathaus',
  display_name: 'Rathaus, Städtle 37, 9490 Vaduz, Liechtenstein',
  address: {
    road: 'Städtle',
    house_number: '37',
    postcode: '9490',
    town: 'Vaduz',
    state: 'Oberland',
    country_code: 'li',
  },
};

/** A service with Nominatim's `/reverse`, which answers what it is told to, and remembers what it was asked. */
async function startNominatim() {
  const asked: URL[] = [];
  const agents: (string | undefined)[] = [];
  const replies: Reply[] = [];
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let sent = 0;
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://geocoder'));
    agents.push(request.headers['user-agent']);
    const { status, body = found, headers, hangs, endless } = replies.shift() ?? { status: 200 };
    if (hangs) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (endless) {
      const more = () => {
        do sent += chunk.length;
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      return more();
    }
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { asked, agents, replies, sent: () => sent, baseUrl: `http://127.0.0.1:${port}`, close };
}

describeEachEngine('addresses', (engine) => {
  let db: ScratchDatabase;
  let nominatim: Awaited<ReturnType<typeof startNominatim>>;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
    nominatim = await startNominatim();
  });
  afterAll(async () => {
    await db.close();
    await nominatim.close();
  });

  const never = new AbortController().signal;

  /** A person with a car that was at one place, and a desk at a time that the test says. */
  async function begin(): Promise<{
    account: Account;
    vehicle: Vehicle;
    desk: AddressParts & { at: number };
  }> {
    await db.prisma.address.deleteMany();
    await db.prisma.charge.deleteMany();
    await db.prisma.drive.deleteMany();
    nominatim.asked.length = 0;
    nominatim.replies.length = 0;
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account);
    await aCharge(db.prisma, vehicle, 1, { latitude: 47.1393, longitude: 9.5228 });
    await aCharge(db.prisma, vehicle, 2, { latitude: 47.13931, longitude: 9.52281 });
    const desk = {
      at: now,
      prisma: db.prisma,
      clock: () => desk.at,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      geocoder: { baseUrl: nominatim.baseUrl, userAgent: 'odograph/test', timeoutMs: 300 },
    };
    return { account, vehicle, desk };
  }

  /** Goes once through all of history; tells how many addresses were queued. */
  async function queue(at = now): Promise<number> {
    const before = await db.prisma.address.count();
    const search = newSearch();
    for (let step = 0; step < 100 && search.restsUntil === 0; step += 1) {
      await queueSome(db.prisma, search, at);
    }
    return (await db.prisma.address.count()) - before;
  }

  const rows = () => db.prisma.address.findMany({ orderBy: { createdAt: 'asc' } });

  it('are looked up once for each spot, and told with its positions', async () => {
    const { account, vehicle, desk } = await begin();
    expect(await queue()).toBe(1);
    expect(await queue()).toBe(0);
    await lookUpNext(desk, never);
    expect(nominatim.asked[0]?.pathname).toBe('/reverse');
    expect(Object.fromEntries(nominatim.asked[0]?.searchParams ?? [])).toMatchObject({
      format: 'jsonv2',
      lat: '47.1393',
      lon: '9.5228',
    });
    expect(nominatim.agents.at(-1)).toBe('odograph/test');
    desk.at += 60_000;
    await lookUpNext(desk, never);
    expect(nominatim.asked).toHaveLength(1);
    const document = `query ($id: ID!) { vehicle(publicId: $id) { charges { nodes { location {
      address { name road houseNumber postcode city state countryCode display } } } } } }`;
    const told = async (locationPrecision: 'EXACT' | 'APPROXIMATE' | 'HIDDEN') =>
      at(
        await answer(db.prisma, aPrincipal(account, { locationPrecision }), document, {
          id: vehicle.publicId,
        }),
        'vehicle.charges.nodes.0.location.address',
      );
    expect(await told('EXACT')).toEqual({
      name: 'Rathaus',
      road: 'Städtle',
      houseNumber: '37',
      postcode: '9490',
      city: 'Vaduz',
      state: 'Oberland',
      countryCode: 'LI',
      display: found.display_name,
    });
    expect(await told('APPROXIMATE')).toMatchObject({ road: null, display: null, city: 'Vaduz' });
    expect((await told('HIDDEN')) ?? null).toBeNull();
  });

  it('are asked for at most once a second, over all who ask', async () => {
    const { vehicle, desk } = await begin();
    await aCharge(db.prisma, vehicle, 3, { latitude: 46, longitude: 9 });
    await queue();
    await Promise.all([lookUpNext(desk, never), lookUpNext(desk, never)]);
    desk.at += 999;
    await lookUpNext(desk, never);
    expect(nominatim.asked).toHaveLength(1);
    desk.at += 1;
    await lookUpNext(desk, never);
    expect(nominatim.asked).toHaveLength(2);
  });

  it.each<[string, Reply, number]>([
    [
      'too many requests, for as long as it says',
      { status: 429, headers: { 'retry-after': '120' } },
      120_000,
    ],
    ['a failure of its own', { status: 500 }, 60_000],
    ['a refusal', { status: 403 }, 3_600_000],
    ['something else than JSON', { status: 200, body: '<html>' }, 60_000],
    ['another address', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 60_000],
    ['nothing', { status: 200, hangs: true }, 60_000],
  ])('are asked for again after %s', async (_, reply, waitMs) => {
    const { desk } = await begin();
    await queue();
    nominatim.replies.push(reply);
    expect(await lookUpNext(desk, never)).toBe(waitMs);
    expect(await rows()).toMatchObject([
      { state: 'WAITING', attempts: 1, dueAt: new Date(now + waitMs) },
    ]);
    desk.at += waitMs - 1;
    await lookUpNext(desk, never);
    expect(nominatim.asked).toHaveLength(1);
    desk.at += 1;
    await lookUpNext(desk, never);
    expect(await rows()).toMatchObject([{ state: 'FOUND', city: 'Vaduz' }]);
  });

  it('of more than an address can be is not read to its end', async () => {
    const { desk } = await begin();
    await queue();
    nominatim.replies.push({ status: 200, endless: true });
    expect(await lookUpNext(desk, never)).toBe(60_000);
    expect(nominatim.sent()).toBeGreaterThan(256 * 1024);
    expect(nominatim.sent()).toBeLessThan(8 * 1024 * 1024);
  });

  it('are queued for what was just driven first, and for history while few wait', async () => {
    const { vehicle } = await begin();
    await db.prisma.charge.deleteMany();
    const data = Array.from({ length: 450 }, (_, n) =>
      driveData(vehicle, 1 + n / 10, {
        ...{ startLatitude: 40 + n / 100, endLatitude: 40 + (n + 1) / 100 },
        ...{ startLongitude: 9, endLongitude: 9 },
      }),
    );
    await db.prisma.drive.createMany({ data });
    await db.prisma.vehicle.update({
      where: { id: vehicle.id },
      data: { lastSeenAt: new Date(now) },
    });
    const others = await db.prisma.vehicle.findMany({ where: { id: { not: vehicle.id } } });
    const search = { ...newSearch(), lookedAt: now, restsUntil: now + 1 };
    await queueSome(db.prisma, search, now);
    search.restsUntil = 0;
    // The newest 20 drives hang together.
    expect(await db.prisma.address.count()).toBe(21);
    const steps = async (count: number) => {
      for (let step = 0; step < count; step += 1) await queueSome(db.prisma, search, now);
      return db.prisma.address.count();
    };
    const some = await steps(others.length + 1);
    expect(some).toBe(201);
    expect(await steps(3)).toBe(some);
    await db.prisma.address.updateMany({ data: { state: 'FOUND' } });
    expect(await steps(1)).toBe(401);
    await db.prisma.address.updateMany({ data: { state: 'FOUND' } });
    expect(await steps(1)).toBe(451);
  });

  it('wait longer with every failure, up to a day', async () => {
    const { desk } = await begin();
    await queue();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 13; attempt += 1) {
      nominatim.replies.push({ status: 502 });
      await lookUpNext(desk, never);
      const [row] = await rows();
      waits.push(((row?.dueAt.getTime() ?? 0) - desk.at) / 60_000);
      desk.at = row?.dueAt.getTime() ?? 0;
    }
    expect(waits.slice(0, 4)).toEqual([1, 2, 4, 8]);
    expect(waits.at(-1)).toBe(1_440);
  });

  it('that do not exist are not asked for again', async () => {
    const { desk } = await begin();
    await queue();
    nominatim.replies.push({ status: 200, body: { error: 'Unable to geocode' } });
    await lookUpNext(desk, never);
    expect(await rows()).toMatchObject([{ state: 'NONE' }]);
    desk.at += 86_400_000;
    expect(await queue(desk.at)).toBe(0);
    await lookUpNext(desk, never);
    expect(nominatim.asked).toHaveLength(1);
  });

  it('that were being asked for when the process died are asked for again', async () => {
    const { desk } = await begin();
    await queue();
    nominatim.replies.push({ status: 200, hangs: true });
    const stop = new AbortController();
    const asking = lookUpNext(desk, stop.signal);
    await expect.poll(() => nominatim.asked.length).toBe(1);
    stop.abort();
    await asking;
    expect(await rows()).toMatchObject([{ state: 'WAITING' }]);
    desk.at += 60_000;
    await lookUpNext(desk, never);
    expect(await rows()).toMatchObject([{ state: 'FOUND' }]);
  });

  it('go with their vehicle', async () => {
    const { vehicle, desk } = await begin();
    await aDrive(db.prisma, vehicle, 4);
    expect(await queue()).toBe(3);
    await lookUpNext(desk, never);
    await db.prisma.vehicle.delete({ where: { id: vehicle.id } });
    expect(await rows()).toEqual([]);
  });
});
