import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { commitEffects, emptyFold, foldEffect } from '../store/history.ts';
import { steps } from './machine.ts';
import { readPlaces } from './read-places.ts';
import { type IngestEvent, initialState, type MachineContext, type MachineState } from './state.ts';
import { parsedState } from './stored-state.ts';

/** How long one commit may take; an import of many days is one. */
const COMMIT_TIMEOUT_MS = 120_000;

/**
 * Applies events to a vehicle's machine and carries out the effects, all in one transaction: either both the state and what
 * follows from it are stored, or neither. `emitEvents: false` keeps the outbox out of it, for history that is imported:
 * nobody waited for it. One writer per vehicle, over processes, by an advisory lock (architecture §4.8).
 */
export async function applyEvents(
  prisma: PrismaClient,
  vehicleId: string,
  events: readonly IngestEvent[],
  options: { emitEvents: boolean },
): Promise<MachineState> {
  return prisma.$transaction((tx) => applyIn(tx, vehicleId, events, options), {
    timeout: COMMIT_TIMEOUT_MS,
    maxWait: COMMIT_TIMEOUT_MS,
  });
}

async function applyIn(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  events: readonly IngestEvent[],
  options: { emitEvents: boolean },
): Promise<MachineState> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${vehicleId}, 0))`;
  const vehicle = await tx.vehicle.findUniqueOrThrow({
    where: { id: vehicleId },
    select: {
      id: true,
      accountId: true,
      publicId: true,
      simulated: true,
      efficiencyWhPerKm: true,
      machine: true,
    },
  });
  const before = vehicle.machine === null ? initialState : parsedState(vehicle.machine.state);
  const context: MachineContext = {
    vehicleId,
    efficiencyWhPerKm: vehicle.efficiencyWhPerKm,
    places: await readPlaces(tx, vehicle.accountId),
  };
  const folded = emptyFold();
  const { state } = steps(before, events, context, (effects) => {
    for (const effect of effects) {
      if (effect.kind !== 'event' || options.emitEvents) foldEffect(folded, effect);
    }
  });
  if (state === before) return state;
  await saveState(tx, vehicleId, state);
  await commitEffects(tx, vehicle, folded);
  return state;
}

async function saveState(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  state: MachineState,
): Promise<void> {
  const row = {
    version: state.version,
    state: JSON.parse(JSON.stringify(state)),
    appliedAt: new Date(state.seenAt ?? 0),
  };
  await tx.vehicleMachine.upsert({
    where: { vehicleId },
    update: row,
    create: { vehicleId, ...row },
  });
}
