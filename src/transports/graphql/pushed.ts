import type { ExecutionResult } from 'graphql';
import type { Answers } from '../../schema/answers.ts';
import type { Shared } from '../../schema/topics.ts';
import { frameOf } from './frames.ts';
import type { Wire } from './wire.ts';
import { resultWithoutStatus } from './without-status.ts';

/** Where the answers of a shared subscription go. */
export type Destination = {
  wire: Wire;
  operationId: string;
  /** Called with the reason when the subscriber may not be told more; says whether that closed the socket. */
  ended: (cause: unknown) => boolean;
};

const bare = new WeakMap<ExecutionResult, ExecutionResult>();

/** The answer without HTTP statuses, the same object each time, so that it is serialised once. */
function forSockets(answer: ExecutionResult): ExecutionResult {
  if (answer.errors === undefined) return answer;
  const known = bare.get(answer) ?? resultWithoutStatus(answer);
  bare.set(answer, known);
  return known;
}

/**
 * What the protocol waits for while the answers of a shared subscription go to the socket by themselves: it yields nothing,
 * and is over when they are.
 */
export function pushed(shared: Shared, { wire, operationId, ended }: Destination): Answers {
  const done: IteratorReturnResult<undefined> = { done: true, value: undefined };
  let unhook = () => {};
  let finish = (_done: typeof done) => {};
  let over: Promise<typeof done> | null = null;
  const tell = (answer: ExecutionResult) => wire.write(frameOf(forSockets(answer), operationId));

  function stop(): void {
    unhook();
    finish(done);
  }

  function begin(): Promise<typeof done> {
    const waiting = new Promise<typeof done>((resolve) => {
      finish = resolve;
    });
    over = waiting;
    unhook = wire.onReady(shared.resume);
    shared.listen({
      ready: wire.ready,
      tell,
      over(reason) {
        if (reason !== undefined && !ended(reason.cause)) tell(shared.lastAnswer(reason.cause));
        stop();
      },
    });
    return waiting;
  }

  const answers: Answers = {
    next: () => over ?? begin(),
    async return() {
      shared.leave();
      over ??= Promise.resolve(done);
      stop();
      return done;
    },
    [Symbol.asyncIterator]: () => answers,
  };
  return answers;
}
