import DataLoader from 'dataloader';
import { type CapacityCharge, capacityCharges } from '../store/battery-charges.ts';
import type { Vehicle } from '../store/generated/prisma/client.ts';
import { type Capacity, capacityOf } from './battery-capacity.ts';
import { type Context, perOperation } from './context.ts';

/** Charges read of a vehicle, more than the median takes, because implausible ones are left out. */
const MOST_READ = 60;

const charges = perOperation(
  (context) =>
    new DataLoader<string, CapacityCharge[]>(async (ids) => {
      const found = await capacityCharges(context.prisma, ids, MOST_READ);
      return ids.map((id) => found.filter(({ vehicleId }) => vehicleId === id));
    }),
);

/** Capacity of a vehicle's pack as its charges show it. */
export async function packCapacity(
  { id, originalCapacityKwh }: Pick<Vehicle, 'id' | 'originalCapacityKwh'>,
  context: Context,
): Promise<Capacity> {
  return capacityOf(await charges(context).load(id), originalCapacityKwh);
}
