import { setTimeout as sleep } from 'node:timers/promises';
import { typeIdOf } from '../base/ids.ts';
import { SECOND_MS } from '../base/units.ts';
import { isOutage } from '../store/database-errors.ts';
import type { CommandParts } from './command-parts.ts';
import { type Job, NotItsTurn } from './command-running.ts';

/** Pause before a vehicle's commands go on after the database failed [ms]. */
const OUTAGE_MS = 2 * SECOND_MS;
/** Pause before a command asks again whether another process is done with the vehicle [ms]. */
const TURN_MS = SECOND_MS / 2;

type Lane = { queue: Job[]; head: Job | null };

/** One lane for each vehicle, in which its commands are carried out one at a time, the oldest first. */
export type CommandLanes = {
  add: (job: Job) => void;
  find: (id: string) => Job | null;
  /** Everything that is in a lane. */
  jobs: () => Job[];
  /** What waits for a vehicle behind the command that is carried out. */
  behind: (vehicleId: string) => Job[];
  /** Begins nothing any more, and stops what waits; resolves when nothing is carried out. */
  close: () => Promise<void>;
};

/** How often a command may fail for a reason of our own before it is given up. */
const MOST_FAULTS = 4;

/** What is done with a command whose turn it is. */
type Work = {
  /** Carries it out. */
  lead: (job: Job) => Promise<void>;
  /** Ends it, for what carrying it out failed with again and again. */
  giveUp: (job: Job, cause: unknown) => Promise<void>;
};

/**
 * Opens the lanes. While the database is away a command is taken up again and again; what fails for another reason is, after
 * pauses that grow from `againMs`, given up, so that it does not stand in the way of the vehicle for ever.
 */
export function commandLanes(
  { lead, giveUp }: Work,
  log: CommandParts['log'],
  againMs: number,
): CommandLanes {
  const lanes = new Map<string, Lane>();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  const rest = (ms: number) =>
    sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);

  /** Has a command that failed taken up again, or gives it up; how long its lane rests first [ms]. */
  const afterFailure = async (lane: Lane, job: Job, error: unknown): Promise<number> => {
    const command = typeIdOf('Command', job.id);
    const faults = (job.faults ?? 0) + (isOutage(error) ? 0 : 1);
    job.faults = faults;
    try {
      if (faults >= MOST_FAULTS) {
        await giveUp(job, error);
        return 0;
      }
      if (isOutage(error)) {
        log.warn({ err: error, command }, 'A command was interrupted; it is taken up again.');
      }
    } catch (cause) {
      // Whoever finds it without a process takes it up, later.
      if (!isOutage(cause)) {
        log.error({ err: cause, command }, 'A command could not even be ended; it is left alone.');
        return 0;
      }
    }
    insert(lane.queue, job);
    return isOutage(error) ? OUTAGE_MS : againMs * 2 ** (faults - 1);
  };

  const work = async (vehicleId: string, lane: Lane) => {
    for (let job = lane.queue.shift(); job !== undefined; job = lane.queue.shift()) {
      if (closing.signal.aborted) break;
      lane.head = job;
      try {
        if (!job.stop.signal.aborted) await lead(job);
      } catch (error) {
        lane.head = null;
        if (error instanceof NotItsTurn) {
          insert(lane.queue, job);
          await rest(TURN_MS);
          continue;
        }
        await rest(await afterFailure(lane, job, error));
      }
    }
    lane.head = null;
    lanes.delete(vehicleId);
  };

  const inLane = ({ head, queue }: Lane) => (head === null ? [...queue] : [head, ...queue]);
  const jobs = () => [...lanes.values()].flatMap(inLane);

  return {
    add: (job) => {
      const { vehicleId } = job;
      if (closing.signal.aborted) return;
      const present = lanes.get(vehicleId);
      if (present !== undefined) {
        insert(present.queue, job);
        return;
      }
      const lane: Lane = { queue: [job], head: null };
      lanes.set(vehicleId, lane);
      const worked = work(vehicleId, lane).finally(() => running.delete(worked));
      running.add(worked);
    },
    find: (id) => jobs().find((job) => job.id === id) ?? null,
    jobs,
    behind: (vehicleId) => [...(lanes.get(vehicleId)?.queue ?? [])],
    close: async () => {
      closing.abort();
      for (const job of jobs()) job.stop.abort();
      await Promise.all(running);
    },
  };
}

/** Puts a job behind every older one: across processes too, the oldest goes first. */
function insert(queue: Job[], job: Job): void {
  const at = queue.findIndex((other) => isOlder(job, other));
  if (at < 0) queue.push(job);
  else queue.splice(at, 0, job);
}

function isOlder(one: Job, other: Job): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt;
  return one.id < other.id;
}
