import type { Grant } from '../auth/grant.ts';
import type { Clock } from '../base/clock.ts';
import { namedActors } from '../contract/security-events.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';

/** Who changes access, and with what. */
export type AccessContext = {
  prisma: PrismaClient;
  clock: Clock;
  /** For the audit: the id of a credential, or `operator`. */
  actor: string;
  /** What the actor's own credential opens, which what it makes cannot exceed; null for the operator. */
  holder: Grant | null;
  requestId: string | null;
  /** Makes the revocation of the credential with this hash visible at once in this process. */
  forget: (hash: string) => void;
};

/** The context of whoever may open the data folder: bound by no credential. */
export function operatorContext(
  prisma: PrismaClient,
  clock: Clock,
  forget: (hash: string) => void,
): AccessContext {
  return { prisma, clock, actor: namedActors.operator, holder: null, requestId: null, forget };
}
