import type { Clock } from '../base/clock.ts';
import type { ParsedSecret } from './token-format.ts';

/** How long a look-up is believed; a revocation by another process shows within it (contract §8: under 1 s). */
const MAX_AGE_MS = 500;

/** Look-ups kept at a time. */
const MAX_ENTRIES = 10_000;

/** Look-ups of credentials, remembered for a moment. */
export type CredentialCache<P extends ParsedSecret, C> = {
  /** `maxAgeMs` says how long a look-up is believed where that is more than half a second. */
  find: (parsed: P, maxAgeMs?: number) => Promise<C | null>;
  /** Forgets the credential of a hash, so that the next request sees its revocation. */
  forget: (hash: string) => void;
};

/**
 * A cache in front of `load`. What was not found is not kept, so that a new credential opens at once;
 * age counts from before the look-up, so that a slow one is no older than it says.
 */
export function createCredentialCache<P extends ParsedSecret, C>(
  load: (parsed: P) => Promise<C | null>,
  clock: Clock,
): CredentialCache<P, C> {
  const kept = new Map<string, { credential: C; at: number }>();
  let forgotten = 0;
  return {
    async find(parsed, maxAgeMs = MAX_AGE_MS) {
      const at = clock();
      const hit = kept.get(parsed.hash);
      if (hit !== undefined && Math.abs(at - hit.at) < maxAgeMs) return hit.credential;
      const asOf = forgotten;
      const credential = await load(parsed);
      // A revocation during the look-up may have come after the row was read.
      if (credential !== null && asOf === forgotten) {
        if (kept.size >= MAX_ENTRIES) kept.clear();
        kept.set(parsed.hash, { credential, at });
      }
      return credential;
    },
    forget(hash) {
      forgotten += 1;
      kept.delete(hash);
    },
  };
}
