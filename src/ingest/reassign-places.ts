import type { Clock } from '../base/clock.ts';
import { tagLimits } from '../contract/places.ts';
import { lockAccount } from '../store/audit.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { applyPlaceDefaults, writePlaceColumns } from '../store/place-columns.ts';
import {
  type PlaceStage,
  readPlaceWork,
  vehiclesWithPlaceWork,
  writePlaceWork,
} from '../store/place-work.ts';
import { inCommit } from './apply.ts';
import { tellCosts } from './cost-events.ts';
import { positionOf } from './geodesy.ts';
import { chargeWithPlace, driveWithPlaces } from './keep-places.ts';
import { type PlaceShape, placeAt } from './places.ts';
import { priceCharges } from './price-charges.ts';
import { readPlaces } from './read-places.ts';

/** Rows that one transaction looks at; a charge may be priced by its curve. */
const ROWS_PER_STEP = 500;
const CHARGES_PER_STEP = 50;

export type ReassignParts = { prisma: PrismaClient; clock: Clock };

type Columns = Record<string, string | null>;

/**
 * Looks at the next rows of a vehicle's history and gives them the places of now, all in one transaction with the note
 * of how far it came: a crash loses nothing and does nothing twice. False when nothing is left to do.
 */
export async function reassignStep(
  { prisma, clock }: ReassignParts,
  vehicleId: string,
): Promise<boolean> {
  return inCommit(prisma, vehicleId, async (tx) => {
    const vehicle = await tx.vehicle.findUnique({ where: { id: vehicleId } });
    if (vehicle === null) return false;
    const { accountId } = vehicle;
    // Whoever changes a place holds the account's row and then asks for more work.
    await lockAccount(tx, accountId);
    const work = await readPlaceWork(tx, vehicleId);
    if (work === null) return false;
    const places = await readPlaces(tx, accountId);
    const range = {
      where: { vehicleId, ...(work.afterId === null ? {} : { id: { gt: work.afterId } }) },
      orderBy: { id: 'asc' },
      take: work.stage === 'charge' ? CHARGES_PER_STEP : ROWS_PER_STEP,
    } as const;
    const { ids, lastId } = await reassignRows(tx, work.stage, { range, places });
    await writePlaceWork(tx, vehicleId, { stage: work.stage, afterId: lastId });
    if (work.stage === 'charge') {
      await tellCosts(tx, vehicle, await priceCharges(tx, vehicle, ids), clock());
    }
    return true;
  });
}

/**
 * Reassigns everything that is due, vehicle by vehicle, until it is done or the signal says to stop. A vehicle that fails
 * holds up no other; throws what failed once all had their turn.
 */
export async function reassignDue(parts: ReassignParts, signal: AbortSignal): Promise<number> {
  let steps = 0;
  const failures: unknown[] = [];
  for (const vehicleId of await vehiclesWithPlaceWork(parts.prisma)) {
    try {
      while (!signal.aborted && (await reassignStep(parts, vehicleId))) steps += 1;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `The history of ${failures.length} vehicles failed.`);
  }
  return steps;
}

type Range = {
  where: { vehicleId: string; id?: { gt: string } };
  orderBy: { id: 'asc' };
  take: number;
};

/** The ids of the rows, and that of the last one, or null when these were the last ones. */
async function reassignRows(
  tx: Prisma.TransactionClient,
  stage: PlaceStage,
  { range, places }: { range: Range; places: readonly PlaceShape[] },
): Promise<{ ids: string[]; lastId: string | null }> {
  const found = await readers[stage](tx, range, places);
  const changed = found.filter(({ before, after }) => isOther(before, after));
  await writePlaceColumns(
    tx,
    stage,
    changed.map(({ id, after }) => ({ id, ...after })),
  );
  if (stage === 'drive') {
    const ids = changed.map(({ id }) => id);
    await applyPlaceDefaults(tx, ids, tagLimits.count);
  }
  const lastId = found.length < range.take ? null : (found.at(-1)?.id ?? null);
  return { ids: found.map(({ id }) => id), lastId };
}

function isOther(before: Columns, after: Columns): boolean {
  return Object.entries(after).some(([name, value]) => before[name] !== value);
}

type Found = { id: string; before: Columns; after: Columns };

const readers: {
  [S in PlaceStage]: (
    tx: Prisma.TransactionClient,
    range: Range,
    places: readonly PlaceShape[],
  ) => Promise<Found[]>;
} = {
  drive: async (tx, range, places) =>
    (await tx.drive.findMany(range)).map((row) =>
      found(row.id, endColumns(row), endColumns(driveWithPlaces(row, places))),
    ),
  charge: async (tx, range, places) =>
    (await tx.charge.findMany(range)).map((row) =>
      found(row.id, chargeColumns(row), chargeColumns(chargeWithPlace(row, places))),
    ),
  parked_span: async (tx, range, places) =>
    (await tx.parkedSpan.findMany(range)).map(({ id, placeId, latitude, longitude }) => {
      const place = placeAt(places, positionOf(latitude, longitude));
      return found(id, { place_id: placeId }, { place_id: place?.id ?? null });
    }),
  trip: async (tx, range, places) =>
    (await tx.trip.findMany(range)).map((row) => {
      const ends = driveWithPlaces({ ...row, endedAt: row.startedAt }, places);
      return found(row.id, endColumns(row), endColumns(ends));
    }),
};

function found(id: string, before: Columns, after: Columns): Found {
  return { id, before, after };
}

function endColumns(row: { startPlaceId: string | null; endPlaceId: string | null }): Columns {
  return { start_place_id: row.startPlaceId, end_place_id: row.endPlaceId };
}

function chargeColumns({ placeId, network }: { placeId: string | null; network: string }): Columns {
  return { place_id: placeId, network };
}
