import { uuidOf } from '../base/ids.ts';
import { RenewalError } from '../ingest/renewal.ts';
import type { MakerAccount } from '../store/generated/prisma/client.ts';
import { ownMakerAccount } from '../store/maker-accounts.ts';
import { connectorOf, type MakerCall } from './maker-door.ts';
import { relinkRequired, renewalError } from './maker-failures.ts';
import { type MakerVehicle, vehiclesAtMaker } from './maker-vehicles.ts';

/** What a refresh found. */
export type Refreshed = { makerAccount: MakerAccount; vehicles: MakerVehicle[] };

/**
 * Renews an account's tokens and reads its list of vehicles. Throws `not_found`, `relink_required` where only a new
 * sign-in helps, and the maker words of contract §12.
 */
export async function refreshMakerAccount(call: MakerCall, id: string): Promise<Refreshed> {
  const { prisma, door, principal } = call;
  const uuid = uuidOf('MakerAccount', id);
  const row = await ownMakerAccount(prisma, principal.accountId, uuid);
  const session = door.sessions.of(row.id, connectorOf(door, row.maker));
  const works = await session.renew().catch((error: unknown) => {
    if (error instanceof RenewalError) throw renewalError(error);
    throw error;
  });
  if (!works) {
    door.changed();
    throw relinkRequired();
  }
  // Alerts and drivers are asked for again when a vehicle is next found online, bills at the next look.
  await prisma.vehicle.updateMany({
    where: { makerAccountId: row.id },
    data: { particularsAt: null, billsAt: null },
  });
  const makerAccount = await ownMakerAccount(prisma, principal.accountId, uuid);
  return { makerAccount, vehicles: await vehiclesAtMaker(call, makerAccount) };
}
