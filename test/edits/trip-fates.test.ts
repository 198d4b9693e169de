import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/ids.ts';
import type { Vehicle } from '../../src/store/generated/prisma/client.ts';
import { sumUpTrips } from '../../src/store/trip-figures.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aDrive, anAccount, aTrip, aVehicle, now } from '../support/rows.ts';

let db: ScratchDatabase;
let vehicle: Vehicle;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
  vehicle = await aVehicle(db.prisma, await anAccount(db.prisma));
});
afterAll(() => db?.close());

type Edit = { kind: string; part?: 'first' | 'other'; undone?: boolean };
const merged: Edit = { kind: 'TRIP_MERGE', part: 'first' };
const swallowed: Edit = { kind: 'TRIP_MERGE', part: 'other' };
const undone = (edit: Edit): Edit => ({ ...edit, undone: true });
const emptied: Edit = { kind: 'DRIVE_DELETE' };

/** What people did to a trip that is hidden, and whether its next drive brings it back. */
const fates: [what: string, edits: Edit[], back: boolean][] = [
  ['nothing', [], true],
  ['deleted all its drives', [emptied], true],
  ['moved its drives to another trip', [{ kind: 'TRIP_SPLIT' }, { kind: 'TRIP_CREATE' }], true],
  ['ungrouped it', [{ kind: 'TRIP_DELETE' }], false],
  ['ungrouped it and took that back', [undone({ kind: 'TRIP_DELETE' })], true],
  ['made it part of another', [swallowed], false],
  ['made it part of another and took that back', [undone(swallowed)], true],
  ['made another part of it, then deleted all its drives', [merged, emptied], true],
  ['made another part of it, then it part of a third', [merged, swallowed], false],
  [
    'made it part of another, took that back, made another part of it',
    [undone(swallowed), merged, emptied],
    true,
  ],
  ['made another part of it, and then ungrouped it', [merged, { kind: 'TRIP_DELETE' }], false],
];

describe('a trip', () => {
  it.each(fates)(
    'that is hidden after somebody %s is back with its next drive only where it should be',
    async (_what, edits, back) => {
      const trip = await aTrip(db.prisma, vehicle, 2, { deletedAt: new Date(now), pinned: true });
      for (const { kind, part = 'first', undone: isUndone = false } of edits) {
        const subjects = part === 'first' ? [trip.id, newUuid()] : [newUuid(), trip.id];
        await db.prisma.historyEdit.create({
          data: {
            ...{ id: newUuid(), vehicleId: vehicle.id, kind, subjects, undoing: {} },
            ...{
              actor: 'test',
              createdAt: new Date(now),
              undoneAt: isUndone ? new Date(now) : null,
            },
          },
        });
      }
      await aDrive(db.prisma, vehicle, 2, { tripId: trip.id });
      await sumUpTrips(db.prisma, [trip.id]);
      const { deletedAt } = await db.prisma.trip.findUniqueOrThrow({ where: { id: trip.id } });
      expect(deletedAt === null).toBe(back);
    },
  );

  it('without a drive that counts is hidden, with the figures that it had', async () => {
    const trip = await aTrip(db.prisma, vehicle, 2, { pinned: true });
    await aDrive(db.prisma, vehicle, 2, { tripId: trip.id, deletedAt: new Date(now) });
    await aDrive(db.prisma, vehicle, 2, { tripId: trip.id, state: 'DISCARDED' });
    await sumUpTrips(db.prisma, [trip.id]);
    const after = await db.prisma.trip.findUniqueOrThrow({ where: { id: trip.id } });
    expect(after).toMatchObject({ distanceKm: trip.distanceKm, deletedAt: expect.any(Date) });
  });
});
