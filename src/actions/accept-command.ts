import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf } from '../base/ids.ts';
import { SECOND_MS } from '../base/units.ts';
import { callsLeft } from '../contract/budget.ts';
import { checkBounds, redactedParams } from '../contract/command-params.ts';
import { unsentStates } from '../contract/command-states.ts';
import type { CommandRow } from '../contract/commands/command.ts';
import { commandEntries, commandRow } from '../contract/commands.ts';
import { auditIn, lockAccount } from '../store/audit.ts';
import { insertCommand, inVehicle, moveCommand, unsentCommands } from '../store/commands.ts';
import type { Command, Prisma } from '../store/generated/prisma/client.ts';
import { commandOfKey, type KeyedRequest, keepKey } from '../store/idempotency.ts';
import { readKnownState } from '../store/known-state.ts';
import { type Rejection, rejectionOf } from './command-checks.ts';
import type { CommandDesk } from './command-desk.ts';
import { senderIdOf } from './command-limits.ts';
import { type CommandRequest, overrides, type SentCommand, spenderOf } from './command-request.ts';
import { actorOf } from './maker-door.ts';

/** A request that was taken, and the commands that it replaced. */
type Acceptance = { accepted: SentCommand; superseded: Command[] };

type Accepting = { row: CommandRow; keyed: KeyedRequest | null };

/**
 * Writes the command down, for a point of the token and of the vehicle, or finds the one of its key, for none. Throws
 * as `sendCommand`.
 */
export function acceptCommand(
  desk: CommandDesk,
  request: CommandRequest,
  accepting: Accepting,
): Promise<Acceptance> {
  return inVehicle(desk.parts.prisma, request.vehicle.id, (tx) =>
    write(tx, { desk, request }, accepting),
  );
}

type Writing = { desk: CommandDesk; request: CommandRequest };

/** All that belongs to a command and nothing else, in the transaction that holds the vehicle. */
async function write(
  tx: Prisma.TransactionClient,
  { desk, request }: Writing,
  { row, keyed }: Accepting,
): Promise<Acceptance> {
  const { vehicle, params, principal } = request;
  // Read while the vehicle is held, so that the order of a vehicle's commands is that of their times.
  const at = desk.parts.clock();
  const earlier = keyed === null ? null : await commandOfKey(tx, keyed, at);
  if (earlier !== null) {
    return { accepted: { command: earlier, replayed: true }, superseded: [] };
  }
  const state = await readKnownState(tx, vehicle.id);
  checkBounds(row, params, state.signals);
  const rejection = rejectionOf(row, params, { vehicle, state, at });
  if (rejection === null) await checkSpending(tx, desk, request);
  // Commands of a token to several vehicles meet here, and nowhere before.
  await lockAccount(tx, principal.accountId);
  await desk.quotas.take(tx, spenderOf(request), at);
  const superseded = rejection === null ? await supersede(tx, request, { row, at }) : [];
  if (rejection === null) await checkRoom(tx, desk, vehicle.id);
  const command = await insertCommand(tx, newRow(request, { row, at, rejection }), {
    note: rejection?.message ?? null,
    owner: desk.owner,
  });
  if (keyed !== null) await keepKey(tx, keyed, command.id, at);
  const { accountId } = principal;
  const fact = {
    at,
    actor: actorOf(principal),
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
}

/** When a vehicle with too many waiting commands may have room again, at the earliest [s]. */
const ROOM_AFTER_S = 10;

/** Throws `rate_limited` where as many commands wait for a vehicle as may. */
async function checkRoom(
  tx: Prisma.TransactionClient,
  { parts: { limits } }: CommandDesk,
  vehicleId: string,
): Promise<void> {
  const waiting = await tx.command.count({
    where: { vehicleId, state: { in: [...unsentStates] } },
  });
  if (waiting < limits.waiting) return;
  throw new ServiceError('rate_limited', `${waiting} commands wait for the vehicle already.`, {
    retryAfterS: ROOM_AFTER_S,
  });
}

/** Throws `budget_exhausted` where the vehicle or its maker account may not spend what the command costs. */
async function checkSpending(
  tx: Prisma.TransactionClient,
  { parts }: CommandDesk,
  request: CommandRequest,
): Promise<void> {
  const { makerAccountId, id } = request.vehicle;
  if (makerAccountId === null || overrides(request)) return;
  const standings = await parts.makerLimits.ledger.standings([makerAccountId, id], tx);
  const wakesOnly = commandRow(request.name).maker.every(({ command }) => command === 'wake_up');
  const category = wakesOnly ? 'WAKE' : 'COMMAND';
  const used = standings.find((one) => one && callsLeft(category, one.usage, one) === 0);
  if (!used) return;
  const whose = used.vehiclePublicId === null ? 'maker account' : 'vehicle';
  const resetsAt = new Date(used.period.endsAt).toISOString();
  throw new ServiceError(
    'budget_exhausted',
    `The budget of the ${whose} is used up until ${resetsAt}; \`override_budget\` sends it all the same.`,
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
    const move = { id, from: unsentStates, ownerId: null };
    const moved = await moveCommand(tx, move, { state: 'CANCELLED', at, note });
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
    requestedById: senderIdOf(credential),
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
