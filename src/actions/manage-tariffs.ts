import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf, uuidOf } from '../base/ids.ts';
import { tariffLimits } from '../contract/tariffs.ts';
import { audited } from '../store/audit.ts';
import type { Prisma, Tariff } from '../store/generated/prisma/client.ts';
import { lockVehicles } from '../store/maker-vehicles.ts';
import { requestPlaceWork } from '../store/place-work.ts';
import { type AccountCall, factOf } from './account-call.ts';
import { requireExactPositions } from './exact-positions.ts';
import { readNewTariff, readTariffChanges, type TariffChanges } from './tariff-input.ts';

/** Makes a tariff; charges it holds for get their cost in the background. Throws `validation_failed` and `setting_forbids`. */
export async function createTariff(call: AccountCall, input: unknown): Promise<Tariff> {
  const given = readNewTariff(input);
  const { prisma, clock, principal } = call;
  const { accountId } = principal;
  return audited(prisma, accountId, async (tx) => {
    await requireExactPositions(tx, principal);
    if ((await tx.tariff.count({ where: { accountId } })) >= tariffLimits.count) {
      const message = `An account has at most ${tariffLimits.count} tariffs.`;
      throw new ServiceError('validation_failed', message);
    }
    const account = await tx.account.findUniqueOrThrow({ where: { id: accountId } });
    const result = await tx.tariff.create({
      data: {
        id: newUuid(),
        accountId,
        timezone: account.timezone,
        rules: [],
        createdAt: new Date(clock()),
        ...(await columnsOf(tx, accountId, given)),
        name: given.name,
        currency: given.currency,
        defaultRate: given.defaultRate,
      },
    });
    checkValidity(result);
    await requestPlaceWork(tx, accountId, 'charge');
    return { result, facts: [factOf(call, 'tariff.create', typeIdOf('Tariff', result.id))] };
  });
}

/** Changes a tariff; what the input does not name stays. Throws `not_found`, `validation_failed` and `setting_forbids`. */
export async function updateTariff(call: AccountCall, id: string, input: unknown): Promise<Tariff> {
  const given = readTariffChanges(input);
  const { accountId } = call.principal;
  return audited(call.prisma, accountId, async (tx) => {
    await requireExactPositions(tx, call.principal);
    const before = await ownTariff(tx, accountId, id);
    const data = await columnsOf(tx, accountId, given);
    const result = await tx.tariff.update({ where: { id: before.id }, data });
    checkValidity(result);
    await requestPlaceWork(tx, accountId, 'charge');
    const details = { fields: Object.keys(given) };
    return { result, facts: [factOf(call, 'tariff.update', id, details)] };
  });
}

/** What is left of a tariff that was removed. */
export type RemovedTariff = { id: string; name: string };

/** Removes a tariff; charges it priced lose their cost, or get another tariff's. Throws `not_found` and `setting_forbids`. */
export async function deleteTariff(call: AccountCall, id: string): Promise<RemovedTariff> {
  const { accountId } = call.principal;
  return audited(
    call.prisma,
    accountId,
    async (tx) => {
      await requireExactPositions(tx, call.principal);
      const { id: uuid, name } = await ownTariff(tx, accountId, id);
      await tx.tariff.delete({ where: { id: uuid } });
      await requestPlaceWork(tx, accountId, 'charge');
      return { result: { id, name }, facts: [factOf(call, 'tariff.delete', id)] };
    },
    // Ingest must not price a charge by it meanwhile.
    (tx) => lockVehicles(tx, { accountId }),
  );
}

/** The caller's tariff with a public id. Throws `not_found`. */
export async function ownTariff(
  tx: Prisma.TransactionClient,
  accountId: string,
  id: string,
): Promise<Tariff> {
  const uuid = uuidOf('Tariff', id);
  const tariff = uuid && (await tx.tariff.findFirst({ where: { id: uuid, accountId } }));
  if (!tariff) throw new ServiceError('not_found', 'There is no such tariff.');
  return tariff;
}

async function columnsOf(
  tx: Prisma.TransactionClient,
  accountId: string,
  { placeId, rules, ...plain }: TariffChanges,
) {
  return {
    ...plain,
    ...(rules === undefined ? {} : { rules: JSON.parse(JSON.stringify(rules)) }),
    ...(placeId === undefined ? {} : { placeId: await storedPlaceId(tx, accountId, placeId) }),
  };
}

async function storedPlaceId(
  tx: Prisma.TransactionClient,
  accountId: string,
  id: string | null,
): Promise<string | null> {
  if (id === null) return null;
  const uuid = uuidOf('Place', id);
  const place = uuid && (await tx.place.findFirst({ where: { id: uuid, accountId } }));
  if (place) return place.id;
  const sentence = 'There is no such place.';
  throw new ServiceError('validation_failed', sentence, { fields: { placeId: [sentence] } });
}

function checkValidity({ validFrom, validTo }: Tariff): void {
  if (validFrom === null || validTo === null || validFrom < validTo) return;
  const sentence = 'It must end after it begins.';
  throw new ServiceError('validation_failed', sentence, { fields: { validTo: [sentence] } });
}
