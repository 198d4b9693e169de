import type { Drive, HistoryEdit, Prisma } from '../store/generated/prisma/client.ts';
import type { Folded } from '../store/history.ts';
import { undoingOf } from '../store/history-edits.ts';
import { readSamples } from '../store/track.ts';
import { sumUpTrips } from '../store/trip-figures.ts';
import { mergedFigures, splitFigures } from './edit-figures.ts';
import { positionOf } from './geodesy.ts';
import { placeAt } from './places.ts';
import { readPlaces } from './read-places.ts';

/**
 * Brings what people made of drives to what the drives have become, after rows of the reducer were written: merged and
 * split drives are made of theirs anew, and trips that a person grouped summed up. What fell away is told of as it was.
 */
export async function reapplyEdits(
  tx: Prisma.TransactionClient,
  folded: Folded,
  gone: readonly Gone[] = [],
): Promise<void> {
  const driveIds = [...folded.drives.keys(), ...gone.map(({ id }) => id)];
  if (driveIds.length > 0) await remakeDrives(tx, driveIds);
  const left = gone.flatMap(({ edits }) => edits.tripId ?? []);
  await sumUpPinned(tx, [...folded.trips.keys(), ...left], driveIds);
}

/** A drive or charge that fell away, with the trip that it was of. */
type Gone = { id: string; edits: { tripId: string | null } };

async function remakeDrives(
  tx: Prisma.TransactionClient,
  driveIds: readonly string[],
): Promise<void> {
  const rows = await tx.drive.findMany({
    where: { id: { in: [...driveIds] }, replacedById: { not: null } },
    select: { replacedById: true },
  });
  let ids = [...new Set(rows.flatMap(({ replacedById }) => replacedById ?? []))];
  while (ids.length > 0) {
    const edits = await tx.historyEdit.findMany({
      where: { id: { in: ids }, undoneAt: null },
      orderBy: { ordinal: 'asc' },
    });
    const further: string[] = [];
    for (const edit of edits) further.push(...(await remake(tx, edit)));
    ids = [...new Set(further)];
  }
}

/** Makes the drives of an edit anew; the ids of edits that made something of those. */
async function remake(tx: Prisma.TransactionClient, edit: HistoryEdit): Promise<string[]> {
  const members = await tx.drive.findMany({
    where: { replacedById: edit.id, state: { not: 'DISCARDED' } },
    orderBy: { startedAt: 'asc' },
  });
  const made = await tx.drive.findMany({
    where: { madeById: edit.id },
    orderBy: { startedAt: 'asc' },
  });
  const figures = await figuresOf(tx, edit, members);
  for (const [index, row] of made.entries()) {
    const now = figures[index];
    if (now === undefined) {
      // What it was made of has turned out never to have been.
      const data = { state: 'DISCARDED', discardReason: 'superseded' } as const;
      await tx.drive.update({ where: { id: row.id }, data });
    } else {
      const data = row.tripPinned ? now : { ...now, tripId: commonTrip(members) };
      await tx.drive.update({ where: { id: row.id }, data });
    }
  }
  return made.flatMap(({ replacedById }) => replacedById ?? []);
}

/** The trip that all of these drives are of. */
function commonTrip([first, ...others]: readonly Drive[]): string | null {
  const id = first?.tripId ?? null;
  return others.every(({ tripId }) => tripId === id) ? id : null;
}

/** Figures of what an edit makes of drives, without what belongs to a row itself. */
export async function figuresOf(
  tx: Prisma.TransactionClient,
  edit: Pick<HistoryEdit, 'kind' | 'undoing'> & HistoryEdit,
  members: readonly Drive[],
): Promise<DriveFigures[]> {
  const { at } = undoingOf(edit);
  if (edit.kind === 'DRIVE_MERGE' || at === null) {
    const merged = mergedFigures(members.map(bare));
    return merged === null ? [] : [merged];
  }
  const [drive] = members;
  if (drive?.endedAt == null) return [];
  return (await halvesOf(tx, drive, at)) ?? [];
}

/** The two halves of a stored drive cut at `at` (epoch ms), each in the place of the cut; null where one has no sample. */
export async function halvesOf(
  tx: Prisma.TransactionClient,
  drive: Drive,
  at: number,
): Promise<[DriveFigures, DriveFigures] | null> {
  if (drive.endedAt === null) return null;
  const [from, to] = [drive.startedAt.getTime(), drive.endedAt.getTime()];
  const halves = splitFigures(bare(drive), await readSamples(tx, drive.vehicleId, from, to), at);
  if (halves === null) return null;
  const [first, second] = halves;
  const { accountId } = await tx.vehicle.findUniqueOrThrow({
    where: { id: drive.vehicleId },
    select: { accountId: true },
  });
  const cut = positionOf(first.endLatitude, first.endLongitude);
  const placeId = placeAt(await readPlaces(tx, accountId), cut)?.id ?? null;
  return [
    { ...first, endPlaceId: placeId },
    { ...second, startPlaceId: placeId },
  ];
}

export type DriveFigures = ReturnType<typeof bare>;

/** A drive without what a person put on it, and without its place among edits. */
export function bare(drive: Drive) {
  const {
    id: _id,
    tripId: _trip,
    tripPinned: _pinned,
    tags: _tags,
    purpose: _purpose,
    ...a
  } = drive;
  const { note: _note, driver: _driver, editedAt: _edited, deletedAt: _deleted, ...b } = a;
  const { createdAt: _created, updatedAt: _updated, placeDefaults: _defaults, ...c } = b;
  const { madeById: _made, replacedById: _replaced, ...figures } = c;
  return figures;
}

async function sumUpPinned(
  tx: Prisma.TransactionClient,
  tripIds: readonly string[],
  driveIds: readonly string[],
): Promise<void> {
  if (tripIds.length === 0 && driveIds.length === 0) return;
  const pinned = await tx.trip.findMany({
    where: {
      pinned: true,
      OR: [{ id: { in: [...tripIds] } }, { drives: { some: { id: { in: [...driveIds] } } } }],
    },
    select: { id: true },
  });
  await sumUpTrips(
    tx,
    pinned.map(({ id }) => id),
  );
}
