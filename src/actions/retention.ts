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
  const sweep = () => {
    sweeping = sweeping.then(async () => {
      const now = clock();
      try {
        await sweepKeys(prisma, now, closing.signal);
        await sweepEvents(prisma, now - eventDays * DAY_MS, closing.signal);
        const before = now - auditDays * DAY_MS;
        const { faulty } = await sweepAudit(prisma, { now, before, signal: closing.signal });
        for (const accountId of faulty) {
          log.error({ accountId }, 'Old entries of the audit are kept: they do not verify.');
        }
      } catch (error) {
        log.warn({ err: error }, 'What is kept no longer could not be let go of.');
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
