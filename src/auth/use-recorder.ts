import type { Clock } from '../base/clock.ts';
import { MINUTE_MS } from '../base/units.ts';
import type { CredentialKind } from './principal.ts';

/** Credentials whose last use is remembered at a time. */
const MAX_ENTRIES = 10_000;

/** The credential that was used; the kind says where it is stored. */
type Used = { kind: CredentialKind; id: string };

/** Notes uses of credentials beside the requests that make them. */
export type UseRecorder = {
  record: (credential: Used, ip: string | null) => void;
  /** Settles when what was begun is written or has failed. */
  settle: () => Promise<void>;
};

/**
 * Writes the use of a credential at most once a minute. It never holds up or fails a request: a write that fails goes
 * to `failed`, and the next is tried a minute later.
 */
export function createUseRecorder(
  write: (credential: Used, use: { at: number; ip: string | null }) => Promise<void>,
  clock: Clock,
  failed: (cause: unknown) => void,
): UseRecorder {
  const lastAt = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  return {
    record(credential, ip) {
      const at = clock();
      const last = lastAt.get(credential.id);
      if (last !== undefined && Math.abs(at - last) < MINUTE_MS) return;
      if (lastAt.size >= MAX_ENTRIES) lastAt.clear();
      lastAt.set(credential.id, at);
      const writing = write(credential, { at, ip })
        .catch(failed)
        .finally(() => pending.delete(writing));
      pending.add(writing);
    },
    async settle() {
      await Promise.all(pending);
    },
  };
}
