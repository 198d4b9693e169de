import type { Log } from './log.ts';

const written = new WeakSet<object>();

/**
 * Writes what failed a request to the log, with its cause, once: a failure passes several doors on its way out, and fails
 * many fields of one answer.
 */
export function logFailure(
  log: Pick<Log, 'error'>,
  failure: unknown,
  facts: Readonly<Record<string, string | undefined>>,
): void {
  const error = failure instanceof Error ? failure : new Error(String(failure));
  if (causesOf(error).some((one) => written.has(one))) return;
  written.add(error);
  log.error({ err: error, ...facts }, 'A request failed.');
}

/** Says of the form in which a failure goes on to its caller that what it stands for was written down. */
export function standsForLogged(form: Error): void {
  written.add(form);
}

function causesOf(error: Error): Error[] {
  const found: Error[] = [];
  for (let each: unknown = error; each instanceof Error && !found.includes(each); ) {
    found.push(each);
    each = each.cause;
  }
  return found;
}
