import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventFeed } from '../../src/actions/event-feed.ts';
import type { Principal } from '../../src/auth/principal.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { typeIdOf } from '../../src/base/ids.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import type { Account, Command, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { at, codes } from '../schema/ask.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import {
  aCharge,
  aCommand,
  aContext,
  aDrive,
  aMakerAccount,
  anAccount,
  anAlert,
  aPrincipal,
  aSoftwareUpdate,
  aVehicle,
} from '../support/rows.ts';
import { aFeed, happen, listen, next, Refusal } from './following.ts';

let db: ScratchDatabase;
let feed: EventFeed;
let account: Account;
let vehicle: Vehicle;
let owner: Principal;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
  feed = aFeed(db, 50);
});
afterAll(async () => {
  await feed.close();
  await db.close();
});
beforeEach(async () => {
  account = await anAccount(db.prisma);
  vehicle = await aVehicle(db.prisma, account);
  owner = aPrincipal(account);
});

const events =
  'subscription ($after: String, $types: [String!]) { events(after: $after, types: $types) { type cursor data vehiclePublicId sequence } }';

async function refusal(asked: Promise<unknown>): Promise<unknown[]> {
  const thrown: unknown = await asked.catch((error: unknown) => error);
  if (thrown instanceof Refusal) return codes(thrown.result);
  throw new Error(`It was not refused: ${thrown}`);
}

describe('vehicleUpdated', () => {
  const document =
    'subscription ($ids: [ID!], $sections: [VehicleSection!]) { vehicleUpdated(publicIds: $ids, sections: $sections) { publicId name status } }';

  it('tells each vehicle as it is, then what changes', async () => {
    const answers = await listen(db, feed, owner, [document]);
    expect((await next(answers)).data).toEqual({
      vehicleUpdated: { publicId: vehicle.publicId, name: null, status: 'UNKNOWN' },
    });
    const told = next(answers);
    await db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { status: 'DRIVING' } });
    await happen(db.prisma, vehicle, { type: 'vehicle.status_changed' });
    expect(at((await told).data, 'vehicleUpdated.status')).toBe('DRIVING');
    await answers.return();
  });

  it('tells only of the vehicles and sections that were asked for', async () => {
    const other = await aVehicle(db.prisma, account, { name: 'Other' });
    const asked = { ids: [vehicle.publicId], sections: ['CHARGE'] };
    const answers = await listen(db, feed, owner, [document, asked]);
    expect(at((await next(answers)).data, 'vehicleUpdated.publicId')).toBe(vehicle.publicId);
    const state = (...sections: string[]) => ({
      type: 'vehicle.state.updated' as const,
      data: { sections },
    });
    await happen(db.prisma, other, state('charge'));
    await happen(db.prisma, vehicle, state('drive'), { type: 'vehicle.status_changed' });
    const told = next(answers);
    await db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { name: 'Later' } });
    await happen(db.prisma, vehicle, state('drive', 'charge'));
    expect((await told).data).toMatchObject({
      vehicleUpdated: { publicId: vehicle.publicId, name: 'Later' },
    });
    await answers.return();
  });

  it('tells a slow reader the latest state once, however often it changed', async () => {
    const answers = await listen(db, feed, owner, [document]);
    await next(answers);
    const witness = await listen(db, feed, owner, [events]);
    await next(witness);
    for (let change = 1; change <= 30; change += 1) {
      await db.prisma.vehicle.update({ where: { id: vehicle.id }, data: { name: `v${change}` } });
      await happen(db.prisma, vehicle, { type: 'vehicle.updated' });
      await next(witness);
    }
    expect(at((await next(answers)).data, 'vehicleUpdated.name')).toBe('v30');
    await expect(next(answers, 100)).rejects.toThrow('Nothing was told');
    await answers.return();
    await witness.return();
  });

  it('answers NOT_FOUND for a vehicle of another account and for one outside the token’s list', async () => {
    const strange = await aVehicle(db.prisma, await anAccount(db.prisma));
    const hidden = await aVehicle(db.prisma, account);
    const limited = aPrincipal(account, { vehicleIds: [vehicle.id] });
    for (const { publicId } of [strange, hidden]) {
      const asked = listen(db, feed, limited, [document, { ids: [publicId] }]);
      expect(await refusal(asked)).toEqual(['NOT_FOUND']);
    }
  });

  it('tells nothing of a vehicle that a token may not see', async () => {
    const hidden = await aVehicle(db.prisma, account, { name: 'Hidden' });
    const limited = aPrincipal(account, { vehicleIds: [vehicle.id] });
    const answers = await listen(db, feed, limited, [document]);
    expect(at((await next(answers)).data, 'vehicleUpdated.publicId')).toBe(vehicle.publicId);
    const told = next(answers);
    await happen(db.prisma, hidden, { type: 'vehicle.updated' });
    await happen(db.prisma, vehicle, { type: 'vehicle.updated' });
    expect(at((await told).data, 'vehicleUpdated.publicId')).toBe(vehicle.publicId);
    await answers.return();
  });

  it('leaves out an event whose vehicle is out of sight by the time it is told', async () => {
    let principal = owner;
    const renew = async () => aContext(db.prisma, principal, { feed });
    const answers = await listen(db, feed, owner, [document], renew);
    await next(answers);
    principal = aPrincipal(account, { vehicleIds: [] });
    await happen(db.prisma, vehicle, { type: 'vehicle.updated' });
    await expect(next(answers, 300)).rejects.toThrow('Nothing was told');
    await answers.return();
  });

  it('ends with the reason when the credential has ended', async () => {
    const ended = async () => {
      throw new ServiceError('invalid_token', 'The token was revoked.');
    };
    const answers = await listen(db, feed, owner, [document], ended);
    expect(codes(await next(answers))).toEqual(['INVALID_TOKEN']);
    expect((await answers.next()).done).toBe(true);
  });
});

