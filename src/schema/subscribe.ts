import { setTimeout as sleep } from 'node:timers/promises';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeDocument,
  type GraphQLError,
  print,
} from 'graphql';
import { isCredentialOver } from '../auth/caller-watch.ts';
import { SECOND_MS } from '../base/units.ts';
import { isDatabaseUnavailable } from '../store/database-errors.ts';
import { type Answers, answersOf } from './answers.ts';
import type { Context } from './context.ts';
import { formatError, rootCause } from './errors.ts';
import { askedOf, type Execution, type PreparedOperation } from './execute.ts';
import { followedBy } from './followed.ts';
import { share } from './topics.ts';
import { UntoldEvent } from './untold-event.ts';

/** What a subscription needs beyond an operation that is answered once. */
export type Subscribing = Execution & {
  /** A fresh context for the next event, with who calls by now. Throws ServiceError when the credential has ended. */
  renew: () => Promise<Context>;
  /** Takes what is called when the credential has ended while nothing happens; the reason becomes the last answer. */
  onEnd?: ((listener: (reason: unknown) => void) => void) | undefined;
};

/**
 * Runs a subscription for every door of the service, with the limits, scopes and masks of `execute`: first when it is
 * asked for, and with a fresh context for every event, once for all that are equal. What is wrong at the start is a
 * result; a credential that ends meanwhile is the last one. Never rejects.
 */
export async function subscribe(
  prepared: PreparedOperation,
  { renew, onEnd, ...execution }: Subscribing,
): Promise<Answers | ExecutionResult> {
  const { context } = execution;
  const fail = (errors: readonly GraphQLError[]) => ({
    errors: errors.map((error) => formatError(error, context)),
  });
  try {
    const asked = askedOf(prepared, execution, true);
    if ('errors' in asked) return fail(asked.errors);
    const { args } = asked;
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return fail(source.errors ?? []);
    const answer = (event: unknown, renewed: Context) => answerTo(args, event, renewed);
    const followed = followedBy(source);
    if (followed === undefined) {
      return answersTo(source[Symbol.asyncIterator](), { answer, renew, onEnd, context });
    }
    const question = questionOf(args);
    const shared = await share({ followed, question, context, renew, answer });
    onEnd?.(shared.fail);
    return answersOf(shared);
  } catch (error) {
    return { errors: [formatError(error, context)] };
  }
}

/** What is asked, as text; what is written differently may be told apart although it is the same. */
function questionOf({ document, operationName, variableValues }: ExecutionArgs): string {
  const text = document.loc?.source.body ?? print(document);
  return JSON.stringify([text, operationName ?? null, variableValues]);
}

/** The answer about one event; null where nobody is to be told. Rejects only while the database is out of reach. */
async function answerTo(
  args: ExecutionArgs,
  event: unknown,
  contextValue: Context,
): Promise<ExecutionResult | null> {
  try {
    const result = await executeDocument({ ...args, rootValue: event, contextValue });
    const { errors } = result;
    if (errors === undefined) return result;
    const causes = errors.map(rootCause);
    if (causes.some((cause) => cause instanceof UntoldEvent)) return null;
    const away = causes.find(isDatabaseUnavailable);
    if (away !== undefined) throw away;
    return { ...result, errors: errors.map((error) => formatError(error, contextValue)) };
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    return { errors: [formatError(error, contextValue)] };
  }
}

/** Pause before an event that could not be told is tried again [ms]. */
const RETRY_MS = SECOND_MS;
const untold = 'An event could not be told; it is tried again.';

type Running = Pick<Subscribing, 'renew' | 'onEnd' | 'context'> & {
  answer: (event: unknown, context: Context) => Promise<ExecutionResult | null>;
};

/** Not a generator: ending one waits for the event it waits for, which may never come. */
function answersTo(
  source: AsyncIterator<unknown>,
  { answer, renew, onEnd, context }: Running,
): Answers {
  const over: IteratorResult<ExecutionResult> = { done: true, value: undefined };
  let ended = false;
  let reason: { cause: unknown } | null = null;
  onEnd?.((cause) => {
    reason ??= { cause };
    void source.return?.();
  });

  async function end(): Promise<IteratorResult<ExecutionResult>> {
    ended = true;
    await source.return?.();
    return over;
  }

  /** The answer about an event, as soon as it can be made: only a credential that is over ends the subscription. */
  async function made(event: unknown): Promise<ExecutionResult | null> {
    for (let tries = 1; !ended; tries += 1) {
      if (reason !== null) throw reason.cause;
      try {
        return await answer(event, await renew());
      } catch (error) {
        if (isCredentialOver(error)) throw error;
        if (tries === 1) context.log.warn({ err: error }, untold);
        await sleep(RETRY_MS);
      }
    }
    return null;
  }

  const answers: Answers = {
    async next() {
      try {
        while (!ended) {
          const event = await source.next();
          if (ended) return over;
          if (reason !== null) throw reason.cause;
          if (event.done === true) return await end();
          const value = await made(event.value);
          if (value !== null) return { done: false, value };
        }
        return over;
      } catch (error) {
        if (ended) return over;
        await end();
        return { done: false, value: { errors: [formatError(error, context)] } };
      }
    },
    return: end,
    [Symbol.asyncIterator]: () => answers,
  };
  return answers;
}
