import { ServiceError } from '../base/errors.ts';
import { SECOND_MS } from '../base/units.ts';

/** How often the callers of what stays open are looked up again; a revocation shows within a minute (spec 7). */
const LOOK_MS = 20 * SECOND_MS;

/** Looks whether the callers of what stays open still may. */
export type CallerWatch = {
  /**
   * Calls `identify` now and then, and `ended` once with what it threw when the credential is not good any more. Returns
   * how to stop.
   */
  add: (identify: () => Promise<unknown>, ended: (reason: ServiceError) => void) => () => void;
  close: () => void;
};

/** Whether an error says that a credential is not, or no longer, good. */
export function isCredentialOver(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 401;
}

/** Callers looked up at a time; those of one moment are read in one statement. */
const TOGETHER = 500;

type Watched = { identify: () => Promise<unknown>; ended: (reason: ServiceError) => void };

async function reasonAgainst({ identify }: Watched): Promise<ServiceError | null> {
  try {
    await identify();
    return null;
  } catch (error) {
    return isCredentialOver(error) ? error : null;
  }
}

/** A watch with one timer for all; a look-up that fails for another reason is tried again at the next round. */
export function createCallerWatch(lookMs = LOOK_MS): CallerWatch {
  const watched = new Set<Watched>();
  let looking = false;

  async function lookAt(one: Watched): Promise<void> {
    const reason = watched.has(one) ? await reasonAgainst(one) : null;
    if (reason !== null && watched.delete(one)) one.ended(reason);
  }

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const all = [...watched];
      for (let from = 0; from < all.length; from += TOGETHER) {
        await Promise.all(all.slice(from, from + TOGETHER).map(lookAt));
      }
    } finally {
      looking = false;
    }
  }

  const timer = setInterval(() => void look(), lookMs);
  return {
    add(identify, ended) {
      const one = { identify, ended };
      watched.add(one);
      return () => watched.delete(one);
    },
    close: () => clearInterval(timer),
  };
}
