import type { Principal } from '../auth/principal.ts';
import type { Clock } from '../base/clock.ts';
import type { AuditDetails, AuditFact } from '../store/audit.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { actorOf } from './maker-door.ts';

/** Who changes something of an account, and with what. */
export type AccountCall = {
  prisma: PrismaClient;
  clock: Clock;
  principal: Principal;
  requestId: string;
};

/** What the audit says of a change. */
export function factOf(
  { clock, principal, requestId }: AccountCall,
  action: string,
  object: string | null,
  details: AuditDetails = {},
): AuditFact {
  return { at: clock(), actor: actorOf(principal), action, object, details, requestId };
}
