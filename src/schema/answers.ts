import type { ExecutionResult } from 'graphql';
import type { Shared } from './topics.ts';

/** The answers of a subscription; ending it ends what it follows. */
export type Answers = AsyncIterableIterator<ExecutionResult> & {
  return: () => Promise<IteratorResult<ExecutionResult>>;
  /** How to be told without asking for each answer; absent where answers are made for this subscription alone. */
  shared?: Shared;
};

/** The answers of a shared subscription for who asks for each. */
export function answersOf(shared: Shared): Answers {
  const done: IteratorResult<ExecutionResult> = { done: true, value: undefined };
  let asked: ((result: IteratorResult<ExecutionResult>) => void) | null = null;
  let last: ExecutionResult | null = null;
  let ended = false;
  let listening = false;

  function give(result: IteratorResult<ExecutionResult>): void {
    const tell = asked;
    asked = null;
    tell?.(result);
  }

  const listener = {
    ready: () => asked !== null,
    tell: (value: ExecutionResult) => give({ done: false, value }),
    over(reason?: { cause: unknown }) {
      ended = true;
      if (reason !== undefined) last = shared.lastAnswer(reason.cause);
      if (asked !== null) give(taken());
    },
  };

  function taken(): IteratorResult<ExecutionResult> {
    const value = last;
    last = null;
    return value === null ? done : { done: false, value };
  }

  const answers: Answers = {
    shared,
    next() {
      if (ended) return Promise.resolve(taken());
      const answer = new Promise<IteratorResult<ExecutionResult>>((resolve) => {
        asked = resolve;
      });
      if (listening) shared.resume();
      else {
        listening = true;
        shared.listen(listener);
      }
      return answer;
    },
    async return() {
      shared.leave();
      ended = true;
      last = null;
      give(done);
      return done;
    },
    [Symbol.asyncIterator]: () => answers,
  };
  return answers;
}
