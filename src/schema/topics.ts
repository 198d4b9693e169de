import type { ExecutionResult } from 'graphql';
import type { EventFeed } from '../actions/event-feed.ts';
import { viewOf } from '../auth/view.ts';
import type { Context } from './context.ts';
import { formatError } from './errors.ts';
import type { Followed } from './followed.ts';
import type { Listener } from './member.ts';
import { createTopic, type Topic, type TopicParts } from './topic.ts';

/** A subscription that is told with all that equal it. */
export type Shared = {
  /** Begins to tell. */
  listen: (listener: Listener) => void;
  /** Says that the listener takes more. */
  resume: () => void;
  /** Ends it for a reason that comes from outside. */
  fail: (cause: unknown) => void;
  leave: () => void;
  /** A reason as the last answer says it. */
  lastAnswer: (cause: unknown) => ExecutionResult;
};

/** A subscription that was asked for. */
export type Asking = {
  followed: Followed;
  /** What was asked: subscriptions of one text and one view are equal. */
  question: string;
  context: Context;
  renew: () => Promise<Context>;
  answer: TopicParts['answer'];
};

const topicsOf = new WeakMap<EventFeed, Map<string, Topic>>();

function topicFor({ followed, question, context, answer }: Asking): Topic {
  const { feed, surface, principal, log } = context;
  const topics = topicsOf.get(feed) ?? new Map<string, Topic>();
  topicsOf.set(feed, topics);
  const view = viewOf(principal);
  const key = JSON.stringify([surface, view, question, followed.of ?? null]);
  const known = topics.get(key);
  if (known !== undefined) return known;
  const topic = createTopic({
    followed,
    view,
    answer,
    closed: () => {
      if (topics.get(key) === topic) topics.delete(key);
    },
    failed: (cause) => log.warn({ err: cause }, 'An event could not be told; it is tried again.'),
  });
  topics.set(key, topic);
  return topic;
}

/**
 * Joins the equal subscriptions of the process: same question, same view of its caller. Throws what reading the present
 * throws.
 */
export async function share(asking: Asking): Promise<Shared> {
  const { context, renew, followed } = asking;
  const { log, requestId } = context;
  const topic = topicFor(asking);
  const credential = context.principal?.credential.id ?? 'nobody';
  const member = await topic.join({ credential, renew }, followed);
  return {
    listen: (listener) => topic.listen(member, listener),
    resume: () => topic.resume(member),
    fail: (cause) => topic.fail(member, cause),
    leave: () => topic.leave(member),
    lastAnswer: (cause) => ({ errors: [formatError(cause, { log, requestId })] }),
  };
}
