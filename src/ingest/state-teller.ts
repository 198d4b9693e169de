import type { Clock } from '../base/clock.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { emptyFold } from '../store/history.ts';
import { inCommit, loadMachine, storeMachine } from './apply.ts';
import type { MachineState } from './state.ts';
import { paced, STATE_PACE_MS } from './state-pace.ts';

/** Tells what was held back of vehicles' states when its time has come. */
export type StateTeller = {
  /** To be called with the state that a commit left. */
  after: (vehicleId: string, state: Pick<MachineState, 'news'>) => void;
  /** Tells no more; what is held stands in the database, and the next look at the vehicle tells it. */
  close: () => Promise<void>;
};

type TellerParts = {
  prisma: PrismaClient;
  clock: Clock;
  log: { warn: (facts: object, message: string) => void };
};

/** A teller with a timer for each vehicle of which something is held. */
export function createStateTeller({ prisma, clock, log }: TellerParts): StateTeller {
  const timers = new Map<string, NodeJS.Timeout>();
  const telling = new Set<Promise<void>>();
  let closed = false;
  /** Whether the last try failed; an outage is one line of the log. */
  let failing = false;

  const later = (vehicleId: string) => {
    if (closed || timers.has(vehicleId)) return;
    const timer = setTimeout(() => {
      timers.delete(vehicleId);
      const told = tellHeldState(prisma, vehicleId, clock())
        .then((state) => {
          failing = false;
          if (state !== null) after(vehicleId, state);
        })
        .catch((error: unknown) => {
          if (!failing) log.warn({ err: error, vehicleId }, 'A change of state is told later.');
          failing = true;
          later(vehicleId);
        })
        .finally(() => telling.delete(told));
      telling.add(told);
    }, STATE_PACE_MS);
    timers.set(vehicleId, timer);
  };
  const after: StateTeller['after'] = (vehicleId, { news }) => {
    if (news?.held != null) later(vehicleId);
  };

  return {
    after,
    close: async () => {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(telling);
    },
  };
}

/** Tells what was held back of a vehicle's state, if it is time at `at` (epoch ms); the state then, or null where it is gone. */
async function tellHeldState(
  prisma: PrismaClient,
  vehicleId: string,
  at: number,
): Promise<MachineState | null> {
  return inCommit(prisma, vehicleId, async (tx) => {
    // Whoever removes a vehicle for ever does not wait until all of it is told.
    if ((await tx.vehicleMachine.count({ where: { vehicleId } })) === 0) return null;
    const { target, state: before } = await loadMachine(tx, vehicleId);
    const { events, news } = paced(before.news, [], at);
    if (news === before.news || events.length === 0) return before;
    const state = { ...before, news };
    await storeMachine(tx, target, state, { ...emptyFold(), events });
    return state;
  });
}
