import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createApiKey,
  createToken,
  revokeApiKey,
  revokeToken,
} from '../../src/actions/manage-access.ts';
import { mintSecret } from '../../src/auth/token-format.ts';
import { uuidOf } from '../../src/base/ids.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { bearing, keyed, newAccount, newService, newVehicle } from './household.ts';

const bearerOnly = { allowsApiKey: false };
const older = { allowsApiKey: true };
const nothing = { authorization: [], apiKey: [], ip: null };

describeEachEngine('who is calling', (engine) => {
  let db: ScratchDatabase;

  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });

  afterAll(async () => {
    await db.close();
  });

  async function newToken(apiKeys?: boolean) {
    const service = newService(db.prisma, apiKeys);
    const accountId = await newAccount(db.prisma);
    const request = { accountId, name: 'script', scopes: ['vehicles'], vehicleIds: null };
    const token = await createToken(service.access, request);
    return { ...service, accountId, request, token };
  }

  describe('with a token', () => {
    it('is the account of the token, with its scopes, vehicles, precision and end', async () => {
      const { access, authenticator, accountId, clock } = await newToken();
      const vehicle = await newVehicle(db.prisma, accountId);
      const token = await createToken(access, {
        accountId,
        name: 'narrow',
        scopes: ['mcp:use', 'vehicles'],
        vehicleIds: [vehicle.publicId],
        expiresInDays: 2,
        locationPrecision: 'HIDDEN',
      });
      expect(await authenticator.authenticate(bearing(token.token), bearerOnly)).toEqual({
        accountId,
        vehicleIds: [vehicle.id],
        credential: { kind: 'TOKEN', id: uuidOf('Token', token.id), name: 'narrow' },
        scopes: new Set(['vehicles', 'mcp:use']),
        locationPrecision: 'HIDDEN',
        commandGroups: null,
        expiresAt: clock() + 2 * DAY_MS,
      });
    });

    it('opens every vehicle and exact positions when the token is not limited', async () => {
      const { authenticator, token } = await newToken();
      const principal = await authenticator.authenticate(bearing(token.token), bearerOnly);
      expect([principal.vehicleIds, principal.locationPrecision]).toEqual([null, 'EXACT']);
    });

    it('is missing_token without a credential, and nobody on a public route', async () => {
      const { authenticator } = newService(db.prisma);
      await expect(authenticator.authenticate(nothing, bearerOnly)).rejects.toMatchObject({
        code: 'missing_token',
      });
      expect(await authenticator.identify(nothing, bearerOnly)).toBeNull();
    });

    it('is invalid_token for one that nobody has, on a public route too', async () => {
      const { authenticator } = newService(db.prisma);
      const stranger = bearing(mintSecret('TOKEN').secret);
      for (const ask of [authenticator.authenticate, authenticator.identify]) {
        await expect(ask(stranger, bearerOnly)).rejects.toMatchObject({ code: 'invalid_token' });
      }
    });

    it('is refused by its checksum without asking the database', async () => {
      const { authenticator, token } = await newToken();
      const last = token.token.endsWith('0') ? '1' : '0';
      db.statements.length = 0;
      await expect(
        authenticator.authenticate(bearing(token.token.slice(0, -1) + last), bearerOnly),
      ).rejects.toMatchObject({ code: 'invalid_token' });
      expect(db.statements).toEqual([]);
    });

    it('opens until its very end and is expired_token from then on', async () => {
      const { authenticator, token, clock } = await newToken();
      const endsAt = Date.parse(token.expiresAt);
      clock.at = endsAt - 1;
      await authenticator.authenticate(bearing(token.token), bearerOnly);
      for (const at of [endsAt, endsAt + 1, endsAt + 400 * DAY_MS]) {
        clock.at = at;
        await expect(
          authenticator.authenticate(bearing(token.token), bearerOnly),
        ).rejects.toMatchObject({ code: 'expired_token' });
      }
    });

    it('is invalid_token at once after it was revoked, also when it was just used', async () => {
      const { access, authenticator, token } = await newToken();
      await authenticator.authenticate(bearing(token.token), bearerOnly);
      await revokeToken(access, { id: token.id, accountId: null });
      await expect(
        authenticator.authenticate(bearing(token.token), bearerOnly),
      ).rejects.toMatchObject({ code: 'invalid_token' });
    });

    it('is invalid_token within half a second of a revocation by another process', async () => {
      const { access, authenticator, token, clock } = await newToken();
      await authenticator.authenticate(bearing(token.token), bearerOnly);
      const elsewhere = { ...access, forget: () => {} };
      await revokeToken(elsewhere, { id: token.id, accountId: null });
      clock.at += 500;
      await expect(
        authenticator.authenticate(bearing(token.token), bearerOnly),
      ).rejects.toMatchObject({ code: 'invalid_token' });
    });

    it('asks the database once for a burst of requests', async () => {
      const { authenticator, token } = await newToken();
      await authenticator.authenticate(bearing(token.token), bearerOnly);
      await authenticator.settle();
      db.statements.length = 0;
      for (let index = 0; index < 20; index += 1) {
        await authenticator.authenticate(bearing(token.token), bearerOnly);
      }
      expect(db.statements).toEqual([]);
    });
  });

  describe('with an API key', () => {
    async function newKey(controls: boolean, apiKeys = true) {
      const service = newService(db.prisma, apiKeys);
      const accountId = await newAccount(db.prisma);
      const key = await createApiKey(service.access, { accountId, controls });
      return { ...service, accountId, key };
    }

    it('opens vehicles, and controls only when it was issued so', async () => {
      for (const controls of [false, true]) {
        const { authenticator, accountId, key } = await newKey(controls);
        const principal = await authenticator.authenticate(keyed(key.apiKey), older);
        expect(principal).toMatchObject({
          accountId,
          vehicleIds: null,
          credential: { kind: 'API_KEY' },
        });
        expect([...principal.scopes]).toEqual(controls ? ['vehicles', 'controls'] : ['vehicles']);
      }
    });

    it('is bearer_required on a route that takes none, though it is valid', async () => {
      const { authenticator, key } = await newKey(true);
      await expect(authenticator.authenticate(keyed(key.apiKey), bearerOnly)).rejects.toMatchObject(
        { code: 'bearer_required', status: 401 },
      );
    });

    it('is a 401 everywhere on an instance that takes none', async () => {
      const { authenticator, key } = await newKey(true, false);
      for (const route of [older, bearerOnly]) {
        await expect(authenticator.authenticate(keyed(key.apiKey), route)).rejects.toMatchObject({
          status: 401,
        });
      }
    });

    it('is refused as a bearer token', async () => {
      const { authenticator, key } = await newKey(true);
      await expect(authenticator.authenticate(bearing(key.apiKey), older)).rejects.toMatchObject({
        code: 'invalid_token',
      });
    });

    it('is invalid_token once revoked and expired_token once over', async () => {
      const { access, authenticator, key, clock } = await newKey(false);
      await authenticator.authenticate(keyed(key.apiKey), older);
      clock.at = Date.parse(key.expiresAt);
      await expect(authenticator.authenticate(keyed(key.apiKey), older)).rejects.toMatchObject({
        code: 'expired_token',
      });
      await revokeApiKey(access, { id: key.id, accountId: null });
      await expect(authenticator.authenticate(keyed(key.apiKey), older)).rejects.toMatchObject({
        code: 'invalid_token',
      });
    });

    it('has its last use noted', async () => {
      const { authenticator, key, clock } = await newKey(false);
      await authenticator.authenticate(keyed(key.apiKey), older);
      await authenticator.settle();
      const stored = await db.prisma.apiKey.findFirst({
        where: { id: uuidOf('ApiKey', key.id) ?? '' },
      });
      expect(stored?.lastUsedAt?.getTime()).toBe(clock());
    });
  });
});
