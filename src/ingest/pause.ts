import { setTimeout as sleep } from 'node:timers/promises';

/** Waits so long [ms], or until the signal ends it; throws nothing then. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
