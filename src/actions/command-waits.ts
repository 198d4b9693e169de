import { commandStates } from '../contract/command-states.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';

/** Those who wait for commands to end. */
export type CommandWaits = {
  /** Waits until a command has ended, at most so long [ms]; whether it has. */
  ended: (id: string, withinMs: number) => Promise<boolean>;
  /** Has those who wait for a command look at it. */
  tell: (id: string) => void;
  /** Has everybody look. */
  tellAll: () => void;
};

/** Nobody waits yet. */
export function commandWaits(prisma: PrismaClient): CommandWaits {
  const waiting = new Map<string, Set<() => void>>();
  const hasEnded = async (id: string) => {
    const command = await prisma.command.findUnique({ where: { id }, select: { state: true } });
    return command === null || commandStates[command.state].ends;
  };
  return {
    ended: async (id, withinMs) => {
      let timer: NodeJS.Timeout | undefined;
      let wake = () => {};
      const told = new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, withinMs);
      });
      const others = waiting.get(id) ?? new Set();
      waiting.set(id, others.add(wake));
      try {
        // Only now, so that an end between the look and the wait is not missed.
        if (await hasEnded(id)) return true;
        await told;
        return await hasEnded(id);
      } finally {
        clearTimeout(timer);
        others.delete(wake);
        if (others.size === 0) waiting.delete(id);
      }
    },
    tell: (id) => {
      for (const wake of waiting.get(id) ?? []) wake();
    },
    tellAll: () => {
      for (const wakes of waiting.values()) for (const wake of wakes) wake();
    },
  };
}
