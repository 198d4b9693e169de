type Step = { name: string; close: () => Promise<void> | void };

/**
 * What was started, ended in reverse order: each step has its own time limit, and a step that fails or hangs does not
 * keep the others from ending.
 */
export class Disposables {
  readonly #steps: Step[] = [];
  readonly #limitMs: number;
  readonly #failed: (name: string, cause: unknown) => void;
  #closing: Promise<void> | null = null;

  constructor(limitMs: number, failed: (name: string, cause: unknown) => void) {
    this.#limitMs = limitMs;
    this.#failed = failed;
  }

  /** Registers how to end what was just started. */
  add(name: string, close: () => Promise<void> | void): void {
    this.#steps.push({ name, close });
  }

  /** Ends everything once, newest first; a second call waits for the first. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#run();
    return this.#closing;
  }

  async #run(): Promise<void> {
    for (const step of this.#steps.reverse()) {
      try {
        await within(this.#limitMs, Promise.resolve(step.close()), `Closing ${step.name}`);
      } catch (cause) {
        this.#failed(step.name, cause);
      }
    }
  }
}

/** Settles as `promise` does, or rejects with an Error naming `what` when it takes longer than `limitMs`. */
export async function within<T>(limitMs: number, promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs} ms.`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
