import { createHash } from 'node:crypto';
import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf } from '../base/ids.ts';
import { SECOND_MS } from '../base/units.ts';
import { callsLeft } from '../contract/budget.ts';
import { checkBounds, redactedParams } from '../contract/command-params.ts';
import type { CommandConfirm, CommandVia } from '../contract/command-states.ts';
import type { CommandParams, CommandRow } from '../contract/commands/command.ts';
import { type CommandName, commandEntries, commandRow } from '../contract/commands.ts';
import { auditIn } from '../store/audit.ts';
import { insertCommand, inVehicle, moveCommand, unsentCommands } from '../store/commands.ts';
import type { Command, Prisma, Vehicle } from '../store/generated/prisma/client.ts';
import { commandOfKey, type KeyedRequest, keepKey } from '../store/idempotency.ts';
import { readKnownState } from '../store/known-state.ts';
import { checkOffered, type Rejection, rejectionOf } from './command-checks.ts';
import type { CommandDesk } from './command-desk.ts';
import { deadlineS } from './command-parts.ts';

/** A command as a caller asks for it; the vehicle is one the caller may see. */
export type CommandRequest = {
  vehicle: Vehicle;
  name: CommandName;
  params: CommandParams;
  principal: Principal;
  requestId: string;
  via: CommandVia;
  confirm: CommandConfirm;
  /** Whether the vehicle may be woken for it. */
  wake: boolean;
  /** How long it may take [s]. */
  deadlineSeconds: number;
  /** How long the caller waits for its end [s]; 0 not at all. */
  waitSeconds: number;
  idempotencyKey: string | null;
  overrideBudget: boolean;
};

/** The command, and whether it is that of an earlier request with the same key. */
export type SentCommand = { command: Command; replayed: boolean };

/** Longest that a caller can wait [s] (contract §11). */
export const LONGEST_WAIT_S = 60;

/**
 * Puts a command into the ledger and on its way, and waits for its end as long as the caller wants. Throws what the caller
 * got wrong, without a row: `validation_failed`, `command_group_disabled`, `budget_exhausted`, the idempotency words.
 */
export async function sendCommand(
  desk: CommandDesk,
  request: CommandRequest,
): Promise<SentCommand> {
  const { parts } = desk;
  const row = commandRow(request.name);
  checkRequest(request);
  checkOffered(row, parts);
  const at = parts.clock();
  // Outside the vehicle's turn first, so that an impatient client costs one look.
  const keyed = keyedRequest(request);
  const earlier = keyed === null ? null : await commandOfKey(parts.prisma, keyed, at);
  if (earlier !== null) return { command: earlier, replayed: true };
  const { accepted, superseded } = await accept(desk, request, { row, at });
  for (const command of superseded) desk.moved(command);
  const { command, replayed } = accepted;
  if (replayed) return accepted;
  if (command.state === 'QUEUED') desk.enqueue(command, request.params);
  else desk.moved(command);
  if (request.waitSeconds === 0 || command.state !== 'QUEUED') return accepted;
  await desk.ended(command.id, request.waitSeconds * SECOND_MS);
  const now = await parts.prisma.command.findUnique({ where: { id: command.id } });
  return { command: now ?? command, replayed };
}

function checkRequest({ waitSeconds, deadlineSeconds, idempotencyKey }: CommandRequest): void {
  const refuse = (field: string, sentence: string) => {
    throw new ServiceError('validation_failed', sentence, { fields: { [field]: [sentence] } });
  };
  if (waitSeconds < 0 || waitSeconds > LONGEST_WAIT_S) {
    refuse('waitSeconds', `Wait for 0 to ${LONGEST_WAIT_S} seconds.`);
  }
  const { least, most } = deadlineS;
  if (deadlineSeconds < least || deadlineSeconds > most) {
    refuse('deadlineSeconds', `Give a deadline of ${least} to ${most} seconds.`);
  }
  if (idempotencyKey !== null && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    refuse('idempotencyKey', 'Give an idempotency key of 1 to 255 printable characters.');
  }
}

type Acceptance = { accepted: SentCommand; superseded: Command[] };

