import { exitCodeOf, failureText } from './operator-words.ts';

/** The result on standard output, where a program can take it from. */
export function out(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** What a person may want to know, on standard error. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** An action whose failure becomes a sentence and an exit code: 2 for a wrong use, 1 otherwise. */
export function guarded<A extends unknown[]>(
  work: (...args: A) => Promise<void>,
): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args);
    } catch (cause) {
      process.stderr.write(failureText(cause));
      process.exitCode = exitCodeOf(cause);
    }
  };
}
