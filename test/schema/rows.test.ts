import { afterAll, beforeAll, expect, it } from 'vitest';
import { Prisma } from '../../src/store/generated/prisma/client.ts';
import { columnsOf, type KeysetSource, keysetRows } from '../../src/store/keyset.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import {
  aCharge,
  aCommand,
  aDrive,
  aMakerAccount,
  anAccount,
  anInstallation,
  aParkedSpan,
  aPlace,
  aSoftwareUpdate,
  aStateSpan,
  aTrip,
  aVehicle,
} from '../support/rows.ts';

describeEachEngine('rows of lists', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  it('equal what Prisma reads, value for value, in every table', async () => {
    const { prisma } = db;
    const account = await anAccount(prisma);
    const vehicle = await aVehicle(prisma, account, { capabilities: ['SENTRY'], keyPaired: true });
    const update = await aSoftwareUpdate(prisma, '2026.8.3', 4);
    const rows: [string, string, string, object | null][] = [
      ['vehicle', 'Vehicle', 'created_at', vehicle],
      [
        'drive',
        'Drive',
        'started_at',
        await aDrive(prisma, vehicle, 1, { costAmount: '1.2345', tags: ['a', 'b'] }),
      ],
      ['charge', 'Charge', 'started_at', await aCharge(prisma, vehicle, 1)],
      ['trip', 'Trip', 'started_at', await aTrip(prisma, vehicle, 1)],
      [
        'place',
        'Place',
        'created_at',
        await aPlace(prisma, account, {
          polygon: [
            [1, 2],
            [3, 4],
            [5, 6],
          ],
        }),
      ],
      ['state_span', 'StateSpan', 'started_at', await aStateSpan(prisma, vehicle, 1)],
      ['parked_span', 'ParkedSpan', 'started_at', await aParkedSpan(prisma, vehicle, 1)],
      [
        'software_installation',
        'SoftwareInstallation',
        'seen_at',
        await anInstallation(prisma, vehicle, update, 1),
      ],
      ['software_update', 'SoftwareUpdate', 'first_seen_at', update],
      ['maker_account', 'MakerAccount', 'created_at', await aMakerAccount(prisma, account)],
      [
        'command',
        'Command',
        'created_at',
        await aCommand(prisma, vehicle, 1, { parameters: { level: 3 } }),
      ],
    ];
    for (const [table, model, key, expected] of rows) {
      const source: KeysetSource = {
        from: Prisma.raw(table),
        columns: columnsOf(model),
        belongs: Prisma.sql`true`,
        key: {
          column: key,
          name: key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
        },
        id: { column: 'id', name: 'id', type: 'uuid' },
      };
      const pages = await keysetRows<object>(prisma, source, {
        parents: [''],
        where: [],
        newestFirst: true,
        after: null,
        before: null,
        limit: 1,
        fromEnd: false,
        count: false,
      });
      const {
        pageParent: _p,
        pageTotal: _t,
        pageRow: _r,
        ...row
      } = {
        pageParent: '',
        pageTotal: 0,
        pageRow: true,
        ...pages.get('')?.rows[0],
      };
      expect([table, row]).toEqual([table, expected]);
    }
  });
});
