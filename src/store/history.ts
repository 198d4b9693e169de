import type {
  DriveRow,
  Effect,
  ParkedSpanRow,
  SectionState,
  StateSpanRow,
  VehicleChanges,
} from '../contract/effects.ts';
import { tagLimits } from '../contract/places.ts';
import type { Sample } from '../contract/samples.ts';
import { copySignals, type Section } from '../contract/signals.ts';
import type { Prisma } from './generated/prisma/client.ts';
import { writeEvents } from './outbox.ts';
import { applyPlaceDefaults } from './place-columns.ts';
import { writeInstallations } from './software.ts';
import { appendSamples, sealTrack } from './track.ts';
import { upsertRows } from './upsert.ts';
import { writeVehicle } from './vehicle-state.ts';

/** The vehicle that effects belong to. */
export type EffectTarget = { id: string; accountId: string; publicId: string; simulated: boolean };

type EventEffect = Extract<Effect, { kind: 'event' }>;
type TripEffect = Extract<Effect, { kind: 'trip' }>;
type ChargeEffect = Extract<Effect, { kind: 'charge' }>;

/** Effects with everything that a later one replaces left out. */
export type Folded = {
  sections: Map<Section, SectionState>;
  raw: Record<string, unknown>;
  changes: VehicleChanges;
  drives: Map<string, DriveRow>;
  charges: Map<string, ChargeEffect>;
  trips: Map<string, TripEffect>;
  stateSpans: Map<string, StateSpanRow>;
  parkedSpans: Map<string, ParkedSpanRow>;
  installations: Map<string, Extract<Effect, { kind: 'installation' }>['row']>;
  samples: Sample[];
  seals: { from: number; to: number }[];
  events: EventEffect[];
};

/**
 * Carries out the reducer's effects inside the caller's transaction, which also holds the state they led to
 * (architecture §4.8). Rows are whole and keyed, so effects may come again.
 */
export async function commitEffects(
  tx: Prisma.TransactionClient,
  target: EffectTarget,
  folded: Folded,
): Promise<void> {
  const owned = { vehicleId: target.id, simulated: target.simulated };
  await upsertRows(
    tx,
    'parked_span',
    [...folded.parkedSpans.values()].map((row) => ({ ...row, ...owned })),
  );
  await upsertRows(
    tx,
    'trip',
    [...folded.trips.values()].map(({ row }) => ({ ...row, ...owned })),
  );
  await upsertRows(
    tx,
    'drive',
    [...folded.drives.values()].map((row) => ({ ...row, ...owned })),
  );
  await writeCharges(tx, [...folded.charges.values()], owned);
  await linkTrips(tx, [...folded.trips.values()]);
  await applyPlaceDefaults(tx, endedAtPlaces(folded), tagLimits.count);
  await writeStateSpans(tx, target.id, [...folded.stateSpans.values()]);
  await writeInstallations(tx, target, [...folded.installations.values()]);
  await appendSamples(tx, target.id, folded.samples);
  // What began within this commit is in whole batches already.
  const firstAt = folded.samples[0]?.at ?? Number.POSITIVE_INFINITY;
  for (const { from, to } of folded.seals.filter((seal) => seal.from < firstAt)) {
    await sealTrack(tx, target.id, from, to);
  }
  await writeVehicle(tx, target.id, folded);
  await writeEvents(tx, target, folded.events);
}

function endedAtPlaces({ drives }: Folded): string[] {
  return [...drives.values()].flatMap((row) =>
    row.endPlaceId !== null && (row.state === 'ENDED' || row.state === 'INCOMPLETE') ? row.id : [],
  );
}

/** A fold of nothing; effects are added to it as they come. */
export function emptyFold(): Folded {
  return {
    sections: new Map(),
    raw: {},
    changes: {},
    drives: new Map(),
    charges: new Map(),
    trips: new Map(),
    stateSpans: new Map(),
    parkedSpans: new Map(),
    installations: new Map(),
    samples: [],
    seals: [],
    events: [],
  };
}

