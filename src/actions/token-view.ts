import { typeIdOf } from '../base/ids.ts';
import type { Token } from '../store/generated/prisma/client.ts';

/** A token as it is told to its owner: never its secret; instants in RFC 3339. */
export type TokenView = {
  id: string;
  name: string;
  lastFour: string;
  scopes: readonly string[];
  vehicleIds: readonly string[] | null;
  locationPrecision: string;
  /** Groups of commands it is limited to; null for all. */
  commandGroups: readonly string[] | null;
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
  lastIp: string | null;
  revokedAt: string | null;
};

/** A stored token as its owner may see it. */
export function tokenView(token: Token): TokenView {
  return {
    id: typeIdOf('Token', token.id),
    name: token.name,
    lastFour: token.lastFour,
    scopes: token.scopes,
    vehicleIds:
      token.vehicleIds.length === 0 ? null : token.vehicleIds.map((id) => typeIdOf('Vehicle', id)),
    locationPrecision: token.locationPrecision ?? 'EXACT',
    commandGroups: token.commandGroups.length === 0 ? null : token.commandGroups,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt.toISOString(),
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    lastIp: token.lastIp,
    revokedAt: token.revokedAt?.toISOString() ?? null,
  };
}
