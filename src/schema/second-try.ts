import { SECOND_MS } from '../base/units.ts';

/** Pause before what could not be told is tried again [ms]. */
const RETRY_MS = SECOND_MS;

/** Things that could not be told and are to be told again. */
export type SecondTry = {
  /** Has a thing told again, with the place of its latest event. */
  note: (id: string, position: number) => void;
  /** Has all of it tried again after the pause. */
  soon: () => void;
  /** Whether nothing is left to be told again. */
  isDone: () => boolean;
  stop: () => void;
};

/** Calls `again` with what was noted, a second after the first of it unless `pauseMs` says otherwise. */
export function secondTry(
  again: (missed: ReadonlyMap<string, number>) => void,
  pauseMs: number = RETRY_MS,
): SecondTry {
  let missed = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      const before = missed;
      missed = new Map();
      again(before);
    }, pauseMs);
  };
  return {
    note(id, position) {
      missed.set(id, Math.max(position, missed.get(id) ?? 0));
      soon();
    },
    soon,
    isDone: () => missed.size === 0,
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
