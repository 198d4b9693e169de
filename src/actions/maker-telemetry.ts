import { readFile } from 'node:fs/promises';
import { ServiceError } from '../base/errors.ts';
import { typeIdOf, uuidOf } from '../base/ids.ts';
import { SECOND_MS } from '../base/units.ts';
import { type TelemetryWord, telemetryNext } from '../contract/telemetry-standing.ts';
import type { Answer } from '../maker/answer.ts';
import type { MakerApi } from '../maker/api.ts';
import type { TelemetryTarget } from '../maker/connector.ts';
import { skippedVehicles, telemetryStanding } from '../maker/telemetry-answers.ts';
import { telemetryWish } from '../maker/telemetry-wish.ts';
import { audited } from '../store/audit.ts';
import type { MakerAccount, Vehicle } from '../store/generated/prisma/client.ts';
import { ownMakerAccount } from '../store/maker-accounts.ts';
import { vehicleIdsByName } from '../store/vehicle-names.ts';
import { askMaker } from './ask-maker.ts';
import { registeredMaker } from './maker-application.ts';
import { actorOf, type MakerCall } from './maker-door.ts';

/** How a followed vehicle stands with the telemetry that it is asked for. */
export type VehicleTelemetry = {
  publicId: string;
  vin: string;
  status: TelemetryWord;
  /** Why it was skipped or does not stream, in the maker's word; null without one. */
  reason: string | null;
  next: string | null;
  expiresAt: Date | null;
  checkedAt: Date;
};

/** Which vehicles of which maker account; null for all that are followed through it. */
export type TelemetryChoice = { makerAccountId: string; vehicles: readonly string[] | null };

/** Vehicles told in one request, and asked for at once. */
const TOLD_AT_ONCE = 100;
const ASKED_AT_ONCE = 5;

/**
 * Tells vehicles what to stream, through the maker's signing proxy; which of them the maker skipped stands in the answer.
 * Throws `setting_forbids` where no proxy or telemetry server is set, `not_found`, and the maker words.
 */
export async function tellTelemetry(
  call: MakerCall,
  choice: TelemetryChoice,
): Promise<VehicleTelemetry[]> {
  const row = await ownRow(call, choice.makerAccountId);
  const { target, proxyUrl } = targetOf(call, row);
  const vehicles = await chosen(call, row, choice.vehicles);
  const now = call.clock();
  const config = telemetryWish(target, await certificates(target), now);
  const expiresAt = config.exp * SECOND_MS;
  const told: VehicleTelemetry[] = [];
  for (let from = 0; from < vehicles.length; from += TOLD_AT_ONCE) {
    const some = vehicles.slice(from, from + TOLD_AT_ONCE);
    const vins = some.map(({ vin }) => vin);
    const through = { ...call, through: proxyUrl };
    const answer = await askMaker(through, row, (api) => api.tellTelemetry({ vins, config }));
    const skipped = skippedVehicles(answer);
    for (const vehicle of some) {
      const reason = skipped.get(vehicle.vin) ?? null;
      const found =
        reason === null
          ? ({ status: 'PENDING', reason, expiresAt } as const)
          : ({ status: 'SKIPPED', reason, expiresAt: null } as const);
      told.push(await noted(call, vehicle, found));
    }
  }
  await recorded(call, row, 'maker_account.tell_telemetry', vehicles);
  return told;
}

/** Tells vehicles to stream no longer. Throws `not_found` and the maker words; those told before it stay told. */
export async function endTelemetry(
  call: MakerCall,
  choice: TelemetryChoice,
): Promise<VehicleTelemetry[]> {
  const row = await ownRow(call, choice.makerAccountId);
  const vehicles = await chosen(call, row, choice.vehicles);
  const told: VehicleTelemetry[] = [];
  for (const vehicle of vehicles) {
    await askMaker(call, row, (api) => nothingThere(api.endTelemetry(vehicle.vin)));
    const found = { status: 'NOT_CONFIGURED', reason: null, expiresAt: null } as const;
    told.push(await noted(call, vehicle, found));
  }
  await recorded(call, row, 'maker_account.end_telemetry', vehicles);
  return told;
}

/** How the followed vehicles of a maker account stand now; one of which the maker does not say it is `FAILED`. */
export async function telemetryAt(call: MakerCall, row: MakerAccount): Promise<VehicleTelemetry[]> {
  const { target } = targetOf(call, row);
  const vehicles = await chosen(call, row, null);
  const standings: VehicleTelemetry[] = [];
  for (let from = 0; from < vehicles.length; from += ASKED_AT_ONCE) {
    const some = vehicles.slice(from, from + ASKED_AT_ONCE);
    standings.push(
      ...(await Promise.all(
        some.map(async (vehicle) =>
          noted(call, vehicle, await standingOf(call, row, { vin: vehicle.vin, target })),
        ),
      )),
    );
  }
  return standings;
}

