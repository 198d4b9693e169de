import { newUuid } from '../base/ids.ts';
import {
  type CommandOwner,
  releaseCommands,
  renewCommands,
  takeCommands,
} from '../store/command-leases.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import type { CommandParts } from './command-parts.ts';

/** A lease outlasts that many looks: one or two of them may come late or fail. */
const LOOKS_PER_LEASE = 3;

/** What of the desk the leases follow. */
type Held = {
  /** Ids of the commands that the desk has. */
  ids: () => string[];
  /** Called for one that another process carries out, or that somebody ended. */
  lost: (id: string) => void;
  /** Called for commands that were nobody's any more, the oldest first. */
  take: (commands: readonly Command[]) => void;
};

/** Holds the commands of a desk, and takes up those that another process left. */
export type Custody = {
  owner: CommandOwner;
  /** Renews and takes up once, and says whether the database answered. */
  look: () => Promise<boolean>;
  /** Whether a command of the owner that was accepted then (epoch ms) is surely still leased. */
  isHeld: (acceptedAt: number) => boolean;
  /** Looks again and again until it is closed. */
  follow: () => void;
  /** Lets go of what was not finished. */
  close: () => Promise<void>;
};

/** Opens the custody of a desk's commands under a name of its own. */
export function openCustody(
  { prisma, log, clock, alone = false }: Pick<CommandParts, 'prisma' | 'log' | 'clock' | 'alone'>,
  leaseMs: number,
  held: Held,
): Custody {
  const owner: CommandOwner = { id: newUuid(), leaseMs };
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  let failing = false;
  let renewedAt = 0;
  let looking: Promise<unknown> = Promise.resolve();

  const look = async () => {
    try {
      const at = clock();
      const ids = held.ids();
      const kept = await renewCommands(prisma, ids, owner);
      for (const id of ids) if (!kept.has(id)) held.lost(id);
      const left = await takeCommands(prisma, owner, { held: held.ids(), alone });
      renewedAt = at;
      if (left.length > 0) {
        log.info({ commands: left.length }, 'Commands that were left under way are taken up.');
        held.take(left);
      }
      failing = false;
      return true;
    } catch (error) {
      if (!failing && !closed) log.warn({ err: error }, 'Commands under way could not be held.');
      failing = true;
      return false;
    }
  };

  const follow = () => {
    if (closed) return;
    timer = setTimeout(() => {
      looking = look().finally(follow);
    }, leaseMs / LOOKS_PER_LEASE);
    timer.unref();
  };

  return {
    owner,
    look,
    isHeld: (acceptedAt) => clock() - Math.max(acceptedAt, renewedAt) < leaseMs,
    follow,
    close: async () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await looking;
      await releaseCommands(prisma, owner).catch((error: unknown) =>
        log.warn({ err: error }, 'Commands under way were not let go of; their leases will end.'),
      );
    },
  };
}
