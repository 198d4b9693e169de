import type { ExecutionResult } from 'graphql';
import type { Context } from './context.ts';

/** Things that wait for one subscriber at a time; beyond them the oldest is dropped. */
const MOST_WAITING = 1_000;

/** Who is told, and by which door. */
export type Listener = {
  /** Whether it takes an answer now; where it does not, `resume` is called when it does. */
  ready: () => boolean;
  tell: (answer: ExecutionResult) => void;
  /** Called once when no more comes; with the reason where the subscriber may not be told more. */
  over: (reason?: { cause: unknown }) => void;
};

/** Who asks to be told. */
export type Subscriber = {
  /** Whose credential it holds; those of one credential are looked up together. */
  credential: string;
  /** A fresh context, with who calls by now; throws when the credential has ended. */
  renew: () => Promise<Context>;
};

/** One subscriber of a topic. */
export type Member = Subscriber & {
  /** What happened up to this place is in what it was told first. */
  known: number;
  /** Ids of things that it is to be told of when it can be. */
  waiting: Set<string>;
  /** Whether it is being told what waits. */
  busy: boolean;
  /** Whether nothing comes after what waits. */
  last: boolean;
  /** Set when it is told no more. */
  gone: { reason?: { cause: unknown } } | null;
  /** Null until it begins to be told. */
  listener: Listener | null;
};

/** Somebody who was told nothing yet, and hears nothing until it is known what had happened. */
export function newMember(subscriber: Subscriber): Member {
  return {
    ...subscriber,
    known: Number.POSITIVE_INFINITY,
    waiting: new Set(),
    busy: false,
    last: false,
    gone: null,
    listener: null,
  };
}

/** Whether a member can be told at once; else what there is waits. */
export function takes({ busy, waiting, listener }: Member): boolean {
  return !busy && waiting.size === 0 && listener?.ready() === true;
}

/** Keeps the id of what a member is to be told of later. */
export function keep({ waiting }: Member, id: string): void {
  waiting.add(id);
  const [oldest] = waiting;
  if (waiting.size > MOST_WAITING && oldest !== undefined) waiting.delete(oldest);
}