describe('equal subscriptions', () => {
  const document = 'subscription { vehicleUpdated { name } }';
  const another = () => aPrincipal(account);

  it('are told although the credential of one ended', async () => {
    const good = await listen(db, feed, owner, [document]);
    await next(good);
    let over = false;
    const principal = another();
    const bad = await listen(db, feed, principal, [document], async () => {
      if (over) throw new ServiceError('invalid_token', 'The token was revoked.');
      return aContext(db.prisma, principal, { feed });
    });
    await next(bad);
    over = true;
    const told = Promise.all([next(good), next(bad)]);
    await happen(db.prisma, vehicle, { type: 'vehicle.updated' });
    expect((await told).map(codes)).toEqual([[], ['INVALID_TOKEN']]);
    expect((await bad.next()).done).toBe(true);
    await good.return();
  });

  it.each([
    ['one of them', document],
    ['a reader of events', 'subscription { events { type } }'],
  ])('are told, and %s too as soon as a look-up that broke succeeds', async (_who, asked) => {
    const good = await listen(db, feed, owner, [document]);
    await next(good);
    let failures = 0;
    const principal = another();
    const late = await listen(db, feed, principal, [asked], async () => {
      failures += 1;
      if (failures === 1) throw new Error('The look-up broke.');
      return aContext(db.prisma, principal, { feed });
    });
    if (asked === document) await next(late);
    failures = 0;
    const told = Promise.all([next(good), next(late)]);
    await happen(db.prisma, vehicle, { type: 'vehicle.updated' });
    expect((await told).map(codes)).toEqual([[], []]);
    expect(failures).toBeGreaterThan(1);
    await good.return();
    await late.return();
  });

  it('are read anew by one whose rights changed meanwhile', async () => {
    let principal = another();
    const renew = async () => aContext(db.prisma, principal, { feed });
    const same = await listen(db, feed, owner, [document]);
    const changed = await listen(db, feed, principal, [document], renew);
    await Promise.all([next(same), next(changed)]);
    principal = { ...principal, scopes: new Set<Scope>(['account']) };
    const told = Promise.all([next(same), next(changed)]);
    await happen(db.prisma, vehicle, { type: 'vehicle.updated' });
    expect((await told).map(codes)).toEqual([[], ['INSUFFICIENT_SCOPE']]);
    await same.return();
    await changed.return();
  });
});

