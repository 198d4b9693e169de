import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { HOUR_MS } from '../base/units.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { sweepKeys } from '../store/idempotency.ts';

/** Lets go of idempotency keys that are over, at once and every hour; what fails is made up for by the next hour. */
export function startKeySweep({
  prisma,
  clock,
  log,
}: {
  prisma: PrismaClient;
  clock: Clock;
  log: Log;
}): { close: () => Promise<void> } {
  const closing = new AbortController();
  let sweeping: Promise<void> = Promise.resolve();
  const sweep = () => {
    sweeping = sweeping
      .then(() => sweepKeys(prisma, clock(), closing.signal))
      .then(
        () => {},
        (error: unknown) => log.warn({ err: error }, 'Idempotency keys that are over were kept.'),
      );
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
