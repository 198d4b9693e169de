import { randomBytes } from 'node:crypto';
import { MINUTE_MS } from '../../src/base/units.ts';

/** How long the rounds of one kind go on, and what they begin with; from the environment. */
const minutes = Number(process.env.SOAK_MINUTES ?? 10);
const most = Number(process.env.SOAK_ROUNDS ?? Number.POSITIVE_INFINITY);
const firstSeed = process.env.SOAK_SEED ?? randomBytes(4).toString('hex');
/** Rounds after which the heap is as large as it gets, and what it may grow by after them [MB]. */
const WARM_ROUNDS = 2;
const GROWTH_MB = 150;

function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/**
 * Does the work with one seed after the other until the time is over. Throws at the first difference, and where memory
 * grows, with the seed to repeat.
 */
export async function rounds(kind: string, work: (seed: string) => Promise<void>): Promise<void> {
  const until = performance.now() + minutes * MINUTE_MS;
  let warmMb = 0;
  for (let round = 0; round < most && (round === 0 || performance.now() < until); round += 1) {
    const seed = round === 0 ? firstSeed : `${firstSeed}.${round}`;
    process.stdout.write(`${kind}: round ${round + 1}, SOAK_SEED=${seed}\n`);
    try {
      await work(seed);
      const mb = heapMb();
      process.stdout.write(`${kind}: heap ${mb.toFixed(0)} MB\n`);
      if (round < WARM_ROUNDS) warmMb = Math.max(warmMb, mb);
      else if (mb > warmMb + GROWTH_MB) throw new Error(`The heap grew to ${mb.toFixed(0)} MB.`);
    } catch (cause) {
      const again = `SOAK_SEED=${seed} SOAK_ROUNDS=1 npm run soak -- -t ${kind}`;
      throw new Error(`${kind} came to a difference; repeat it with: ${again}`, { cause });
    }
  }
}
