import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/units.ts';
import { isDatabaseUnavailable, isDiskFull } from '../store/database-errors.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { emptyFold } from '../store/history.ts';
import { inCommit, loadMachine, storeMachine } from './apply.ts';
import type { MachineState } from './state.ts';
import { paced, STATE_PACE_MS } from './state-pace.ts';

/** The longest time between two tries while the database is away. */
const LONGEST_PAUSE_MS = 30 * SECOND_MS;

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

  const later = (vehicleId: string, failures = 0) => {
    if (closed || timers.has(vehicleId)) return;
    const timer = setTimeout(() => {
      timers.delete(vehicleId);
      const told = tellHeldState(prisma, vehicleId, clock())
        .then((state) => {
          if (state !== null) after(vehicleId, state);
        })
        .catch((error: unknown) => {
          if (failures === 0) {
            log.warn({ err: error, vehicleId }, 'A change of state is told later.');
          }
          // What fails by itself would fail again; the next look at the vehicle tries it.
          if (isDatabaseUnavailable(error) || isDiskFull(error)) later(vehicleId, failures + 1);
        })
        .finally(() => telling.delete(told));
      telling.add(told);
    }, pauseMs(failures));
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

/** A second, and twice as long after each look in vain at a database that is away, up to half a minute. */
function pauseMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, STATE_PACE_MS * 2 ** Math.min(failures, 20));
}

/** Tells what was held back of a vehicle's state, if it is time at `at` (epoch ms); returns the state then, null of a vehicle that is gone. */
async function tellHeldState(
  prisma: PrismaClient,
  vehicleId: string,
  at: number,
): Promise<MachineState | null> {
  return inCommit(prisma, vehicleId, async (tx) => {
    if ((await tx.vehicle.count({ where: { id: vehicleId } })) === 0) return null;
    const { target, state: before } = await loadMachine(tx, vehicleId);
    const { events, news } = paced(before.news, [], at);
    if (news === before.news || events.length === 0) return before;
    const state = { ...before, news };
    await storeMachine(tx, target, state, { ...emptyFold(), events });
    return state;
  });
}
