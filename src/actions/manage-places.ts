import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf, uuidOf } from '../base/ids.ts';
import { placeLimits } from '../contract/places.ts';
import { shapeOf } from '../ingest/read-places.ts';
import { type AuditFact, audited } from '../store/audit.ts';
import { type Place, Prisma } from '../store/generated/prisma/client.ts';
import { lockVehicles } from '../store/maker-vehicles.ts';
import { requestPlaceWork } from '../store/place-work.ts';
import { type AccountCall, factOf } from './account-call.ts';
import { requireExactPositions } from './exact-positions.ts';
import { type NewPlace, type PlaceChanges, readNewPlace, readPlaceChanges } from './place-input.ts';

/**
 * Makes a place; what happened there before is given to it in the background. Throws `validation_failed` with what is
 * wrong with each field, and where the account has all the places it may have.
 */
export async function createPlace(call: AccountCall, input: unknown): Promise<Place> {
  const wanted = readNewPlace(input);
  const [place] = await addPlaces(call, {
    choose: async () => [wanted],
    factFor: ([first]) =>
      factOf(call, 'place.create', first === undefined ? null : typeIdOf('Place', first.id)),
  });
  if (place === undefined) throw new Error('No place was made.');
  return place;
}

/** Which places to make, chosen while nobody else changes the account, and what the audit says of those made. */
type Addition = {
  choose: (tx: Prisma.TransactionClient) => Promise<readonly NewPlace[]>;
  factFor: (made: readonly Place[]) => AuditFact;
};

/**
 * Makes places, all or none of them. Throws `validation_failed` where the account would have too many, and like
 * `requireExactPositions`, before anything is chosen.
 */
export async function addPlaces(
  call: AccountCall,
  { choose, factFor }: Addition,
): Promise<Place[]> {
  const { prisma, clock, principal } = call;
  const { accountId } = principal;
  return audited(prisma, accountId, async (tx) => {
    await requireExactPositions(tx, principal);
    const places = await choose(tx);
    if (places.length === 0) return { result: [], facts: [] };
    const count = await tx.place.count({ where: { accountId } });
    if (count + places.length > placeLimits.count) {
      const message = `An account has at most ${placeLimits.count} places.`;
      throw new ServiceError('validation_failed', message);
    }
    const createdAt = new Date(clock());
    const made = await tx.place.createManyAndReturn({
      data: await Promise.all(
        places.map(async (place) => ({
          ...(await columnsOf(tx, accountId, place)),
          id: newUuid(),
          accountId,
          createdAt,
        })),
      ),
    });
    await requestPlaceWork(tx, accountId, 'drive');
    return { result: made, facts: [factFor(made)] };
  });
}

/** Changes a place; what the input does not name stays. Throws `not_found`, `validation_failed` and `setting_forbids`. */
export async function updatePlace(call: AccountCall, id: string, input: unknown): Promise<Place> {
  const { prisma, principal } = call;
  const { accountId } = principal;
  return audited(prisma, accountId, async (tx) => {
    await requireExactPositions(tx, principal);
    const before = await ownPlace(tx, accountId, id);
    const changes = readPlaceChanges(input, shapeOf(before));
    const data = await columnsOf(tx, accountId, changes);
    const result = await tx.place.update({ where: { id: before.id }, data });
    if (movesHistory(changes)) await requestPlaceWork(tx, accountId, 'drive');
    else if (changes.tariffId !== undefined) await requestPlaceWork(tx, accountId, 'charge');
    const fields = Object.keys(changes);
    return { result, facts: [factOf(call, 'place.update', id, { fields })] };
  });
}

/** What is left of a place that was removed. */
export type RemovedPlace = { id: string; name: string };

/** Removes a place; what happened there stays, and falls to a place around it. Throws `not_found` and `setting_forbids`. */
export async function deletePlace(call: AccountCall, id: string): Promise<RemovedPlace> {
  const { prisma, principal } = call;
  const { accountId } = principal;
  return audited(
    prisma,
    accountId,
    async (tx) => {
      await requireExactPositions(tx, principal);
      const { id: uuid, name } = await ownPlace(tx, accountId, id);
      await tx.place.delete({ where: { id: uuid } });
      await requestPlaceWork(tx, accountId, 'drive');
      return { result: { id, name }, facts: [factOf(call, 'place.delete', id)] };
    },
    // Ingest must not write a row that names it meanwhile.
    (tx) => lockVehicles(tx, { accountId }),
  );
}

/** Whether changes may move rows of the past into or out of the place, or what is known of them. */
function movesHistory(changes: PlaceChanges): boolean {
  const { latitude, kind, autoTags, purposeDefault } = changes;
  return [latitude, kind, autoTags, purposeDefault].some((one) => one !== undefined);
}

async function ownPlace(
  tx: Prisma.TransactionClient,
  accountId: string,
  id: string,
): Promise<Place> {
  const uuid = uuidOf('Place', id);
  const place = uuid && (await tx.place.findFirst({ where: { id: uuid, accountId } }));
  if (!place) throw new ServiceError('not_found', 'There is no such place.');
  return place;
}

/** JSON takes null by a word of its own, and a tariff its stored id. */
async function columnsOf<C extends PlaceChanges>(
  tx: Prisma.TransactionClient,
  accountId: string,
  { polygon, tariffId, ...plain }: C,
) {
  return {
    ...plain,
    ...(polygon === undefined
      ? {}
      : { polygon: polygon === null ? Prisma.DbNull : polygon.map(([x, y]) => [x, y]) }),
    ...(tariffId === undefined ? {} : { tariffId: await storedTariffId(tx, accountId, tariffId) }),
  };
}

async function storedTariffId(
  tx: Prisma.TransactionClient,
  accountId: string,
  id: string | null,
): Promise<string | null> {
  if (id === null) return null;
  const uuid = uuidOf('Tariff', id);
  const tariff = uuid && (await tx.tariff.findFirst({ where: { id: uuid, accountId } }));
  if (tariff) return tariff.id;
  const sentence = 'There is no such tariff.';
  throw new ServiceError('validation_failed', sentence, { fields: { tariffId: [sentence] } });
}
