import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { typeIdOf } from '../../src/base/ids.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { aDrive, anAccount, aVehicle } from '../support/rows.ts';
import { happen } from './following.ts';
import { type LiveService, startLive } from './live-service.ts';

let live: LiveService;
let account: Account;
let vehicle: Vehicle;
let token = '';
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live[Symbol.asyncDispose]());
beforeEach(async () => {
  account = await anAccount(live.db.prisma);
  vehicle = await aVehicle(live.db.prisma, account, { name: 'Heron' });
  token = await live.token(account.id, ['vehicles']);
});

type Told = { id: string; event: string; data: Record<string, unknown> };

function open(
  path = `/api/vehicle/${vehicle.publicId}/live`,
  headers: Record<string, string> = {},
  bearer: string | null = token,
) {
  const auth: Record<string, string> = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  return fetch(live.baseUrl + path, {
    headers: { accept: 'text/event-stream', ...auth, ...headers },
  });
}

/** Reads events one after the other; blocks without data are left out. */
async function* eventsOf(response: Response): AsyncGenerator<Told> {
  let text = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      if (data === undefined) continue;
      yield { id: field('id') ?? '', event: field('event') ?? '', data: JSON.parse(data) };
    }
  }
}

async function take(events: AsyncGenerator<Told>): Promise<Told> {
  const { done, value } = await events.next();
  if (done === true) throw new Error('The stream is over.');
  return value;
}

async function errorOf(response: Response): Promise<unknown> {
  return z.object({ error: z.string() }).parse(await response.json()).error;
}

