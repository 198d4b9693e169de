import type { LocationPrecision } from '../auth/principal.ts';
import { type CommandRow, degreeUnit } from '../contract/commands/command.ts';
import { commandRow, isCommandName } from '../contract/commands.ts';
import { type Context, caller } from './context.ts';
import { degree, precisionFor } from './precision.ts';

/** How exactly the caller may learn the places in a command; of a vehicle that is gone not at all. */
export function commandPrecision(
  context: Context,
  vehicleId: string | null,
): Promise<LocationPrecision> {
  if (vehicleId !== null) return precisionFor(context, vehicleId);
  const own = caller(context).locationPrecision;
  return Promise.resolve(own === 'EXACT' ? 'APPROXIMATE' : own);
}

/** A command's parameters with its degrees as exact as they may be told, and words for places only where all may. */
export function placedParameters(
  name: string,
  parameters: unknown,
  precision: LocationPrecision,
): unknown {
  if (precision === 'EXACT' || typeof parameters !== 'object' || parameters === null)
    return parameters;
  const row = isCommandName(name) ? commandRow(name) : null;
  const told = Object.entries(parameters).map(([key, value]) => [
    key,
    toldAs(row?.params[key], value, precision),
  ]);
  return Object.fromEntries(told);
}

function toldAs(
  param: CommandRow['params'][string] | undefined,
  value: unknown,
  precision: LocationPrecision,
): unknown {
  if (param === undefined || param.place === true) return null;
  const inDegrees = param.kind === 'float' && param.unit === degreeUnit;
  return inDegrees && typeof value === 'number' ? degree(value, precision) : value;
}
