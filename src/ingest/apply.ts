import type { HistoryEdit, Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import {
  commitEffects,
  type EffectTarget,
  emptyFold,
  type Folded,
  foldEffect,
} from '../store/history.ts';
import { undoingOf } from '../store/history-edits.ts';
import { appendToJournal } from '../store/journal.ts';
import { lockStreams, lockVehicle } from '../store/streams.ts';
import { tellCosts } from './cost-events.ts';
import { entryOfObservation } from './journal-events.ts';
import { withPlaces } from './keep-places.ts';
import { steps } from './machine.ts';
import { priceCharges } from './price-charges.ts';
import { readPlaces } from './read-places.ts';
import { reapplyEdits } from './reapply-edits.ts';
import { REORDER_MS } from './reorder.ts';
import {
  type Close,
  type IngestEvent,
  initialState,
  type MachineContext,
  type MachineState,
} from './state.ts';
import { paced } from './state-pace.ts';
import { parsedState } from './stored-state.ts';
import { GATHER_MS } from './stream-window.ts';

/** How long one commit may take; an import of many days is one. */
const COMMIT_TIMEOUT_MS = 120_000;

/** A vehicle's machine as it is stored, with what the reducer may know beside it. */
export type LoadedMachine = {
  target: EffectTarget;
  state: MachineState;
  context: MachineContext;
  /** Whether the driver sits on the right. */
  rightHandDrive: boolean;
  /** Whether what is learned goes through the journal, because records of the vehicle stream in. */
  streams: boolean;
  /** Whether anything is recorded of it at all. */
  logging: boolean;
};

/**
 * Applies events to a vehicle's machine and carries out the effects, all in one transaction: either both the state and what
 * follows from it are stored, or neither. One writer per vehicle, over processes, by an advisory lock (architecture §4.8).
 *
 * Where records of the vehicle stream in, observations take their place among them in the journal instead, and ticks are
 * left to it; the state is then the one so far. Of a vehicle that is not recorded nothing is stored.
 */
export async function applyEvents(
  prisma: PrismaClient,
  vehicleId: string,
  events: readonly IngestEvent[],
): Promise<MachineState> {
  return inCommit(prisma, vehicleId, async (tx) => {
    const machine = await loadMachine(tx, vehicleId);
    const { target, state: before, context, streams, logging } = machine;
    if (!logging) return before;
    if (streams) {
      await intoJournal(tx, vehicleId, events);
      return before;
    }
    const folded = emptyFold();
    const { state: stepped } = steps(before, events, context, (effects) => {
      for (const effect of effects) foldEffect(folded, effect);
    });
    const { events: told, news } = paced(before.news, folded.events, heardAt(events));
    if (stepped === before && news === before.news) return before;
    const state = { ...stepped, news };
    await storeMachine(tx, target, state, { ...folded, events: told });
    return state;
  });
}

/** When the newest of some events came in (epoch ms of the wall). */
function heardAt(events: readonly IngestEvent[]): number {
  const times = events.map((event) =>
    event.kind === 'tick' ? event.at : event.observation.receivedAt,
  );
  return times.reduce((latest, at) => Math.max(latest, at), 0);
}

/**
 * Stores what was reduced outside, if the machine is still what it was reduced from and nothing streams in of the vehicle;
 * throws otherwise, with nothing stored.
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
    const streams = (await tx.vehicleStream.count({ where: { vehicleId: target.id } })) > 0;
    if (streams || (stored?.appliedAt.getTime() ?? null) !== before.seenAt) {
      throw new Error('Somebody else wrote to the vehicle while its history was imported.');
    }
    await storeMachine(tx, target, state, folded);
  });
}

/** The vehicle's machine as it is now. */
export async function loadMachine(
  tx: Prisma.TransactionClient,
  vehicleId: string,
): Promise<LoadedMachine> {
  const {
    edits,
    efficiencyWhPerKm,
    leftOpenMinutes,
    logging,
    machine,
    rightHandDrive,
    stream,
    ...target
  } = await tx.vehicle.findUniqueOrThrow({
    where: { id: vehicleId },
    select: {
      id: true,
      accountId: true,
      publicId: true,
      simulated: true,
      efficiencyWhPerKm: true,
      rightHandDrive: true,
      logging: true,
      leftOpenMinutes: true,
      machine: true,
      stream: { select: { vehicleId: true } },
      edits: {
        where: { kind: { in: ['DRIVE_CLOSE', 'TRIP_CLOSE'] }, undoneAt: null },
      },
    },
  });
  const places = await readPlaces(tx, target.accountId);
  return {
    target,
    state: machine === null ? initialState : withPlaces(parsedState(machine.state), places),
    context: {
      vehicleId,
      efficiencyWhPerKm,
      places,
      closes: edits.flatMap(closeOf),
      leftOpenMinutes,
    },
    rightHandDrive: rightHandDrive ?? false,
    streams: stream !== null,
    logging,
  };
}

function closeOf(edit: HistoryEdit): Close[] {
  const { at } = undoingOf(edit);
  return at === null ? [] : [{ what: edit.kind === 'DRIVE_CLOSE' ? 'drive' : 'trip', at }];
}

async function intoJournal(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  events: readonly IngestEvent[],
): Promise<void> {
  const observations = events.flatMap((event) =>
    event.kind === 'observation' ? [event.observation] : [],
  );
  if (observations.length === 0) return;
  await lockStreams(tx, [vehicleId]);
  const entries = observations.map((observation) => entryOfObservation(vehicleId, observation));
  const receivedAt = Math.max(...observations.map((observation) => observation.receivedAt));
  await appendToJournal(tx, entries, { receivedAt, windowMs: REORDER_MS, gatherMs: GATHER_MS });
}

/** Runs work on a vehicle in a transaction that no other writer of the vehicle shares the time of. */
export function inCommit<T>(
  prisma: PrismaClient,
  vehicleId: string,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return prisma.$transaction(
    async (tx) => {
      await lockVehicle(tx, vehicleId);
      return work(tx);
    },
    { timeout: COMMIT_TIMEOUT_MS, maxWait: COMMIT_TIMEOUT_MS },
  );
}

/** Stores a vehicle's machine with the effects that led to it. */
export async function storeMachine(
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
  await reapplyEdits(tx, folded);
  await priceEnded(tx, target, folded);
}

/** Gives charges that have ended their cost; who was told of the charge is told of that too. */
async function priceEnded(
  tx: Prisma.TransactionClient,
  target: EffectTarget,
  { charges, events }: Folded,
): Promise<void> {
  const ended = [...charges.values()].filter(({ row }) => row.endedAt !== null);
  const changes = await priceCharges(
    tx,
    target,
    ended.map(({ row }) => row.id),
  );
  for (const change of changes) {
    const told = events.findLast(({ data }) => data.chargeId === change.chargeId);
    if (told !== undefined) await tellCosts(tx, target, [change], told.occurredAt);
  }
}
