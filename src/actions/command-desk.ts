import { typeIdOf } from '../base/ids.ts';
import { SECOND_MS } from '../base/units.ts';
import { type CommandState, commandStates, unsentStates } from '../contract/command-states.ts';
import type { CommandParams, ParamValue } from '../contract/commands/command.ts';
import { createStateTeller } from '../ingest/state-teller.ts';
import { type CommandOwner, isInTurn } from '../store/command-leases.ts';
import { type CommandStep, inVehicle, moveCommand } from '../store/commands.ts';
import type { Command, Prisma } from '../store/generated/prisma/client.ts';
import { nextWakeAt } from '../store/wakes.ts';
import { type BreakOff, breakOff } from './command-break-off.ts';
import { openCustody } from './command-custody.ts';
import { commandLanes } from './command-lanes.ts';
import { leadLife } from './command-life.ts';
import { type CommandQuotas, commandQuotas } from './command-limits.ts';
import { type CommandParts, usualPace } from './command-parts.ts';
import { type Job, type Life, NotItsTurn, TooManyWakes } from './command-running.ts';
import { commandWaits } from './command-waits.ts';

/** How long what is being sent may take to end when the desk closes [ms]. */
const CLOSE_MS = 3 * SECOND_MS;
/** Pause before what was left is looked for again after the database failed [ms]. */
const OUTAGE_MS = 2 * SECOND_MS;

/** Why a command whose vehicle is gone ends. */
const orphaned: BreakOff = {
  code: 'not_found',
  message: 'The vehicle is gone.',
  retryable: false,
  unsent: 'CANCELLED',
};

/** Why a command ends that fails again and again for a reason of our own. */
const broken: BreakOff = {
  code: 'internal_error',
  message: 'Something went wrong here; the log has the details under the command’s id.',
  retryable: true,
};

/** What happens in the transaction of a move, where there is a move. */
type Also = (tx: Prisma.TransactionClient) => Promise<void>;

/** Carries out commands: one at a time per vehicle, in the order they were accepted. */
export type CommandDesk = {
  parts: CommandParts;
  /** Under which name the desk holds its commands. */
  owner: CommandOwner;
  /** What tokens and vehicles may still send. */
  quotas: CommandQuotas;
  /** Carries out an accepted command of this owner, with the parameters that the ledger does not keep whole. */
  enqueue: (
    command: Pick<Command, 'id' | 'vehicleId' | 'createdAt' | 'expiresAt'>,
    params: CommandParams,
  ) => void;
  /** Ends a command that was not sent yet, with what belongs to it; null where it is further on or gone. */
  withdraw: (
    command: Pick<Command, 'id' | 'vehicleId'>,
    note: string,
    also: Also,
  ) => Promise<Command | null>;
  /** To be called for commands that were moved by others, so that who waits for them learns of it. */
  moved: (command: Command) => void;
  /** Waits until a command has ended, at most so long; whether it has. */
  ended: (id: string, withinMs: number) => Promise<boolean>;
  /** Takes up what a stop or a crash left, and from then on what other processes leave; resolves after the first look. */
  recover: () => Promise<void>;
  close: () => Promise<void>;
};

