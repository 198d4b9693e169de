import { typeIdOf } from '../base/ids.ts';
import { type CommandState, commandStates, unsentStates } from '../contract/command-states.ts';
import type { CommandParams, ParamValue } from '../contract/commands/command.ts';
import { type CommandStep, inVehicle, liveCommands, moveCommand } from '../store/commands.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import { leadLife } from './command-life.ts';
import { type CommandParts, usualPace } from './command-parts.ts';
import type { Job, Life } from './command-running.ts';

/** How long what is being sent may take to end when the desk closes [ms]. */
const CLOSE_MS = 3_000;
/** Pause before a vehicle's commands go on after the database failed [ms]. */
const OUTAGE_MS = 2_000;

/** Carries out commands: one at a time per vehicle, in the order they were accepted. */
export type CommandDesk = {
  parts: CommandParts;
  /** Carries out an accepted command, with the parameters that the ledger does not keep whole. */
  enqueue: (
    command: Pick<Command, 'id' | 'vehicleId' | 'expiresAt'>,
    params: CommandParams,
  ) => void;
  /** Ends a command that was not sent yet; null where it is further on or gone. */
  withdraw: (command: Pick<Command, 'id' | 'vehicleId'>, note: string) => Promise<Command | null>;
  /** To be called for commands that were moved by others, so that who waits for them learns of it. */
  moved: (command: Command) => void;
  /** Waits until a command has ended, at most so long; whether it has. */
  ended: (id: string, withinMs: number) => Promise<boolean>;
  /** Takes up what a stop or a crash left; resolves when all of it is on its way. */
  recover: () => Promise<void>;
  close: () => Promise<void>;
};

type Lane = { queue: Job[]; head: Job | null };

