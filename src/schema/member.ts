import type { ExecutionResult } from 'graphql';
import type { Context } from './context.ts';
import type { First } from './followed.ts';

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
  /** What happened up to this place is in what it is told first. */
  known: number;
  /** Things that something happened to while that was read, with the place of the latest event; null from then on. */
  meanwhile: Map<string, number> | null;
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

/** Somebody who was told nothing yet. */
export function newMember(subscriber: Subscriber): Member {
  return {
    ...subscriber,
    known: 0,
    meanwhile: new Map(),
    waiting: new Set(),
    busy: false,
    last: false,
    gone: null,
    listener: null,
  };
}

/** Notes what is told first: of what happened meanwhile only what is newer is still to be told. */
export function begin(member: Member, { ids, upTo, over }: First): void {
  member.known = upTo;
  member.last = over;
  for (const id of ids) member.waiting.add(id);
  for (const [id, position] of member.meanwhile ?? []) {
    if (position > upTo) member.waiting.add(id);
  }
  member.meanwhile = null;
}

/** Whether a member is to be told of a thing now; while what it is told first is read, the thing is noted instead. */
export function isNews({ known, meanwhile }: Member, id: string, position: number): boolean {
  meanwhile?.set(id, position);
  return meanwhile === null && position > known;
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
