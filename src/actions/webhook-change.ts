import type { Principal } from '../auth/principal.ts';
import type { Clock } from '../base/clock.ts';
import { typeIdOf } from '../base/ids.ts';
import { type AuditDetails, audited } from '../store/audit.ts';
import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { actorOf } from './maker-door.ts';
import type { WebhookDesk } from './webhook-desk.ts';

/** Who changes webhooks, and with what. */
export type WebhookCall = {
  prisma: PrismaClient;
  clock: Clock;
  desk: WebhookDesk;
  principal: Principal;
  requestId: string;
};

type Change<T> = { result: T; webhookId: string; action: string; details: AuditDetails };

/** Runs a change of the caller's webhooks with its entry in the audit. */
export function changing<T>(
  { prisma, clock, principal, requestId }: WebhookCall,
  work: (tx: Prisma.TransactionClient, at: number) => Promise<Change<T>>,
): Promise<T> {
  const at = clock();
  return audited(prisma, principal.accountId, async (tx) => {
    const { result, webhookId, action, details } = await work(tx, at);
    const object = typeIdOf('Webhook', webhookId);
    const fact = { at, actor: actorOf(principal), action, object, details, requestId };
    return { result, facts: [fact] };
  });
}