describe('driveUpdated and chargeUpdated', () => {
  it('tell the newest of each vehicle, then each as it goes on', async () => {
    await aDrive(db.prisma, vehicle, 3);
    const newest = await aDrive(db.prisma, vehicle, 2);
    const answers = await listen(db, feed, owner, [
      'subscription { driveUpdated { id distanceKm } }',
    ]);
    expect(at((await next(answers)).data, 'driveUpdated.id')).toBe(typeIdOf('Drive', newest.id));
    const told = next(answers);
    const drive = await aDrive(db.prisma, vehicle, 1, { distanceKm: 7 });
    await happen(db.prisma, vehicle, { type: 'drive.started', data: { driveId: drive.id } });
    expect((await told).data).toEqual({
      driveUpdated: { id: typeIdOf('Drive', drive.id), distanceKm: 7 },
    });
    await answers.return();
    const charge = await aCharge(db.prisma, vehicle, 1);
    const charges = await listen(db, feed, owner, ['subscription { chargeUpdated { id } }']);
    expect(at((await next(charges)).data, 'chargeUpdated.id')).toBe(typeIdOf('Charge', charge.id));
    await charges.return();
  });
});

describe('commands', () => {
  async function enter(command: Command, state: 'WAKING' | 'SENDING' | 'SUCCEEDED'): Promise<void> {
    await db.prisma.command.update({ where: { id: command.id }, data: { state } });
    await happen(db.prisma, vehicle, {
      type: 'command.updated',
      data: { commandId: command.id, state },
    });
  }

  it('are followed from the state they are in to the last one, and then it is over', async () => {
    const command = await aCommand(db.prisma, vehicle, 0, { state: 'QUEUED' });
    const id = typeIdOf('Command', command.id);
    const document = 'subscription ($id: ID!) { commandUpdated(id: $id) { id state } }';
    const caller = aPrincipal(account, { scopes: new Set<Scope>(['controls']) });
    const answers = await listen(db, feed, caller, [document, { id }]);
    const states = [at((await next(answers)).data, 'commandUpdated.state')];
    for (const state of ['WAKING', 'SENDING', 'SUCCEEDED'] as const) {
      const told = next(answers);
      await enter(command, state);
      states.push(at((await told).data, 'commandUpdated.state'));
    }
    expect(states).toEqual(['QUEUED', 'WAKING', 'SENDING', 'SUCCEEDED']);
    expect((await answers.next()).done).toBe(true);
    const again = await listen(db, feed, caller, [document, { id }]);
    expect(at((await next(again)).data, 'commandUpdated.state')).toBe('SUCCEEDED');
    expect((await again.next()).done).toBe(true);
  });

  it('of another account, and ids of nothing, are NOT_FOUND', async () => {
    const other = await aVehicle(db.prisma, await anAccount(db.prisma));
    const command = await aCommand(db.prisma, other, 0);
    for (const id of [typeIdOf('Command', command.id), 'cmd_nothing']) {
      const asked = listen(db, feed, owner, [
        'subscription ($id: ID!) { commandUpdated(id: $id) { id } }',
        { id },
      ]);
      expect(await refusal(asked)).toEqual(['NOT_FOUND']);
    }
  });

  it('of a vehicle are told as they are given and change', async () => {
    await aCommand(db.prisma, vehicle, 2);
    const running = await aCommand(db.prisma, vehicle, 1, { state: 'SENDING' });
    const document = 'subscription ($id: ID!) { vehicleCommands(publicId: $id) { id state } }';
    const answers = await listen(db, feed, owner, [document, { id: vehicle.publicId }]);
    expect(at((await next(answers)).data, 'vehicleCommands.id')).toBe(
      typeIdOf('Command', running.id),
    );
    const told = next(answers);
    const given = await aCommand(db.prisma, vehicle, 0, { state: 'QUEUED' });
    await happen(db.prisma, vehicle, {
      type: 'command.updated',
      data: { commandId: given.id, state: 'QUEUED' },
    });
    expect((await told).data).toEqual({
      vehicleCommands: { id: typeIdOf('Command', given.id), state: 'QUEUED' },
    });
    await answers.return();
  });
});

