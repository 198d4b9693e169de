/** How a check ended: fine, worth a look, or in the way. */
export type CheckLevel = 'OK' | 'WARN' | 'FAIL';

/** One thing that was looked at, for people and, by its id, for programs. */
export type Check = {
  /** Stays the same from one run to the next, such as `registration.EU`. */
  id: string;
  level: CheckLevel;
  /** What was found, with what it is about. */
  says: string;
  /** What to do; null where nothing is to be done. */
  next: string | null;
};

/** A check that found nothing wrong. */
export function fine(id: string, says: string): Check {
  return { id, level: 'OK', says, next: null };
}

/** A check that found something worth a look. */
export function odd(id: string, says: string, next: string): Check {
  return { id, level: 'WARN', says, next };
}

/** A check that found what is in the way. */
export function wrong(id: string, says: string, next: string): Check {
  return { id, level: 'FAIL', says, next };
}