describe('GET /api/vehicle/:public_id/live', () => {
  it('tells the vehicle as its route does, then each event in the form of the contract', async () => {
    const response = await open();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const events = eventsOf(response);
    const first = await take(events);
    const plain = await live.baseUrl;
    const { response: body } = await (
      await fetch(`${plain}/api/vehicle/${vehicle.publicId}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).json();
    expect([first.event, first.data]).toEqual(['vehicle', body]);

    const drive = await aDrive(live.db.prisma, vehicle, 1);
    const told = take(events);
    const data = { driveId: drive.id, state: 'ONGOING' };
    await happen(live.db.prisma, vehicle, { type: 'drive.started', data });
    const event = await told;
    expect(event.event).toBe('drive.started');
    expect(event.data).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'drive.started',
      version: 1,
      occurred_at: '2026-03-01T12:00:00.000Z',
      account_id: typeIdOf('Account', account.id),
      vehicle_public_id: vehicle.publicId,
      sequence: 1,
      data: { drive_id: typeIdOf('Drive', drive.id), state: 'ONGOING' },
      previous: null,
    });
    await events.return(undefined);
  });

  it('leaves out which places the vehicle enters for a token that does not see positions exactly', async () => {
    const wish = { locationPrecision: 'APPROXIMATE' } as const;
    const coarse = await live.token(account.id, ['vehicles'], wish);
    const events = eventsOf(await open(undefined, {}, coarse));
    await take(events);
    const told = take(events);
    await happen(live.db.prisma, vehicle, { type: 'place.entered' }, { type: 'drive.ended' });
    expect((await told).event).toBe('drive.ended');
    await events.return(undefined);
  });

  it('goes on after Last-Event-ID when it was cut, and neither leaves out nor repeats an event', async () => {
    const sequences: unknown[] = [];
    const events = eventsOf(await open());
    let last = (await take(events)).id;
    for (const type of ['drive.started', 'drive.updated'] as const) {
      const told = take(events);
      await happen(live.db.prisma, vehicle, { type });
      const event = await told;
      sequences.push(event.data.sequence);
      last = event.id;
    }
    await events.return(undefined);
    const updates = Array.from({ length: 300 }, () => ({ type: 'drive.updated' as const }));
    await happen(live.db.prisma, vehicle, ...updates);
    const again = eventsOf(await open(undefined, { 'last-event-id': last }));
    while (sequences.length < 302) sequences.push((await take(again)).data.sequence);
    const told = take(again);
    await happen(live.db.prisma, vehicle, { type: 'drive.ended' });
    sequences.push((await told).data.sequence);
    expect(sequences).toEqual(Array.from({ length: 303 }, (_, i) => i + 1));
    await again.return(undefined);
  });

  it('tells of its own vehicle only, and of commands only to a token that may send them', async () => {
    const other = await aVehicle(live.db.prisma, account);
    const strong = await live.token(account.id, ['vehicles', 'controls']);
    const weakEvents = eventsOf(await open());
    const strongEvents = eventsOf(await open(undefined, {}, strong));
    await take(weakEvents);
    await take(strongEvents);
    await happen(live.db.prisma, other, { type: 'drive.started' });
    await happen(live.db.prisma, vehicle, { type: 'command.updated' }, { type: 'trip.updated' });
    expect((await take(weakEvents)).event).toBe('trip.updated');
    expect((await take(strongEvents)).event).toBe('command.updated');
    await weakEvents.return(undefined);
    await strongEvents.return(undefined);
  });

  it('says that it is there while nothing happens', async () => {
    const response = await open();
    let text = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (text.includes(': heartbeat\n\n')) break;
    }
    expect(text).toContain('retry: 2000\n\n');
  });

  it('ends soon after its token was revoked', async () => {
    const events = eventsOf(await open());
    await take(events);
    await live.revoke(account.id);
    await expect(take(events)).rejects.toThrow('The stream is over');
    expect((await open()).status).toBe(401);
  });

  it('refuses callers and requests as every route does', async () => {
    expect(await errorOf(await open(undefined, {}, null))).toBe('missing_token');
    const weak = await live.token(account.id, ['controls']);
    expect(await errorOf(await open(undefined, {}, weak))).toBe('insufficient_scope');
    const strange = await aVehicle(live.db.prisma, await anAccount(live.db.prisma));
    expect(await errorOf(await open(`/api/vehicle/${strange.publicId}/live`))).toBe('not_found');
    const limited = await live.token(account.id, ['vehicles'], { vehicleIds: [vehicle.id] });
    const hidden = await aVehicle(live.db.prisma, account);
    const path = `/api/vehicle/${hidden.publicId}/live`;
    expect(await errorOf(await open(path, {}, limited))).toBe('not_found');
    expect(await errorOf(await open(undefined, { accept: 'application/json' }))).toBe(
      'not_acceptable',
    );
    expect(await errorOf(await open(`/api/vehicle/${vehicle.publicId}/live?since=1`))).toBe(
      'validation_failed',
    );
    const posted = await fetch(`${live.baseUrl}/api/vehicle/${vehicle.publicId}/live`, {
      method: 'POST',
    });
    expect(posted.status).toBe(405);
  });

  it('refuses a Last-Event-ID that is none, or too old, by name', async () => {
    for (const id of ['rubbish', Buffer.from('["events","x",1]').toString('base64url')]) {
      const response = await open(undefined, { 'last-event-id': id });
      expect([response.status, await errorOf(response)]).toEqual([422, 'validation_failed']);
    }
    const events = eventsOf(await open());
    const { id } = await take(events);
    await events.return(undefined);
    await happen(live.db.prisma, vehicle, { type: 'drive.started' });
    const createdAt = new Date(Date.now() - 25 * 3_600_000);
    await live.db.prisma.event.updateMany({
      where: { accountId: account.id },
      data: { createdAt },
    });
    const late = await open(undefined, { 'last-event-id': id });
    expect(late.status).toBe(422);
    expect(await late.text()).toContain('older than 24 hours');
  });

  it('is refused beyond fifty streams of one token', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => open()));
    const more = await open();
    expect([more.status, more.headers.get('retry-after')]).toEqual([429, '60']);
    await Promise.all(all.map((response) => response.body?.cancel()));
    await expect
      .poll(async () => {
        const next = await open();
        await next.body?.cancel();
        return next.status;
      })
      .toBe(200);
  });
});
