import DataLoader from 'dataloader';
import { type Derived, driveCostOf, sumOfCosts } from '../ingest/drive-price.ts';
import { majorOf } from '../ingest/price-charge.ts';
import { type DriveEnergy, readDriveEnergy, readTripDrives } from '../store/drive-costs.ts';
import { type Context, perOperation } from './context.ts';
import type { Priced } from './cost.ts';
import { seesExactly } from './precision.ts';

const driveCosts = perOperation(
  (context) =>
    new DataLoader<string, Derived | null>(async (ids) => {
      const energy = await readDriveEnergy(context.prisma, ids);
      return ids.map((id) => {
        const known = energy.get(id);
        return known === undefined ? null : driveCostOf(known);
      });
    }),
);

/** Keeps what the price of a drive follows from where it was read anyway. */
export function rememberDriveEnergy(id: string, energy: DriveEnergy, context: Context): void {
  driveCosts(context).prime(id, driveCostOf(energy));
}

const tripCosts = perOperation(
  (context) =>
    new DataLoader<string, Derived | null>(async (ids) => {
      const drives = await readTripDrives(context.prisma, ids);
      return Promise.all(
        ids.map(async (id) => {
          const costs = await driveCosts(context).loadMany(drives.get(id) ?? []);
          return sumOfCosts(costs.map((cost) => (cost instanceof Error ? null : cost)));
        }),
      );
    }),
);

type OfVehicle = { id: string; vehicleId: string };

/** What the energy of a drive cost, by the charges before it; null where those prices, which are of places, are not told. */
export async function costOfDrive(
  { id, vehicleId }: OfVehicle,
  _args: unknown,
  context: Context,
): Promise<Priced | null> {
  if (!(await seesExactly(context, vehicleId))) return null;
  return priced(await driveCosts(context).load(id));
}

/** What the energy of a trip's drives cost; null like theirs. */
export async function costOfTrip(
  { id, vehicleId }: OfVehicle,
  _args: unknown,
  context: Context,
): Promise<Priced | null> {
  if (!(await seesExactly(context, vehicleId))) return null;
  return priced(await tripCosts(context).load(id));
}

function priced(cost: Derived | null): Priced | null {
  if (cost === null) return null;
  const costAmount = majorOf(cost.amountMinor, cost.currency);
  return { costAmount, costCurrency: cost.currency, costMethod: 'DERIVED' };
}
