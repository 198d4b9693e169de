import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/actions/manage-access.ts';
import { createIngestToken, revokeIngestToken } from '../../src/actions/manage-ingest.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { bearing, keyed, newAccount, newService, refusedFields } from './household.ts';

describe('an ingest token', () => {
  let db: ScratchDatabase;
  let accountId = '';
  let service: ReturnType<typeof newService>;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
    accountId = await newAccount(db.prisma);
    service = newService(db.prisma);
  });
  afterAll(() => db.close());

  const made = (more: { expiresInDays?: number } = {}) =>
    createIngestToken(service.access, { accountId, name: 'telemetry server', ...more });
  const enters = (token: string) => service.authenticator.authenticateIngest(bearing(token));

  it('opens /ingest, and nothing that a personal token opens', async () => {
    const { token } = await made();
    await expect(enters(token)).resolves.toBeUndefined();
    for (const allowsApiKey of [true, false]) {
      await expect(
        service.authenticator.authenticate(bearing(token), { allowsApiKey }),
      ).rejects.toMatchObject({ code: 'invalid_token' });
      await expect(
        service.authenticator.identify(keyed(token), { allowsApiKey: true }),
      ).rejects.toMatchObject({ code: 'invalid_token' });
    }
  });

  it('is kept as its hash alone', async () => {
    const { token } = await made();
    const rows = JSON.stringify(await db.prisma.ingestToken.findMany());
    expect(rows).not.toContain(token);
    expect(rows).toContain(token.slice(-4));
  });

  it('ends when its time is over and at once when it is revoked', async () => {
    const { token, id } = await made({ expiresInDays: 1 });
    await enters(token);
    expect(await revokeIngestToken(service.access, { id })).toEqual({ id, changed: true });
    await expect(enters(token)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await revokeIngestToken(service.access, { id })).toEqual({ id, changed: false });
    const short = await made({ expiresInDays: 1 });
    service.clock.at += DAY_MS;
    await expect(enters(short.token)).rejects.toMatchObject({ code: 'expired_token' });
  });

  it('is told of in the audit of the account that the operator named', async () => {
    const { id } = await made();
    await revokeIngestToken(service.access, { id });
    const entries = await db.prisma.auditEntry.findMany({ where: { accountId, object: id } });
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'ingest_token.create',
      'ingest_token.revoke',
    ]);
  });

  it('needs a name and a life of a year at most', async () => {
    const request = { accountId, name: ' ', expiresInDays: 400 };
    const work = createIngestToken(service.access, request);
    expect(await refusedFields(work)).toEqual(['expiresInDays', 'name']);
  });

  it('notes its last use', async () => {
    const { token, lastFour } = await made();
    await service.authenticator.authenticateIngest(bearing(token, '192.0.2.9'));
    await service.authenticator.settle();
    const row = await db.prisma.ingestToken.findFirst({ where: { lastFour } });
    expect(row).toMatchObject({ lastIp: '192.0.2.9', lastUsedAt: new Date(service.clock.at) });
  });

  it('is the only one: a personal token, none, and an api_key open nothing there', async () => {
    const request = { accountId, name: 'mine', scopes: ['vehicles', 'controls'], vehicleIds: null };
    const { token } = await createToken(service.access, request);
    await expect(enters(token)).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(
      service.authenticator.authenticateIngest({ authorization: [], apiKey: [], ip: null }),
    ).rejects.toMatchObject({ code: 'missing_token' });
    await expect(
      service.authenticator.authenticateIngest(keyed('odo_key_x')),
    ).rejects.toMatchObject({ code: 'bearer_required' });
  });
});
