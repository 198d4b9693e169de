import type { Principal } from '../auth/principal.ts';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import type { Vault } from '../base/vault.ts';
import { namedActors } from '../contract/security-events.ts';
import type { MakerSessions } from '../ingest/sessions.ts';
import type { SpendLedger } from '../ingest/spend-ledger.ts';
import type { Connector } from '../maker/connector.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';

/** The way to the makers: which there are, and how their accounts sign in. */
export type MakerDoor = {
  /** By name; the first is taken where a caller names none. */
  connectors: ReadonlyMap<string, Connector>;
  vault: Vault;
  sessions: MakerSessions;
  /** What the makers' accounts spend. */
  ledger: SpendLedger;
  /** Tells this process that accounts or vehicles have come or gone. */
  changed: () => void;
};

/** Who changes a maker account, and with what. */
export type MakerCall = {
  prisma: PrismaClient;
  clock: Clock;
  door: MakerDoor;
  principal: Principal;
  requestId: string;
};

/** A call without anybody behind it but a state. */
export type OpenMakerCall = Omit<MakerCall, 'principal'> & { principal: Principal | null };

/** The connector of a maker, or the first for null. Throws `setting_forbids` where it is not configured. */
export function connectorOf({ connectors }: MakerDoor, maker: string | null): Connector {
  const [first] = connectors.values();
  const found = maker === null ? first : connectors.get(maker);
  if (found !== undefined) return found;
  throw new ServiceError(
    'setting_forbids',
    'This instance is not connected to this maker; its operator sets the client id of its application.',
  );
}

/** The stand-in of the garage. Throws `setting_forbids` where the garage is off. */
export function simulatedConnector({ connectors }: MakerDoor): Connector {
  for (const connector of connectors.values()) if (connector.simulated) return connector;
  throw new ServiceError('setting_forbids', 'The simulated garage is off on this instance.');
}

/** Who did it, for the audit. */
export function actorOf(principal: Principal | null): string {
  if (principal === null) return namedActors.callback;
  return `${principal.credential.kind.toLowerCase()}:${principal.credential.id}`;
}

/** Throws `setting_forbids` for a token that is limited to some vehicles, and not to all of these. */
export function checkReach({ vehicleIds }: Principal, vehicles: readonly { id: string }[]): void {
  if (vehicleIds === null || vehicles.every(({ id }) => vehicleIds.includes(id))) return;
  const message = 'The account has vehicles that the token is not for.';
  throw new ServiceError('setting_forbids', message);
}
