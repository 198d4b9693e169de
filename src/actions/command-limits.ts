import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import { SECOND_MS } from '../base/units.ts';
import type { WakeLimits } from '../store/wakes.ts';

/** How many commands are taken (contract §14); how many may wait is ours. */
export type CommandLimits = {
  tokenPerMinute: number;
  vehiclePerMinute: number;
  wakes: WakeLimits;
  /** How many may wait for one vehicle. */
  waiting: number;
};

/** Whose points a command costs; the vehicle is null while it is not known. */
type Spender = { credential: Principal['credential']; vehicleId: string | null };

/** What is left of a limit: of `quota` commands in `windowS` seconds so many, until it begins anew. */
export type QuotaState = {
  name: string;
  quota: number;
  windowS: number;
  remaining: number;
  resetS: number;
};

/** The points of tokens and vehicles, in the memory of this process. */
export type CommandQuotas = {
  /** Throws `rate_limited` where none is left, without taking any. */
  check: (who: Spender) => Promise<void>;
  /** Takes a point of each. Throws `rate_limited`, and then takes none. */
  take: (who: Spender) => Promise<void>;
  /** Gives back what a command that was not accepted took. */
  giveBack: (who: Spender) => Promise<void>;
  states: (who: Spender) => Promise<QuotaState[]>;
};

const WINDOW_S = 60;

/** Quotas of which nothing is spent yet. */
export function commandQuotas({
  tokenPerMinute,
  vehiclePerMinute,
}: Pick<CommandLimits, 'tokenPerMinute' | 'vehiclePerMinute'>): CommandQuotas {
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW_S });
  const rows = [
    {
      name: 'token',
      quota: tokenPerMinute,
      limiter: limiter(tokenPerMinute),
      keyOf: ({ credential }: Spender) => `${credential.kind}:${credential.id}`,
    },
    {
      name: 'vehicle',
      quota: vehiclePerMinute,
      limiter: limiter(vehiclePerMinute),
      keyOf: ({ vehicleId }: Spender) => vehicleId,
    },
  ];
  const found = (who: Spender) =>
    rows.flatMap(({ keyOf, ...row }) => {
      const key = keyOf(who);
      return key === null ? [] : { ...row, key };
    });
  const states: CommandQuotas['states'] = (who) =>
    Promise.all(
      found(who).map(async ({ name, quota, key, limiter }) => {
        const used = await limiter.get(key);
        const remaining = Math.max(0, quota - (used?.consumedPoints ?? 0));
        return { name, quota, windowS: WINDOW_S, remaining, resetS: resetOf(used) };
      }),
    );
  const check: CommandQuotas['check'] = async (who) => {
    const spent = (await states(who)).filter(({ remaining }) => remaining === 0);
    const [first] = spent;
    if (first === undefined) return;
    const whose = first.name === 'token' ? 'The token may send' : 'The vehicle takes';
    throw new ServiceError('rate_limited', `${whose} ${first.quota} commands a minute.`, {
      retryAfterS: Math.max(...spent.map(({ resetS }) => resetS)),
    });
  };
  return {
    states,
    check,
    take: async (who) => {
      await check(who);
      await Promise.all(found(who).map(({ key, limiter }) => limiter.penalty(key)));
    },
    giveBack: async (who) => {
      await Promise.all(found(who).map(({ key, limiter }) => limiter.reward(key)));
    },
  };
}

function resetOf(used: RateLimiterRes | null): number {
  return used === null ? WINDOW_S : Math.max(1, Math.ceil(used.msBeforeNext / SECOND_MS));
}
