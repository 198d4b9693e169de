import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../base/errors.ts';
import { SECOND_MS } from '../base/units.ts';

/** What a person may ask of webhooks in a minute, over all of an account: each is a call to an address of their choice. */
const perMinute = { test: 10, redeliver: 60 } as const;

/** The points of accounts, in the memory of this process. */
export type WebhookLimits = {
  /** Takes a point of an account. Throws `rate_limited` where none is left. */
  take: (what: keyof typeof perMinute, accountId: string) => Promise<void>;
};

/** Limits of which nothing is spent yet. */
export function webhookLimits(): WebhookLimits {
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: 60 });
  const limiters = { test: limiter(perMinute.test), redeliver: limiter(perMinute.redeliver) };
  return {
    async take(what, accountId) {
      try {
        await limiters[what].consume(accountId);
      } catch (spent) {
        if (!(spent instanceof RateLimiterRes)) throw spent;
        const message = `Webhooks take ${perMinute[what]} such requests a minute.`;
        const retryAfterS = Math.max(1, Math.ceil(spent.msBeforeNext / SECOND_MS));
        throw new ServiceError('rate_limited', message, { retryAfterS });
      }
    },
  };
}
