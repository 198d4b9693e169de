import type { Expectation } from './commands/command.ts';
import type { SignalValues } from './signals.ts';

/** What a look at a vehicle's state says of a command: it is as asked, it is not, or it does not tell. */
export type Verdict = 'met' | 'contradicted' | 'silent';

/** Holds expectations against signals; all have to be met, and one that is contradicted decides. */
export function verdictOf(expectations: readonly Expectation[], signals: SignalValues): Verdict {
  const verdicts = expectations.map((expectation) => verdictOn(expectation, signals));
  if (verdicts.includes('contradicted')) return 'contradicted';
  return verdicts.length === 0 || verdicts.includes('silent') ? 'silent' : 'met';
}

function verdictOn(expectation: Expectation, signals: SignalValues): Verdict {
  const value = signals[expectation.signal];
  if (value === undefined || value === null) return 'silent';
  if ('in' in expectation) return expectation.in.includes(value) ? 'met' : 'contradicted';
  const apart = typeof value === 'number' ? Math.abs(value - expectation.near) : Number.POSITIVE_INFINITY;
  return apart <= expectation.tolerance ? 'met' : 'contradicted';
}
