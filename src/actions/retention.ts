import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { DAY_MS, HOUR_MS } from '../base/units.ts';
import { sweepAudit } from '../store/audit-retention.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { sweepKeys } from '../store/idempotency.ts';
import { sweepEvents } from '../store/outbox.ts';

/**
 * Lets go of what is kept for a time only, at once and every hour: idempotency keys that are over, events after
 * `eventDays` and entries of the audit after `auditDays` (contract §0). What fails is made up for by the next hour.
 */
export function startRetention({
  prisma,
  clock,
  log,
  eventDays,
  auditDays,
}: {
  prisma: PrismaClient;
  clock: Clock;
  log: Log;
  eventDays: number;
  auditDays: number;
}): { close: () => Promise<void> } {
  const closing = new AbortController();
  let sweeping: Promise<void> = Promise.resolve();
  const { signal } = closing;
  const before = (days: number) => clock() - days * DAY_MS;
  const steps = [
    () => sweepKeys(prisma, clock(), signal),
    () => sweepEvents(prisma, before(eventDays), signal),
    () => letGoOfAudit({ prisma, log }, { now: clock(), before: before(auditDays), signal }),
  ];
  const sweep = () => {
    sweeping = sweeping.then(async () => {
      // What one step fails at is none of the others' business.
      for (const step of steps) {
        await step().catch((error: unknown) => {
          log.warn({ err: error }, 'What is kept no longer could not be let go of.');
        });
      }
    });
  };
  sweep();
  const timer = setInterval(sweep, HOUR_MS);
  return {
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await sweeping;
    },
  };
}

async function letGoOfAudit(
  { prisma, log }: { prisma: PrismaClient; log: Log },
  wish: Parameters<typeof sweepAudit>[1],
): Promise<void> {
  const { faulty } = await sweepAudit(prisma, wish);
  for (const accountId of faulty) {
    log.error({ accountId }, 'Old entries of the audit are kept: they do not verify.');
  }
}
