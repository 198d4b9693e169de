/** Keys that wait at a time; beyond them the oldest is dropped. */
const MAX_KEYS = 1_000;

/** A place that things wait in until they are asked for: of one key only the latest. */
export type LatestValues<T> = AsyncIterableIterator<T> & {
  /** Puts a value; one that waits under the same key is replaced where it stands. */
  put: (key: string, value: T) => void;
  /** Tells no more than what waits already. */
  end: () => void;
  return: () => Promise<IteratorResult<T>>;
};

/**
 * Such a place. A slow reader finds the latest value of each key and never more than `maxKeys` of them. `left` is called
 * once, when the reader leaves or has read the last.
 */
export function latestValues<T>(left: () => void, maxKeys = MAX_KEYS): LatestValues<T> {
  const waiting = new Map<string, T>();
  const over: IteratorResult<T> = { done: true, value: undefined };
  let asked: ((result: IteratorResult<T>) => void) | null = null;
  let ended = false;
  let gone = false;

  function leave(): IteratorResult<T> {
    if (!gone) left();
    gone = true;
    waiting.clear();
    asked?.(over);
    asked = null;
    return over;
  }

  function taken(): IteratorResult<T> | null {
    const [first] = waiting;
    if (first === undefined) return ended || gone ? leave() : null;
    waiting.delete(first[0]);
    return { done: false, value: first[1] };
  }

  return {
    put(key, value) {
      if (gone || ended) return;
      waiting.set(key, value);
      if (waiting.size > maxKeys) {
        const [oldest] = waiting.keys();
        if (oldest !== undefined) waiting.delete(oldest);
      }
      if (asked === null) return;
      const tell = asked;
      asked = null;
      tell(taken() ?? over);
    },
    end() {
      ended = true;
      if (asked !== null) leave();
    },
    next: () => {
      const result = taken();
      if (result !== null) return Promise.resolve(result);
      return new Promise((resolve) => {
        asked = resolve;
      });
    },
    // Not of a generator: that would wait for a `next` under way, which may never come.
    return: () => Promise.resolve(leave()),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