/** Opens the desk; `recover` it once the way to the maker is open. */
export function openCommandDesk(parts: CommandParts): CommandDesk {
  const { prisma, clock, log, limits, alone = false } = parts;
  const pace = { ...usualPace, ...parts.pace };
  const closing = new AbortController();
  const waits = commandWaits(prisma);
  const teller = createStateTeller(parts);
  const timers = new Map<string, NodeJS.Timeout>();
  let closed = false;

  const drop = (id: string) => {
    clearTimeout(timers.get(id));
    timers.delete(id);
    waits.tell(id);
    lanes.find(id)?.stop.abort();
  };

  const moved = ({ id, state }: Pick<Command, 'id' | 'state'>) => {
    if (commandStates[state].ends) drop(id);
  };

  /** Null for `ownerId` moves what any process carries out. */
  const moveAs = async (
    ownerId: string | null,
    { id, vehicleId }: Pick<Command, 'id' | 'vehicleId'>,
    from: readonly CommandState[],
    { also, ...step }: Omit<CommandStep, 'at'> & { also?: Also },
  ): Promise<Command | null> => {
    if (closing.signal.aborted) return null;
    const begins = step.state === 'WAKING' || step.state === 'SENDING';
    const command = await inVehicle(prisma, vehicleId ?? id, async (tx) => {
      const at = clock();
      if (begins && !alone && !(await isInTurn(tx, id, custody.owner.id))) throw new NotItsTurn();
      if (step.wake === true && vehicleId !== null) {
        const next = await nextWakeAt(tx, vehicleId, limits.wakes, at);
        if (next !== null) throw new TooManyWakes(next);
      }
      const moving = await moveCommand(tx, { id, from, ownerId }, { ...step, at });
      if (moving !== null) await also?.(tx);
      return moving;
    });
    if (command !== null) moved(command);
    return command;
  };
  const move: Life['move'] = (command, from, step) => moveAs(custody.owner.id, command, from, step);

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
    teller,
    closing: closing.signal,
    inTurn: async (id) => alone || (await isInTurn(prisma, id, custody.owner.id)),
    isHeld: (createdAt) => alone || custody.isHeld(createdAt),
    // Those that wait for the same vehicle shared its wake, and share its failure: each would pay for another.
    wakeFailed: async (vehicleId, { state, code, message, retryable }) => {
      const columns = { failureCode: code, failureMessage: message, retryable };
      for (const { id } of lanes.behind(vehicleId)) {
        await move({ id, vehicleId }, ['QUEUED'], { state, note: message, columns });
      }
    },
  };
  const giveUp = async (job: Job, cause: unknown) => {
    const command = await prisma.command.findUnique({ where: { id: job.id } });
    if (command === null || commandStates[command.state].ends) return;
    log.error(
      { err: cause, command: typeIdOf('Command', job.id) },
      'A command could not be carried out and is ended.',
    );
    await breakOff(move, command, broken, command.refused || job.refused === true);
  };
  const lanes = commandLanes({ lead: (job) => leadLife(job, life), giveUp }, log, pace.again);

  const enqueue: CommandDesk['enqueue'] = ({ id, vehicleId, createdAt, expiresAt }, params) => {
    if (vehicleId === null || closed) return;
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
    const stop = new AbortController();
    lanes.add({ id, vehicleId, params, createdAt: createdAt.getTime(), stop });
  };

  const take = (commands: readonly Command[]) => {
    for (const command of commands) {
      if (command.vehicleId !== null) enqueue(command, storedParams(command.parameters));
      else {
        breakOff(move, command, orphaned).catch((error: unknown) =>
          log.warn({ err: error }, 'A command without a vehicle is ended by a later look.'),
        );
      }
    }
  };

  const custody = openCustody(parts, pace.lease, {
    ids: () => lanes.jobs().map(({ id }) => id),
    lost: drop,
    take,
  });

  return {
    parts,
    owner: custody.owner,
    quotas: commandQuotas(limits),
    enqueue,
    moved,
    withdraw: (command, note, also) =>
      moveAs(null, command, unsentStates, { state: 'CANCELLED', note, also }),
    ended: waits.ended,
    recover: async () => {
      // Without what was under way its commands would wait, and so would their idempotency keys.
      while (!closed && !(await custody.look())) {
        await new Promise((resolve) => setTimeout(resolve, closed ? 0 : OUTAGE_MS));
      }
      custody.follow();
    },
    close: async () => {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      const late = setTimeout(() => closing.abort(), CLOSE_MS);
      await lanes.close();
      clearTimeout(late);
      closing.abort();
      await custody.close();
      await teller.close();
      waits.tellAll();
    },
  };
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
