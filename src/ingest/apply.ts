import type { Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import {
  commitEffects,
  type EffectTarget,
  emptyFold,
  type Folded,
  foldEffect,
} from '../store/history.ts';
import { steps } from './machine.ts';
import { readPlaces } from './read-places.ts';
import { type IngestEvent, initialState, type MachineContext, type MachineState } from './state.ts';
import { parsedState } from './stored-state.ts';

/** How long one commit may take; an import of many days is one. */
const COMMIT_TIMEOUT_MS = 120_000;

/** A vehicle's machine as it is stored, with what the reducer may know beside it. */
export type LoadedMachine = { target: EffectTarget; state: MachineState; context: MachineContext };

/**
 * Applies events to a vehicle's machine and carries out the effects, all in one transaction: either both the state and what
 * follows from it are stored, or neither. One writer per vehicle, over processes, by an advisory lock (architecture §4.8).
 */
export async function applyEvents(
  prisma: PrismaClient,
  vehicleId: string,
  events: readonly IngestEvent[],
): Promise<MachineState> {
  return inCommit(prisma, vehicleId, async (tx) => {
    const { target, state: before, context } = await loadMachine(tx, vehicleId);
    const folded = emptyFold();
    const { state } = steps(before, events, context, (effects) => {
      for (const effect of effects) foldEffect(folded, effect);
    });
    if (state !== before) await store(tx, target, state, folded);
    return state;
  });
}

/**
 * Stores what was reduced outside, if the machine is still what it was reduced from; throws otherwise, with nothing stored.
 */
export async function commitReduced(
  prisma: PrismaClient,
  { target, state: before }: LoadedMachine,
  state: MachineState,
  folded: Folded,
): Promise<void> {
  await inCommit(prisma, target.id, async (tx) => {
    const stored = await tx.vehicleMachine.findUnique({
      where: { vehicleId: target.id },
      select: { appliedAt: true },
    });
    if ((stored?.appliedAt.getTime() ?? null) !== before.seenAt) {
      throw new Error('Somebody else wrote to the vehicle while its history was imported.');
    }
    await store(tx, target, state, folded);
  });
}

/** The vehicle's machine as it is now. */
export async function loadMachine(
  tx: Prisma.TransactionClient,
  vehicleId: string,
): Promise<LoadedMachine> {
  const { efficiencyWhPerKm, machine, ...target } = await tx.vehicle.findUniqueOrThrow({
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
  const places = await readPlaces(tx, target.accountId);
  return {
    target,
    state: machine === null ? initialState : parsedState(machine.state),
    context: { vehicleId, efficiencyWhPerKm, places },
  };
}

function inCommit<T>(
  prisma: PrismaClient,
  vehicleId: string,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${vehicleId}, 0))`;
      return work(tx);
    },
    { timeout: COMMIT_TIMEOUT_MS, maxWait: COMMIT_TIMEOUT_MS },
  );
}

async function store(
  tx: Prisma.TransactionClient,
  target: EffectTarget,
  state: MachineState,
  folded: Folded,
): Promise<void> {
  const row = {
    version: state.version,
    state: JSON.parse(JSON.stringify(state)),
    appliedAt: new Date(state.seenAt ?? 0),
  };
  await tx.vehicleMachine.upsert({
    where: { vehicleId: target.id },
    update: row,
    create: { vehicleId: target.id, ...row },
  });
  await commitEffects(tx, target, folded);
}
