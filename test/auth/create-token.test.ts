import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessContext } from '../../src/actions/access-context.ts';
import { createToken } from '../../src/actions/manage-access.ts';
import { hashOf } from '../../src/auth/token-format.ts';
import { newUuid, typeIdOf, uuidOf } from '../../src/base/ids.ts';
import { DAY_MS, MINUTE_MS } from '../../src/base/units.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { bearing, newAccount, newService, newVehicle, refusedFields } from './household.ts';

const bearerOnly = { allowsApiKey: false };

describeEachEngine('making access', (engine) => {
  let db: ScratchDatabase;

  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });

  afterAll(async () => {
    await db.close();
  });

  async function household() {
    const service = newService(db.prisma);
    const accountId = await newAccount(db.prisma);
    const request = { accountId, name: 'script', scopes: ['vehicles'], vehicleIds: null };
    return { ...service, accountId, request };
  }

  function auditOf(accountId: string) {
    return db.prisma.auditEntry.findMany({ where: { accountId }, orderBy: { position: 'asc' } });
  }

  describe('a new token', () => {
    it('is told once and kept as its hash and last four characters', async () => {
      const { access, request } = await household();
      const made = await createToken(access, request);
      const stored = await db.prisma.token.findFirst({
        where: { id: uuidOf('Token', made.id) ?? '' },
      });
      expect(stored).toMatchObject({ hash: hashOf(made.token), lastFour: made.token.slice(-4) });
      expect(JSON.stringify(stored)).not.toContain(made.token);
    });

    it('lives 90 days when nothing else is asked and as long as asked up to 366', async () => {
      const { access, request, clock } = await household();
      const usual = await createToken(access, request);
      expect(Date.parse(usual.expiresAt)).toBe(clock() + 90 * DAY_MS);
      for (const days of [1, 366]) {
        const made = await createToken(access, { ...request, expiresInDays: days });
        expect(Date.parse(made.expiresAt)).toBe(clock() + days * DAY_MS);
      }
    });

    it('is limited to the groups of commands that were asked for', async () => {
      const { access, request } = await household();
      const wish = { ...request, scopes: ['controls'], commandGroups: ['climate', 'doors'] };
      const made = await createToken(access, wish);
      expect(made.commandGroups).toEqual(['climate', 'doors']);
      expect((await createToken(access, request)).commandGroups).toBeNull();
    });

    it.each([
      ['an unknown group', { scopes: ['controls'], commandGroups: ['teleport'] }],
      ['no group', { scopes: ['controls'], commandGroups: [] }],
      ['groups without the scope controls', { commandGroups: ['climate'] }],
    ])('is refused %s', async (_what, wish) => {
      const { access, request } = await household();
      expect(await refusedFields(createToken(access, { ...request, ...wish }))).toEqual([
        'commandGroups',
      ]);
    });

    it.each([0, -1, 367, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
      'is refused a life of %d days',
      async (expiresInDays) => {
        const { access, request } = await household();
        expect(await refusedFields(createToken(access, { ...request, expiresInDays }))).toEqual([
          'expiresInDays',
        ]);
      },
    );

    it('is refused without a scope and with an unknown one', async () => {
      const { access, request } = await household();
      for (const wrong of [[], ['vehicles', 'Vehicles'], ['tesla-accounts'], ['__proto__']]) {
        const made = createToken(access, { ...request, scopes: wrong });
        expect(await refusedFields(made)).toEqual(['scopes']);
      }
    });

    it('holds each scope once, in the order of the specification', async () => {
      const { access, request } = await household();
      const made = await createToken(access, {
        ...request,
        scopes: ['controls', 'account', 'controls'],
      });
      expect(made.scopes).toEqual(['account', 'controls']);
    });

    it.each([
      ['', 'empty'],
      ['   ', 'blank'],
      ['x'.repeat(101), 'too long'],
      ['a\u0000b', 'with a control character'],
      ['a\ud800', 'with half a character'],
      ['demo', "the garage's own"],
    ])('is refused a name that is wrong: %j (%s)', async (name) => {
      const { access, request } = await household();
      expect(await refusedFields(createToken(access, { ...request, name }))).toEqual(['name']);
    });

    it('can be limited to vehicles by slug in any case, former slug or id', async () => {
      const { access, accountId, request } = await household();
      const [first, second, third] = [
        await newVehicle(db.prisma, accountId),
        await newVehicle(db.prisma, accountId),
        await newVehicle(db.prisma, accountId),
      ];
      const formerSlug = `former-${newUuid().slice(-8)}`;
      await db.prisma.vehicleSlug.create({ data: { slug: formerSlug, vehicleId: third.id } });
      const made = await createToken(access, {
        ...request,
        vehicleIds: [
          first.publicId.toUpperCase(),
          first.publicId,
          typeIdOf('Vehicle', second.id),
          formerSlug,
        ],
      });
      expect(made.vehicleIds).toEqual(
        [first, second, third].map(({ id }) => typeIdOf('Vehicle', id)),
      );
    });

    it("is refused an unknown vehicle and somebody else's in the same words", async () => {
      const { access, request } = await household();
      const stranger = await newVehicle(db.prisma, await newAccount(db.prisma));
      const names = ['no-such-car', stranger.publicId, typeIdOf('Vehicle', stranger.id)];
      for (const name of names) {
        await expect(createToken(access, { ...request, vehicleIds: [name] })).rejects.toMatchObject(
          {
            code: 'validation_failed',
            fields: { vehicleIds: [`No vehicle "${name}".`] },
          },
        );
      }
    });

    it('is refused a limit that names no vehicle, because that would open none or all', async () => {
      const { access, request } = await household();
      expect(await refusedFields(createToken(access, { ...request, vehicleIds: [] }))).toEqual([
        'vehicleIds',
      ]);
    });

    it('is refused with everything that is wrong at once, and nothing is stored', async () => {
      const { access, accountId } = await household();
      const made = createToken(access, {
        accountId,
        name: ' ',
        scopes: ['nothing'],
        vehicleIds: ['no-such-car'],
        expiresInDays: 0,
      });
      expect(await refusedFields(made)).toEqual(['expiresInDays', 'name', 'scopes', 'vehicleIds']);
      expect(await db.prisma.token.count({ where: { accountId } })).toBe(0);
      expect(await auditOf(accountId)).toEqual([]);
    });

    it('is not_found for an account that does not exist', async () => {
      const { access, request } = await household();
      await expect(createToken(access, { ...request, accountId: newUuid() })).rejects.toMatchObject(
        {
          code: 'not_found',
        },
      );
    });

    it('opens nothing that the credential which makes it does not', async () => {
      const { access, authenticator, accountId, request, clock } = await household();
      const mine = await newVehicle(db.prisma, accountId);
      const other = await newVehicle(db.prisma, accountId);
      const parent = await createToken(access, {
        ...request,
        scopes: ['account', 'vehicles'],
        vehicleIds: [mine.publicId],
        locationPrecision: 'APPROXIMATE',
        expiresInDays: 10,
      });
      const holder = await authenticator.authenticate(bearing(parent.token), bearerOnly);
      const bound: AccessContext = { ...access, actor: parent.id, holder };
      const within = {
        ...request,
        vehicleIds: [mine.publicId],
        locationPrecision: 'APPROXIMATE',
        expiresInDays: 10,
      } as const;
      expect((await createToken(bound, within)).scopes).toEqual(['vehicles']);
      clock.at += MINUTE_MS;
      const less = { ...within, expiresInDays: 9 };
      const asked = [
        [{ ...less, scopes: ['vehicles', 'controls'] }, 'scopes'],
        [{ ...less, vehicleIds: null }, 'vehicleIds'],
        [{ ...less, vehicleIds: [other.publicId] }, 'vehicleIds'],
        [{ ...less, locationPrecision: undefined }, 'locationPrecision'],
        [within, 'expiresInDays'],
      ] as const;
      for (const [wanted, field] of asked) {
        expect(await refusedFields(createToken(bound, wanted))).toEqual([field]);
      }
    });
  });
});
