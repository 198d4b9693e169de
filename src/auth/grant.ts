import type { FieldMessages } from '../base/errors.ts';
import type { Scope } from '../contract/scopes.ts';
import type { LocationPrecision } from './principal.ts';

/** What a credential opens. */
export type Grant = {
  scopes: Iterable<Scope>;
  /** Vehicles it is limited to, by stored id; null for all of the account. */
  vehicleIds: readonly string[] | null;
  locationPrecision: LocationPrecision;
  /** Groups of commands it is limited to; null for all. */
  commandGroups: readonly string[] | null;
  /** When it ends (epoch ms). */
  expiresAt: number;
};

/** The precisions from the least to the most that is told. */
const precisions: readonly LocationPrecision[] = ['HIDDEN', 'APPROXIMATE', 'EXACT'];

/**
 * In which fields `wanted` is more than what `holder` has, or null when it is not: no credential makes one with more
 * scopes, more vehicles, more groups of commands, more exact positions or a longer life than its own (contract §8).
 */
export function excessOver(holder: Grant, wanted: Grant): FieldMessages | null {
  const held = new Set(holder.scopes);
  const limit = holder.vehicleIds;
  const excess: FieldMessages = {};
  const scopes = [...wanted.scopes].filter((scope) => !held.has(scope));
  if (scopes.length > 0) {
    excess.scopes = scopes.map((scope) => `Your own credential lacks the scope ${scope}.`);
  }
  if (
    limit !== null &&
    (wanted.vehicleIds === null || wanted.vehicleIds.some((id) => !limit.includes(id)))
  ) {
    excess.vehicleIds = ['Your own credential is limited to fewer vehicles.'];
  }
  const groups = holder.commandGroups;
  // Without the scope it sends nothing, whatever its groups.
  const sends = [...wanted.scopes].includes('controls');
  if (
    sends &&
    groups !== null &&
    (wanted.commandGroups === null || wanted.commandGroups.some((one) => !groups.includes(one)))
  ) {
    excess.commandGroups = ['Your own credential sends fewer groups of commands.'];
  }
  if (precisions.indexOf(wanted.locationPrecision) > precisions.indexOf(holder.locationPrecision)) {
    excess.locationPrecision = ['Your own credential sees positions less exactly.'];
  }
  if (wanted.expiresAt > holder.expiresAt) {
    excess.expiresInDays = ['Your own credential ends before that.'];
  }
  return Object.keys(excess).length === 0 ? null : excess;
}