describe('events', () => {
  it('begin with the cursor of now, which tells later all that came after it', async () => {
    const answers = await listen(db, feed, owner, [events]);
    const first = (await next(answers)).data;
    expect(first).toMatchObject({ events: { type: 'system.heartbeat', data: {}, sequence: null } });
    await answers.return();
    const drive = await aDrive(db.prisma, vehicle, 1);
    await happen(
      db.prisma,
      vehicle,
      { type: 'drive.started', data: { driveId: drive.id } },
      { type: 'drive.ended' },
    );
    const later = await listen(db, feed, owner, [events, { after: at(first, 'events.cursor') }]);
    expect((await next(later)).data).toMatchObject({
      events: {
        type: 'drive.started',
        data: { driveId: typeIdOf('Drive', drive.id) },
        vehiclePublicId: vehicle.publicId,
        sequence: 1,
      },
    });
    expect((await next(later)).data).toMatchObject({
      events: { type: 'drive.ended', sequence: 2 },
    });
    await later.return();
  });

  it('are those of the scopes that the token holds, and a type beyond them is refused', async () => {
    const caller = aPrincipal(account, { scopes: new Set<Scope>(['vehicles']) });
    const asked = listen(db, feed, caller, [events, { types: ['command.updated'] }]);
    expect(await refusal(asked)).toEqual(['INSUFFICIENT_SCOPE']);
    const answers = await listen(db, feed, caller, [events]);
    await next(answers);
    await happen(db.prisma, vehicle, { type: 'command.updated' }, { type: 'trip.updated' });
    expect(at((await next(answers)).data, 'events.type')).toBe('trip.updated');
    await answers.return();
  });

  it('refuse a type that does not exist and a cursor of another account, by name', async () => {
    const strange = await listen(db, feed, aPrincipal(await anAccount(db.prisma)), [events]);
    const after = at((await next(strange)).data, 'events.cursor');
    await strange.return();
    expect(await refusal(listen(db, feed, owner, [events, { after }]))).toEqual([
      'VALIDATION_FAILED',
    ]);
    expect(await refusal(listen(db, feed, owner, [events, { types: ['car.flown'] }]))).toEqual([
      'VALIDATION_FAILED',
    ]);
  });
});

describe('alerts', () => {
  const document =
    'subscription ($ids: [ID!]) { alerts(publicIds: $ids) { name clearedAt vehicle { publicId } } }';

  it('are told while they are open, then as they are raised and cleared, of the chosen vehicles alone', async () => {
    const other = await aVehicle(db.prisma, account);
    await anAlert(db.prisma, vehicle, 3);
    await anAlert(db.prisma, other, 1, { clearedAt: null });
    const open = await anAlert(db.prisma, vehicle, 2, { name: 'A', clearedAt: null });
    const answers = await listen(db, feed, owner, [document, { ids: [vehicle.publicId] }]);
    const { publicId } = vehicle;
    expect((await next(answers)).data).toEqual({
      alerts: { name: 'A', clearedAt: null, vehicle: { publicId } },
    });
    const raised = next(answers);
    const fresh = await anAlert(db.prisma, vehicle, 0, { name: 'B', clearedAt: null });
    const toldOf = (alertId: string) => ({ data: { alertId } });
    await happen(db.prisma, other, { type: 'alert.raised', ...toldOf(fresh.id) });
    await happen(db.prisma, vehicle, { type: 'alert.raised', ...toldOf(fresh.id) });
    expect(at((await raised).data, 'alerts.name')).toBe('B');
    const cleared = next(answers);
    await db.prisma.alert.update({ where: { id: open.id }, data: { clearedAt: new Date() } });
    await happen(db.prisma, vehicle, { type: 'alert.cleared', ...toldOf(open.id) });
    const { data } = await cleared;
    expect([at(data, 'alerts.name'), at(data, 'alerts.clearedAt')]).toEqual([
      'A',
      expect.any(String),
    ]);
    await answers.return();
  });
});