/** Adds one effect to a fold. */
export function foldEffect(folded: Folded, effect: Effect): void {
  switch (effect.kind) {
    case 'section':
      folded.sections.set(
        effect.section,
        mergedSection(folded.sections.get(effect.section), effect.state),
      );
      return;
    case 'raw':
      Object.assign(folded.raw, effect.fields);
      return;
    case 'vehicle':
      folded.changes = mergedChanges(folded.changes, effect.changes);
      return;
    case 'drive':
      folded.drives.set(effect.row.id, effect.row);
      return;
    case 'charge':
      folded.charges.set(effect.row.id, effect);
      return;
    case 'trip':
      folded.trips.set(effect.row.id, effect);
      return;
    case 'stateSpan':
      folded.stateSpans.set(effect.row.id, effect.row);
      return;
    case 'parkedSpan':
      folded.parkedSpans.set(effect.row.id, effect.row);
      return;
    case 'installation':
      folded.installations.set(effect.row.id, effect.row);
      return;
    case 'sample':
      folded.samples.push(effect.sample);
      return;
    case 'seal':
      folded.seals.push(effect);
      return;
    case 'event':
      folded.events.push(effect);
  }
}

function mergedSection(before: SectionState | undefined, state: SectionState): SectionState {
  if (before === undefined) return { ...state, values: { ...state.values } };
  // Folding keeps one object per commit: a long import would otherwise copy every value for every sample.
  copySignals(state.values, before.values);
  return { ...state, values: before.values };
}

function mergedChanges(before: VehicleChanges, changes: VehicleChanges): VehicleChanges {
  if (changes.config === undefined) return { ...before, ...changes };
  return { ...before, ...changes, config: { ...before.config, ...changes.config } };
}

async function writeCharges(
  tx: Prisma.TransactionClient,
  charges: ChargeEffect[],
  owned: { vehicleId: string; simulated: boolean },
): Promise<void> {
  await upsertRows(
    tx,
    'charge',
    charges.map(({ row }) => ({ ...row, ...owned })),
  );
  const segments = charges.flatMap(({ row, segments }) =>
    segments.map((segment) => ({ ...segment, chargeId: row.id })),
  );
  await upsertRows(tx, 'charge_segment', segments);
}

async function linkTrips(tx: Prisma.TransactionClient, trips: TripEffect[]): Promise<void> {
  await upsertLinks(
    tx,
    'drive',
    trips.flatMap(({ row, driveIds }) => driveIds.map((id) => ({ id, tripId: row.id }))),
  );
  await upsertLinks(
    tx,
    'charge',
    trips.flatMap(({ row, chargeIds }) => chargeIds.map((id) => ({ id, tripId: row.id }))),
  );
}

async function upsertLinks(
  tx: Prisma.TransactionClient,
  table: 'drive' | 'charge',
  links: { id: string; tripId: string }[],
): Promise<void> {
  if (links.length === 0) return;
  const sql = `UPDATE "${table}" SET trip_id = link.trip FROM jsonb_to_recordset($1::jsonb) AS link(id uuid, trip uuid) WHERE "${table}".id = link.id AND NOT "${table}".trip_pinned`;
  await tx.$executeRawUnsafe(
    sql,
    JSON.stringify(links.map(({ id, tripId }) => ({ id, trip: tripId }))),
  );
}

/** Ended spans first: a vehicle has one open span at any moment, and the database holds us to it. */
async function writeStateSpans(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  spans: StateSpanRow[],
): Promise<void> {
  await upsertRows(
    tx,
    'state_span',
    spans.filter((span) => span.endedAt != null).map((row) => ({ ...row, vehicleId })),
  );
  await upsertRows(
    tx,
    'state_span',
    spans.filter((span) => span.endedAt == null).map((row) => ({ ...row, vehicleId })),
  );
}