type Found = { status: TelemetryWord; reason: string | null; expiresAt: number | null };

async function standingOf(
  call: MakerCall,
  row: MakerAccount,
  { vin, target }: { vin: string; target: TelemetryTarget },
): Promise<Found> {
  try {
    const answer = await askMaker(call, row, (api: MakerApi) => nothingThere(api.telemetry(vin)));
    return telemetryStanding(answer, target);
  } catch (error) {
    // One vehicle that fails does not hide the others; what stands against all of them does.
    if (!(error instanceof ServiceError) || error.code === 'relink_required') throw error;
    return { status: 'FAILED', reason: error.code, expiresAt: null };
  }
}

/** A maker that knows of no configuration answers that nothing is found. */
async function nothingThere(asked: Promise<Answer<unknown>>): Promise<Answer<unknown>> {
  const answer = await asked;
  return answer.kind === 'not_found' ? { kind: 'ok', status: 404, value: null } : answer;
}

function ownRow({ prisma, principal }: MakerCall, id: string): Promise<MakerAccount> {
  return ownMakerAccount(prisma, principal.accountId, uuidOf('MakerAccount', id));
}

function targetOf({ door }: MakerCall, { maker }: MakerAccount) {
  const connector = registeredMaker(door);
  const application = connector?.maker === maker ? connector.application : null;
  const target = application?.telemetry ?? null;
  const proxyUrl = application?.proxyUrl ?? null;
  if (target !== null && proxyUrl !== null) return { target, proxyUrl };
  const missing =
    target === null
      ? 'ODOGRAPH_TELEMETRY_HOST and ODOGRAPH_TELEMETRY_CA_FILE'
      : 'ODOGRAPH_COMMAND_PROXY_URL';
  throw new ServiceError(
    'setting_forbids',
    `Vehicles of this account cannot be told to stream: the operator sets ${missing}.`,
  );
}

async function certificates({ caFile }: TelemetryTarget): Promise<string> {
  const text = await readFile(caFile, 'utf8').catch((cause: unknown) => {
    const message = 'The file of ODOGRAPH_TELEMETRY_CA_FILE cannot be read.';
    throw new ServiceError('setting_forbids', message, { cause });
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  const message = 'The file of ODOGRAPH_TELEMETRY_CA_FILE holds no certificate.';
  throw new ServiceError('setting_forbids', message);
}

/** The followed vehicles that are meant, of those that the token is for. Throws `not_found` for another name. */
async function chosen(
  { prisma, principal }: MakerCall,
  { id }: MakerAccount,
  names: readonly string[] | null,
): Promise<Vehicle[]> {
  const { vehicleIds } = principal;
  const vehicles = await prisma.vehicle.findMany({
    where: {
      makerAccountId: id,
      archivedAt: null,
      ...(vehicleIds === null ? {} : { id: { in: [...vehicleIds] } }),
    },
    orderBy: { createdAt: 'asc' },
  });
  if (names === null) return vehicles;
  const ids = await vehicleIdsByName(prisma, principal, names);
  const isNamed = (vehicle: Vehicle, name: string) =>
    ids.get(name) === vehicle.id || name === vehicle.vin;
  const unknown = names.find((name) => !vehicles.some((vehicle) => isNamed(vehicle, name)));
  if (unknown !== undefined) throw new ServiceError('not_found', 'No vehicle is found here.');
  return vehicles.filter((vehicle) => names.some((name) => isNamed(vehicle, name)));
}

/** Stores how a vehicle stands, and tells it. */
async function noted(
  { prisma, clock }: MakerCall,
  { id, publicId, vin }: Vehicle,
  { status, reason, expiresAt: until }: Found,
): Promise<VehicleTelemetry> {
  const checkedAt = new Date(clock());
  const expiresAt = until === null ? null : new Date(until);
  await prisma.vehicle.updateMany({
    where: { id },
    data: {
      telemetryStatus: status,
      telemetryReason: reason,
      telemetryCheckedAt: checkedAt,
      // A maker that did not say keeps the end that it said before.
      ...(status === 'FAILED' ? {} : { telemetryExpiresAt: expiresAt }),
    },
  });
  const next = telemetryNext(status, reason);
  return { publicId, vin, status, reason, next, expiresAt, checkedAt };
}

async function recorded(
  { prisma, clock, principal, requestId }: MakerCall,
  { id, accountId }: MakerAccount,
  action: string,
  vehicles: readonly Vehicle[],
): Promise<void> {
  const details = { vehicles: vehicles.map(({ publicId }) => publicId) };
  const object = typeIdOf('MakerAccount', id);
  const fact = { at: clock(), actor: actorOf(principal), action, object, details, requestId };
  await audited(prisma, accountId, async () => ({ result: null, facts: [fact] }));
}
