import type { LocationPrecision } from '../auth/principal.ts';
import { rounded } from '../base/units.ts';
import { type Context, caller } from './context.ts';
import { vehicleById } from './loaders.ts';

const coarseness = { EXACT: 0, APPROXIMATE: 1, HIDDEN: 2 } as const;

/** Decimals of a degree that an approximate position keeps: 0.01° is about a kilometre (contract §6). */
export const APPROXIMATE_DECIMALS = 2;

/** The one of two precisions that tells less. */
export function coarser(a: LocationPrecision, b: LocationPrecision): LocationPrecision {
  return coarseness[a] >= coarseness[b] ? a : b;
}

/** How exactly the caller may learn where a vehicle is: its own setting or the credential's, whichever tells less. */
export async function precisionFor(
  context: Context,
  vehicleId: string,
): Promise<LocationPrecision> {
  const vehicle = await vehicleById(context).load(vehicleId);
  return coarser(caller(context).locationPrecision, vehicle?.locationPrecision ?? 'HIDDEN');
}

/** Whether the caller may learn exactly where a vehicle is, and with it what its places made of a row. */
export async function seesExactly(context: Context, vehicleId: string): Promise<boolean> {
  return (await precisionFor(context, vehicleId)) === 'EXACT';
}

/** A degree as it may be told; null where it is unknown or may not be told. */
export function degree(value: number | null, precision: LocationPrecision): number | null {
  if (value === null || precision === 'HIDDEN') return null;
  return precision === 'EXACT' ? value : rounded(value, APPROXIMATE_DECIMALS);
}
