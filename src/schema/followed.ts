/** Takes what happens. */
export type Follower = {
  /** Something happened to the thing of an id, at a place in the order of events. */
  told: (id: string, position: number) => void;
  /** Nothing happens any more. */
  over: () => void;
};

/** What one subscriber is told before anything happens. */
export type First = {
  ids: readonly string[];
  /** What happened up to this place is in it. */
  upTo: number;
  /** Whether nothing can come after it. */
  over: boolean;
};

/** What subscriptions follow, by ids of things; equal ones are followed once (`topic.ts`). */
export type Followed = {
  /** Tells apart what is asked in the same words: a name may be another vehicle's by now. */
  of?: string;
  /** Begins to follow; resolves with how to stop. */
  follow: (follower: Follower) => Promise<() => void>;
  /** Reads how things are; called for every subscriber, after the following began. */
  first: () => Promise<First>;
};

/** What a field of the schema returns to be followed: `resolve` is given the ids. */
export type Following = AsyncIterable<string>;

const followings = new WeakMap<object, Followed>();

/** Wraps what is followed as graphql-js wants it, for `followedBy` to find; nobody reads it as the list that it seems. */
export function following(followed: Followed): Following {
  const shell: Following = { [Symbol.asyncIterator]: () => ({ next: notRead }) };
  followings.set(shell, followed);
  return shell;
}

async function notRead(): Promise<never> {
  throw new Error('What is followed is told by its topic.');
}

/** What was wrapped; undefined for a stream of its own, such as that of `events`. */
export function followedBy(source: object): Followed | undefined {
  return followings.get(source);
}
