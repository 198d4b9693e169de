import { spawn } from 'node:child_process';

/** Called for single keys on a terminal; `interrupt` is Ctrl-C, which arrives as a key while single keys are read. */
export type KeyActions = { q: () => void; o?: () => void; interrupt: () => void };

/** Listens to single keys on the terminal until the process ends. */
export function listenToKeys(actions: KeyActions): void {
  process.stdin.setRawMode(true);
  process.stdin.on('data', (bytes) => {
    for (const key of bytes.toString()) {
      if (key === '\u0003') actions.interrupt();
      else if (key === 'q') actions.q();
      else if (key === 'o') actions.o?.();
    }
  });
}

const openers: { readonly [platform: string]: readonly string[] } = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the person's browser; where that cannot be done nothing happens, for the address is on screen. */
export function openInBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = openers[process.platform] ?? [];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
