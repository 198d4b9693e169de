import { isIdempotent } from '../contract/command-params.ts';
import type { Expectation } from '../contract/commands/command.ts';
import { type Verdict, verdictOf } from '../contract/expectations.ts';
import { endIn, isOver, LifeOver, pause, type Running, step } from './command-running.ts';

/** What the vehicle's state has to show once the command has happened; nothing where it does not tell. */
export function expectationsOf({ row, job }: Running): readonly Expectation[] {
  return row.verify?.(job.params) ?? [];
}

/** Reads the vehicle's state once and holds it against what the command asks. */
export async function lookForIt(running: Running): Promise<Verdict> {
  const { link } = running;
  const expectations = expectationsOf(running);
  if (expectations.length === 0) return 'silent';
  const signals = await link.readState();
  if (running.closing.aborted) throw new LifeOver();
  return signals === null ? 'silent' : verdictOf(expectations, signals);
}

/** Looks until the vehicle shows what was asked of it, a few times and no longer than the deadline. */
export async function verify(running: Running): Promise<void> {
  const from = ['ACKNOWLEDGED'] as const;
  let verdict: Verdict = 'silent';
  let cutShort = false;
  for (const waitMs of running.pace.verify) {
    await pause(running, waitMs);
    // What the vehicle did not show yet it may still have come to show.
    cutShort = isOver(running);
    if (cutShort) break;
    verdict = await lookForIt(running);
    if (verdict !== 'met') continue;
    await step(running, from, { state: 'SUCCEEDED', columns: { verified: true } });
    return;
  }
  if (verdict === 'contradicted' && !cutShort) {
    const message = 'The maker said yes, but the vehicle does not show it.';
    const retryable = isIdempotent(running.row, running.job.params);
    await endIn(
      running,
      running.command,
      { state: 'FAILED', code: 'maker_error', message, retryable },
      { verified: false },
    );
    return;
  }
  const note = 'The vehicle’s state could not be checked.';
  await step(running, from, { state: 'SUCCEEDED', note, columns: { verified: false } });
}