/** Writes the command down, all that belongs to it, and nothing else, or finds the one of its key. */
function accept(
  desk: CommandDesk,
  request: CommandRequest,
  { row, at }: { row: CommandRow; at: number },
): Promise<Acceptance> {
  const { parts } = desk;
  const { vehicle, params, principal } = request;
  return inVehicle(parts.prisma, vehicle.id, async (tx) => {
    const keyed = keyedRequest(request);
    const earlier = keyed === null ? null : await commandOfKey(tx, keyed, at);
    if (earlier !== null) {
      return { accepted: { command: earlier, replayed: true }, superseded: [] };
    }
    const state = await readKnownState(tx, vehicle.id);
    checkBounds(row, params, state.signals);
    const rejection = rejectionOf(row, params, { vehicle, state, at });
    if (rejection === null) await checkSpending(tx, desk, request);
    const superseded = rejection === null ? await supersede(tx, request, { row, at }) : [];
    const command = await insertCommand(
      tx,
      newRow(request, { row, at, rejection }),
      rejection?.message ?? null,
    );
    if (keyed !== null) await keepKey(tx, keyed, command.id, at);
    const { credential, accountId } = principal;
    const fact = {
      at,
      actor: `${credential.kind.toLowerCase()}:${credential.id}`,
      action: 'command.send',
      object: typeIdOf('Command', command.id),
      details: {
        name: request.name,
        vehicle: vehicle.publicId,
        via: request.via,
        state: command.state,
      },
      requestId: request.requestId,
    };
    await auditIn(tx, accountId, [fact]);
    return { accepted: { command, replayed: false }, superseded };
  });
}

/** Whether a command may be sent although the budget is used up; a tool that acts by itself may not decide that. */
function overrides({ overrideBudget, via }: CommandRequest): boolean {
  return overrideBudget && via !== 'MCP';
}

/** Throws `budget_exhausted` where the maker account of the vehicle may not spend what the command costs. */
async function checkSpending(
  tx: Prisma.TransactionClient,
  { parts }: CommandDesk,
  request: CommandRequest,
): Promise<void> {
  const { makerAccountId } = request.vehicle;
  if (makerAccountId === null || overrides(request)) return;
  const standing = await parts.limits.ledger.standing(makerAccountId, tx);
  const wakesOnly = commandRow(request.name).maker.every(({ command }) => command === 'wake_up');
  const category = wakesOnly ? 'WAKE' : 'COMMAND';
  if (standing === null || callsLeft(category, standing.usage, standing) !== 0) return;
  const resetsAt = new Date(standing.period.endsAt).toISOString();
  throw new ServiceError(
    'budget_exhausted',
    `The budget of the maker account is used up until ${resetsAt}; \`override_budget\` sends it all the same.`,
  );
}

/** Takes back what of the same group was not sent yet: only the newest wish counts (contract §11). */
async function supersede(
  tx: Prisma.TransactionClient,
  { vehicle, name }: CommandRequest,
  { row, at }: { row: CommandRow; at: number },
): Promise<Command[]> {
  if (row.supersedes === undefined) return [];
  const names = commandEntries()
    .filter(([, other]) => other.supersedes === row.supersedes)
    .map(([other]) => other);
  const taken: Command[] = [];
  for (const { id } of await unsentCommands(tx, vehicle.id, names)) {
    const note = `Superseded by a later ${name}.`;
    const moved = await moveCommand(tx, id, ['QUEUED', 'WAKING'], { state: 'CANCELLED', at, note });
    if (moved !== null) taken.push(moved);
  }
  return taken;
}

function newRow(
  request: CommandRequest,
  { row, at, rejection }: { row: CommandRow; at: number; rejection: Rejection | null },
): Prisma.CommandUncheckedCreateInput {
  const { vehicle, name, params, principal, via, confirm, wake, idempotencyKey } = request;
  const { credential } = principal;
  const createdAt = new Date(at);
  return {
    id: newUuid(),
    vehicleId: vehicle.id,
    accountId: vehicle.accountId,
    vehiclePublicId: vehicle.publicId,
    name,
    group: row.group,
    parameters: JSON.parse(JSON.stringify(redactedParams(row, params))),
    state: rejection === null ? 'QUEUED' : 'REJECTED',
    stateChangedAt: createdAt,
    requestedByKind: 'TOKEN',
    requestedById: typeIdOf(credential.kind === 'TOKEN' ? 'Token' : 'ApiKey', credential.id),
    requestedByName: credential.name,
    via,
    confirm,
    wake,
    overrideBudget: overrides(request),
    idempotencyKey,
    createdAt,
    expiresAt: new Date(at + request.deadlineSeconds * SECOND_MS),
    ...(rejection === null
      ? {}
      : {
          failureCode: rejection.code,
          failureMessage: rejection.message,
          retryable: false,
          completedAt: createdAt,
        }),
  };
}

function keyedRequest(request: CommandRequest): KeyedRequest | null {
  const { idempotencyKey: key, vehicle, name, principal } = request;
  if (key === null) return null;
  const { confirm, wake, overrideBudget } = request;
  // Without PINs: a hash of one among ten thousand would tell it.
  const params = Object.entries(redactedParams(commandRow(name), request.params));
  params.sort(([a], [b]) => (a < b ? -1 : 1));
  const asked = JSON.stringify([params, confirm, wake, overrideBudget]);
  return {
    credentialId: principal.credential.id,
    route: `${vehicle.id}:${name}`,
    key,
    requestHash: createHash('sha256').update(asked).digest('hex'),
  };
}