/** Opens the desk; `recover` it once the way to the maker is open. */
export function openCommandDesk(parts: CommandParts): CommandDesk {
  const { prisma, clock, log } = parts;
  const pace = { ...usualPace, ...parts.pace };
  const closing = new AbortController();
  const lanes = new Map<string, Lane>();
  const running = new Set<Promise<void>>();
  const waiting = new Map<string, Set<() => void>>();
  const timers = new Map<string, NodeJS.Timeout>();
  let closed = false;

  const moved = (command: Command) => {
    if (!commandStates[command.state].ends) return;
    clearTimeout(timers.get(command.id));
    timers.delete(command.id);
    for (const wake of waiting.get(command.id) ?? []) wake();
    jobOf(command)?.stop.abort();
  };

  const jobOf = ({ id, vehicleId }: Pick<Command, 'id' | 'vehicleId'>): Job | null => {
    const lane = vehicleId === null ? undefined : lanes.get(vehicleId);
    if (lane === undefined) return null;
    return lane.head?.id === id ? lane.head : (lane.queue.find((job) => job.id === id) ?? null);
  };

  const move: Life['move'] = async ({ id, vehicleId }, from, step) => {
    if (closing.signal.aborted) return null;
    const to: CommandStep = { ...step, at: clock() };
    const command = await inVehicle(prisma, vehicleId ?? id, (tx) => moveCommand(tx, id, from, to));
    if (command !== null) moved(command);
    return command;
  };

  const expire = async (command: Pick<Command, 'id' | 'vehicleId'>) => {
    const message = 'The deadline passed before anything was sent.';
    const failure = {
      failureCode: 'vehicle_unavailable',
      failureMessage: message,
      retryable: true,
    };
    await move(command, unsentStates, { state: 'TIMED_OUT', note: message, columns: failure });
  };

  const life: Life = {
    parts,
    pace,
    move,
    closing: closing.signal,
    // Those that wait for the same vehicle shared its wake, and share its failure: each would pay for another.
    wakeFailed: async (vehicleId, { state, code, message, retryable }) => {
      const columns = { failureCode: code, failureMessage: message, retryable };
      for (const { id } of [...(lanes.get(vehicleId)?.queue ?? [])]) {
        await move({ id, vehicleId }, ['QUEUED'], { state, note: message, columns });
      }
    },
  };

  const work = async (vehicleId: string, lane: Lane) => {
    for (let job = lane.queue.shift(); job !== undefined; job = lane.queue.shift()) {
      if (closing.signal.aborted || closed) return;
      lane.head = job;
      try {
        if (!job.stop.signal.aborted) await leadLife(job, life);
      } catch (error) {
        log.warn(
          { err: error, command: typeIdOf('Command', job.id) },
          'A command was interrupted; it is taken up again.',
        );
        lane.queue.unshift(job);
        await new Promise((resolve) => setTimeout(resolve, closed ? 0 : OUTAGE_MS));
      }
    }
    lane.head = null;
    lanes.delete(vehicleId);
  };

  const enqueue: CommandDesk['enqueue'] = ({ id, vehicleId, expiresAt }, params) => {
    if (vehicleId === null || closed) return;
    const job = { id, vehicleId, params, stop: new AbortController() };
    const timer = setTimeout(
      () => {
        timers.delete(id);
        expire({ id, vehicleId }).catch((error: unknown) =>
          log.warn({ err: error }, 'A command’s deadline was not noted; its own turn will.'),
        );
      },
      Math.max(0, expiresAt.getTime() - clock()),
    );
    timers.set(id, timer);
    const present = lanes.get(vehicleId);
    if (present !== undefined) {
      present.queue.push(job);
      return;
    }
    const lane: Lane = { queue: [job], head: null };
    lanes.set(vehicleId, lane);
    const worked = work(vehicleId, lane).finally(() => running.delete(worked));
    running.add(worked);
  };

  /** Without what was under way its commands would wait for the next start, and so would their idempotency keys. */
  const untilRead = async <T>(read: () => Promise<T[]>): Promise<T[]> => {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        if (closed) return [];
        log.warn({ err: error }, 'Commands that were under way are read again.');
        await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
      }
      if (closed) return [];
    }
  };

  return {
    parts,
    enqueue,
    moved,
    withdraw: (command, note) => move(command, unsentStates, { state: 'CANCELLED', note }),
    ended: (id, withinMs) => endedWithin(id, withinMs, { waiting, prisma }),
    recover: async () => {
      const orphans: Command[] = [];
      for (const command of await untilRead(() => liveCommands(prisma))) {
        if (command.vehicleId !== null) enqueue(command, storedParams(command.parameters));
        else orphans.push(command);
      }
      for (const command of orphans) {
        await endOrphan(command, move).catch((error: unknown) =>
          log.warn({ err: error }, 'A command without a vehicle is ended by the next start.'),
        );
      }
    },
    close: async () => {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      for (const lane of lanes.values()) {
        for (const job of [...lane.queue, ...(lane.head === null ? [] : [lane.head])])
          job.stop.abort();
      }
      const late = setTimeout(() => closing.abort(), CLOSE_MS);
      await Promise.all(running);
      clearTimeout(late);
      closing.abort();
      for (const wakes of waiting.values()) for (const wake of wakes) wake();
    },
  };
}

/** A command whose vehicle is gone. */
async function endOrphan(command: Command, move: Life['move']): Promise<void> {
  const from: readonly CommandState[] = [command.state];
  const message = 'The vehicle is gone.';
  const sent = command.state === 'SENDING' || command.state === 'ACKNOWLEDGED';
  const columns = { failureCode: 'not_found', failureMessage: message, retryable: false };
  await move(command, from, { state: sent ? 'UNKNOWN' : 'CANCELLED', note: message, columns });
}

/** Parameters as the ledger keeps them; only this service writes them. */
function storedParams(stored: unknown): CommandParams {
  if (typeof stored !== 'object' || stored === null) return {};
  const isValue = (value: unknown): value is ParamValue =>
    ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  const params: Record<string, ParamValue> = {};
  for (const [name, value] of Object.entries(stored)) if (isValue(value)) params[name] = value;
  return params;
}

async function endedWithin(
  id: string,
  withinMs: number,
  { waiting, prisma }: { waiting: Map<string, Set<() => void>>; prisma: CommandParts['prisma'] },
): Promise<boolean> {
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
    const hasEnded = async () => {
      const command = await prisma.command.findUnique({ where: { id }, select: { state: true } });
      return command === null || commandStates[command.state].ends;
    };
    if (await hasEnded()) return true;
    await told;
    return await hasEnded();
  } finally {
    clearTimeout(timer);
    others.delete(wake);
    if (others.size === 0) waiting.delete(id);
  }
}
