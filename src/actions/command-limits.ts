import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import { typeIdOf } from '../base/ids.ts';
import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { type CommandCount, type CommandQuota, commandCounts } from '../store/command-counts.ts';
import type { Prisma } from '../store/generated/prisma/client.ts';
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
type Spender = Pick<Principal, 'accountId' | 'credential'> & { vehicleId: string | null };

/** What is left of a limit: of `quota` commands in `windowS` seconds so many, until one more is free. */
export type QuotaState = {
  name: CommandCount['name'];
  quota: number;
  windowS: number;
  remaining: number;
  resetS: number;
};

/** What tokens and vehicles may still send, by the ledger: every process counts the same, and a restart forgets nothing. */
export type CommandQuotas = {
  /** Throws `rate_limited` where `take` did for the same spender and nothing is free since; asks nobody. */
  check: (who: Spender, at: number) => void;
  /**
   * Throws `rate_limited` where none is left at `at` (epoch ms). Call it under the account's row, in the transaction that
   * writes the command: the row is the point.
   */
  take: (tx: Prisma.TransactionClient, who: Spender, at: number) => Promise<void>;
  states: (db: Prisma.TransactionClient, who: Spender, at: number) => Promise<QuotaState[]>;
};

/** Refusals that are remembered at most. */
const MOST_REMEMBERED = 1_000;

/** The id under which the ledger has what a credential sends. */
export function senderIdOf({ kind, id }: Principal['credential']): string {
  return typeIdOf(kind === 'TOKEN' ? 'Token' : 'ApiKey', id);
}

/** Opens them. */
export function commandQuotas({
  tokenPerMinute,
  vehiclePerMinute,
}: Pick<CommandLimits, 'tokenPerMinute' | 'vehiclePerMinute'>): CommandQuotas {
  const quota: CommandQuota = { token: tokenPerMinute, vehicle: vehiclePerMinute };
  /** Until when nothing is free, by whose it is (epoch ms): a minute that is full stays so. */
  const full = new Map<string, number>();
  const keyOf = ({ credential, vehicleId }: Spender, name: CommandCount['name']) =>
    name === 'token' ? senderIdOf(credential) : (vehicleId ?? '');

  const states: CommandQuotas['states'] = async (db, who, at) => {
    const { accountId, credential, vehicleId } = who;
    const sender = { accountId, requestedById: senderIdOf(credential), vehicleId };
    const counts = await commandCounts(db, sender, { at, quota });
    return counts.flatMap((count) =>
      count.name === 'vehicle' && vehicleId === null ? [] : stateOf(count, quota[count.name], at),
    );
  };

  return {
    states,
    check: (who, at) => {
      const names = ['token', 'vehicle'] as const;
      const spent = names.flatMap((name): QuotaState[] => {
        const inMs = (full.get(keyOf(who, name)) ?? at) - at;
        // Further away than a minute it is of a clock that was wrong.
        if (inMs <= 0 || inMs > MINUTE_MS) return [];
        return [{ ...window(name, quota[name]), remaining: 0, resetS: secondsOf(inMs) }];
      });
      refuse(spent);
    },
    take: async (tx, who, at) => {
      const spent = (await states(tx, who, at)).filter(({ remaining }) => remaining === 0);
      if (full.size >= MOST_REMEMBERED) full.clear();
      for (const { name, resetS } of spent) full.set(keyOf(who, name), at + resetS * SECOND_MS);
      refuse(spent);
    },
  };
}

function refuse(spent: readonly QuotaState[]): void {
  const [first] = spent;
  if (first === undefined) return;
  const whose = first.name === 'token' ? 'The token may send' : 'The vehicle takes';
  throw new ServiceError('rate_limited', `${whose} ${first.quota} commands a minute.`, {
    retryAfterS: Math.max(...spent.map(({ resetS }) => resetS)),
  });
}

const window = (name: CommandCount['name'], quota: number) =>
  ({ name, quota, windowS: MINUTE_MS / SECOND_MS }) as const;

function stateOf({ name, taken, firstAt }: CommandCount, quota: number, at: number): QuotaState {
  const resetS = secondsOf(firstAt === null ? MINUTE_MS : firstAt + MINUTE_MS - at);
  return { ...window(name, quota), remaining: quota - taken, resetS };
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / SECOND_MS));
}
