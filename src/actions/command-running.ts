import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '../base/errors.ts';
import type { CommandState } from '../contract/command-states.ts';
import type { CommandParams, CommandRow } from '../contract/commands/command.ts';
import type { StateTeller } from '../ingest/state-teller.ts';
import type { CommandStep } from '../store/commands.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import type { VehicleLink } from './command-link.ts';
import type { CommandPace, CommandParts } from './command-parts.ts';

/** A command to carry out: its id, when it was given (epoch ms), and its parameters with what the ledger does not keep. */
export type Job = {
  id: string;
  vehicleId: string;
  createdAt: number;
  params: CommandParams;
  stop: AbortController;
  /** What the ledger is to say in `refused`, for as long as it could not be written there. */
  refused?: boolean;
  /** How often carrying it out failed for a reason of our own. */
  faults?: number;
};

/**
 * Moves a command on and tells who waits for it; null where somebody else ended it or carries it out. Throws NotItsTurn
 * where it would begin before another process is done with the vehicle, and TooManyWakes for a wake beyond the limits.
 */
export type Mover = (
  command: Pick<Command, 'id' | 'vehicleId'>,
  from: readonly CommandState[],
  step: Omit<CommandStep, 'at'>,
) => Promise<Command | null>;

/** What a life is led with. */
export type Life = {
  parts: CommandParts;
  pace: CommandPace;
  move: Mover;
  /** Whether it may begin, or another process's command for the vehicle comes first. */
  inTurn: (id: string) => Promise<boolean>;
  /** Whether the lease of a command that was given then (epoch ms) cannot have ended yet. */
  isHeld: (createdAt: number) => boolean;
  /** Ends with the desk: nothing is written after it, and the next start completes what is left. */
  closing: AbortSignal;
  /** Tells what looks at vehicles changed, at its pace. */
  teller: StateTeller;
  /** Tells the commands that wait behind this one that the vehicle does not wake. */
  wakeFailed: (vehicleId: string, why: Ending) => Promise<void>;
};

/** How a command ends that does not succeed. */
export type Ending = { state: CommandState; code: ErrorCode; message: string; retryable: boolean };

/** Nothing is left to do: the command was ended or taken over by somebody else, or the desk closes. */
export class LifeOver extends Error {}

/** The vehicle was woken as often as it may be; `nextAt` is when it may be again (epoch ms). */
export class TooManyWakes extends Error {
  readonly nextAt: number;

  constructor(nextAt: number) {
    super('The vehicle was woken as often as it may be.');
    this.name = 'TooManyWakes';
    this.nextAt = nextAt;
  }
}

/** Another process carries out a command for the vehicle, or has an older one; this one is tried again. */
export class NotItsTurn extends Error {}

/** A life under way: the command as it was when the life began, its row, and the way to its vehicle. */
export type Running = Life & { job: Job; row: CommandRow; command: Command; link: VehicleLink };

/** Ends a command without success, whatever live state it is in; false where somebody else ended it. */
export async function endIn(
  { move }: Pick<Life, 'move'>,
  command: Command,
  { state, code, message, retryable }: Ending,
  columns: CommandStep['columns'] = {},
): Promise<boolean> {
  const failure = { failureCode: code, failureMessage: message, retryable };
  const ended = await move(command, ['QUEUED', 'WAKING', 'SENDING', 'ACKNOWLEDGED'], {
    state,
    note: message,
    columns: { ...columns, ...failure },
  });
  return ended !== null;
}

/** Moves the command on. Throws LifeOver where it is in none of the states any more. */
export async function step(
  { move, command }: Running,
  from: readonly CommandState[],
  to: Omit<CommandStep, 'at'>,
): Promise<Command> {
  const moved = await move(command, from, to);
  if (moved === null) throw new LifeOver();
  return moved;
}

/** Waits, at most until the deadline; ends the life where the command was taken back or the desk closes. */
export async function pause({ job, closing, command, parts }: Running, ms: number): Promise<void> {
  const leftMs = command.expiresAt.getTime() - parts.clock();
  const signal = job.stop.signal;
  if (closing.aborted || signal.aborted) throw new LifeOver();
  try {
    await sleep(Math.max(0, Math.min(ms, leftMs)), undefined, { signal });
  } catch {
    throw new LifeOver();
  }
  if (closing.aborted) throw new LifeOver();
}

/** Whether the deadline has passed. */
export function isOver({ command, parts }: Running): boolean {
  return parts.clock() >= command.expiresAt.getTime();
}
