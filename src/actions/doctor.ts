import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import type { Vault } from '../base/vault.ts';
import { FLEET_MAKER, homeRegionOf } from '../maker/connector.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { accountCheck } from './doctor-accounts.ts';
import {
  addressCheck,
  proxyCheck,
  publicKeyCheck,
  registrationChecks,
} from './doctor-application.ts';
import { type Check, wrong } from './doctor-check.ts';
import { clockCheck, databaseCheck, diskCheck, secretKeyCheck } from './doctor-ground.ts';
import { vehicleChecks } from './doctor-vehicles.ts';
import { applicationView, registeredMaker } from './maker-application.ts';
import type { MakerDoor } from './maker-door.ts';

/** What an instance is examined with. */
export type DoctorParts = {
  config: Config;
  prisma: PrismaClient;
  clock: Clock;
  vault: () => Vault;
  door: Pick<MakerDoor, 'connectors'>;
  /** Whether a service runs, or only its database is at hand. */
  running: boolean;
};

/** Accounts and vehicles that are looked at; the newest. */
const MOST = 200;

/** Looks at everything that has to be right for vehicles to be recorded; asks the maker nothing that costs. */
export async function examine(parts: DoctorParts): Promise<Check[]> {
  const { config, prisma, clock, vault, door } = parts;
  const connector = registeredMaker(door);
  const makerUrl = connector?.apiUrlOf(homeRegionOf(connector.application)) ?? null;
  const groups = await Promise.all([
    guarded('database', () => databaseCheck(prisma)),
    guarded('secret_key', () => secretKeyCheck(prisma, vault, FLEET_MAKER)),
    guarded('disk', () => diskCheck(config.dataDir)),
    guarded('clock', () => clockCheck(prisma, clock, makerUrl)),
    guarded('signing_proxy', () => proxyCheck(config)),
    guarded('application', () => applicationChecks(parts)),
    guarded('maker_accounts', () => accountChecks(parts)),
    guarded('vehicles', () => everyVehicle(parts)),
  ]);
  return groups.flat();
}

/** A look that fails itself is told as one; the others go on. */
async function guarded(id: string, look: () => Promise<Check | Check[]>): Promise<Check[]> {
  try {
    return [await look()].flat();
  } catch (cause) {
    const why = cause instanceof Error ? cause.name : 'unknown';
    return [wrong(id, `This could not be looked at (${why}).`, 'Look at the other lines first.')];
  }
}

async function applicationChecks({ config, prisma, door }: DoctorParts): Promise<Check[]> {
  const view = await applicationView({ prisma, door });
  const address = addressCheck(config, view);
  if (view === null) return [address];
  const inUse = await prisma.makerAccount.findMany({
    where: { maker: view.maker },
    select: { region: true },
    distinct: ['region'],
  });
  const regions = new Set<string>(inUse.map(({ region }) => region));
  return [address, await publicKeyCheck(config, view), ...registrationChecks(view, regions)];
}

async function accountChecks({ prisma, clock, running }: DoctorParts): Promise<Check[]> {
  const rows = await prisma.makerAccount.findMany({ orderBy: { createdAt: 'desc' }, take: MOST });
  return rows.map((row) => accountCheck(row, clock(), running));
}

async function everyVehicle({ prisma, clock, door }: DoctorParts): Promise<Check[]> {
  const view = await applicationView({ prisma, door });
  const { pairingUrl = null, signs = false, streams = false } = view ?? {};
  const scale = { now: clock(), pairingUrl, signs, streams };
  const rows = await prisma.vehicle.findMany({
    where: { archivedAt: null },
    orderBy: { createdAt: 'desc' },
    take: MOST,
  });
  return rows.flatMap((row) => vehicleChecks(row, scale));
}