it('tells of a maker account as it is and as it changes', async () => {
  const linked = await aMakerAccount(db.prisma, account);
  const answers = await listen(db, feed, owner, [
    'subscription { makerAccountUpdated { status } }',
  ]);
  expect(at((await next(answers)).data, 'makerAccountUpdated.status')).toBe('ACTIVE');
  const told = next(answers);
  await db.prisma.makerAccount.update({
    where: { id: linked.id },
    data: { status: 'NEEDS_REAUTH' },
  });
  const data = { makerAccountId: linked.id };
  await happen(db.prisma, vehicle, { type: 'maker_account.status_changed', data });
  expect(at((await told).data, 'makerAccountUpdated.status')).toBe('NEEDS_REAUTH');
  await answers.return();
});

it('tells everybody of software that is detected', async () => {
  await aSoftwareUpdate(db.prisma, '2026.1.1', 5);
  const answers = await listen(db, feed, null, ['subscription { softwareDetected { version } }']);
  expect(at((await next(answers)).data, 'softwareDetected.version')).toBe('2026.1.1');
  const told = next(answers);
  await aSoftwareUpdate(db.prisma, '2026.2.1', 1);
  expect(at((await told).data, 'softwareDetected.version')).toBe('2026.2.1');
  await answers.return();
});

describe('every subscription', () => {
  const documents: [string, Scope[]][] = [
    ['subscription { vehicleUpdated { id } }', ['vehicles']],
    ['subscription { driveUpdated { id } }', ['vehicles']],
    ['subscription { chargeUpdated { id } }', ['vehicles']],
    ['subscription { alerts { id } }', ['vehicles']],
    ['subscription { vehicleCommands(publicId: "x") { id } }', ['vehicles', 'controls']],
    ['subscription { commandUpdated(id: "x") { id } }', ['vehicles', 'controls']],
    ['subscription { makerAccountUpdated { id } }', ['maker-accounts']],
    ['subscription { events { id } }', ['vehicles', 'controls', 'maker-accounts', 'account']],
  ];

  it.each(documents)('%s opens to its scopes and no other', async (document, opening) => {
    const scopes: Scope[] = ['account', 'maker-accounts', 'vehicles', 'controls', 'mcp:use'];
    for (const scope of scopes) {
      const caller = aPrincipal(account, { scopes: new Set([scope]) });
      const outcome = await listen(db, feed, caller, [document]).then(
        (answers) => answers.return().then(() => ['OPEN']),
        (thrown: unknown) => (thrown instanceof Refusal ? codes(thrown.result) : [thrown]),
      );
      const denied = outcome[0] === 'INSUFFICIENT_SCOPE';
      expect([scope, denied]).toEqual([scope, !opening.includes(scope)]);
    }
    expect(await refusal(listen(db, feed, null, [document]))).toEqual(['MISSING_TOKEN']);
  });

  it('passes the limits of every other door', async () => {
    const deep = `subscription { vehicleUpdated ${'{ makerAccount { id } drives { nodes { vehicle '.repeat(5)} { id } ${'} } }'.repeat(5)} }`;
    expect(await refusal(listen(db, feed, owner, [deep]))).toContain('INVALID_REQUEST');
    const costly =
      'subscription { vehicleUpdated { trips(first: 200) { nodes { drives(first: 200) { nodes { id } } } } } }';
    expect(await refusal(listen(db, feed, owner, [costly]))).toEqual(['QUERY_TOO_COSTLY']);
    expect(await refusal(listen(db, feed, owner, ['{ vehicles { totalCount } }']))).toEqual([
      'INVALID_REQUEST',
    ]);
  });
});
