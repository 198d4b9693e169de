import type { Clock } from '../base/clock.ts';
import { periodAt } from '../contract/budget.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { type Appended, appendToJournal, type JournalEntry } from '../store/journal.ts';
import { countSignals } from '../store/maker-spend.ts';
import { type FedVehicle, fedVehicles, lockStreams, openStream } from '../store/streams.ts';
import type { IntakeRecord } from './record-line.ts';
import { REORDER_MS } from './reorder.ts';
import { initialState } from './state.ts';
import { GATHER_MS } from './stream-window.ts';

/** What became of records, by how many; a record that feeds two accounts counts once. */
export type IntakeOutcome = {
  /** New to a vehicle; those that are late among them. */
  accepted: number;
  /** There already. */
  duplicate: number;
  /** Behind what was reduced: the vehicle is reduced anew from before them. */
  late: number;
  /** Older than anything that can be reduced anew: kept, not applied. */
  tooLate: number;
  /** Of vehicles that no account holds. */
  unknownVehicle: number;
};

/** What the intake counts, for the metrics. */
export type IntakeCounts = IntakeOutcome & { requests: number; signals: number; rejected: number };

/** Takes records of streams, whichever way they came. */
export type Intake = {
  counts: IntakeCounts;
  /**
   * Writes records into the journal, and settles when they are safe; records may come again. Throws while the database is
   * away, and then nothing of the call is kept.
   */
  take: (records: readonly IntakeRecord[]) => Promise<IntakeOutcome>;
};

/** How long one commit of a request may take, the wait for a vehicle that is being reduced anew included. */
const TAKE_TIMEOUT_MS = 50_000;

/** An intake over the store. */
export function createIntake({ prisma, clock }: { prisma: PrismaClient; clock: Clock }): Intake {
  const counts: IntakeCounts = {
    requests: 0,
    signals: 0,
    accepted: 0,
    duplicate: 0,
    late: 0,
    tooLate: 0,
    unknownVehicle: 0,
    rejected: 0,
  };
  return {
    counts,
    take: async (records) => {
      const outcome = await taken(prisma, records, clock());
      counts.accepted += outcome.accepted;
      counts.duplicate += outcome.duplicate;
      counts.late += outcome.late;
      counts.tooLate += outcome.tooLate;
      counts.unknownVehicle += outcome.unknownVehicle;
      for (const { signals } of records) counts.signals += signals;
      return outcome;
    },
  };
}

async function taken(
  prisma: PrismaClient,
  records: readonly IntakeRecord[],
  receivedAt: number,
): Promise<IntakeOutcome> {
  const byVin = new Map<string, IntakeRecord[]>();
  for (const record of records) {
    const known = byVin.get(record.vin);
    if (known === undefined) byVin.set(record.vin, [record]);
    else known.push(record);
  }
  const vehicles = byVin.size === 0 ? [] : await fedVehicles(prisma, [...byVin.keys()]);
  const entries = vehicles.flatMap((vehicle) =>
    (byVin.get(vehicle.vin) ?? []).map((record) => entryOf(vehicle.id, record)),
  );
  const signals = signalsByVehicle(byVin, vehicles);
  const incoming = { vehicles, entries, signals };
  const appended = entries.length === 0 ? [] : await append(prisma, incoming, receivedAt);
  return outcomeOf(byVin, vehicles, appended);
}

function signalsByVehicle(
  byVin: ReadonlyMap<string, readonly IntakeRecord[]>,
  vehicles: readonly FedVehicle[],
): ReadonlyMap<string, number> {
  const sum = (records: readonly IntakeRecord[] = []) =>
    records.reduce((total, { signals }) => total + signals, 0);
  return new Map(vehicles.map(({ id, vin }) => [id, sum(byVin.get(vin))]));
}

/** What of a request brought something new; one that repeats some of it counts whole, for the maker may have sent it twice. */
function billedSignals(
  signals: ReadonlyMap<string, number>,
  appended: readonly Appended[],
): ReadonlyMap<string, number> {
  const news = appended.filter(({ vehicleId, added }) => added > 0 && signals.has(vehicleId));
  return new Map(news.map(({ vehicleId }) => [vehicleId, signals.get(vehicleId) ?? 0]));
}

/** What a request brings: the rows it goes to, its entries, and how many signals each row gets. */
type Incoming = {
  vehicles: readonly FedVehicle[];
  entries: readonly JournalEntry[];
  signals: ReadonlyMap<string, number>;
};

async function append(
  prisma: PrismaClient,
  { vehicles, entries, signals }: Incoming,
  receivedAt: number,
): Promise<Appended[]> {
  for (const { id, open } of vehicles) if (!open) await opened(prisma, id, receivedAt);
  const ids = vehicles.map(({ id }) => id);
  const commit = () =>
    prisma.$transaction(
      async (tx) => {
        const held = await lockStreams(tx, ids);
        const missing = ids.filter((id) => !held.has(id));
        if (missing.length > 0) return { missing, appended: [] };
        const times = { receivedAt, windowMs: REORDER_MS, gatherMs: GATHER_MS };
        const appended = await appendToJournal(tx, entries, times);
        // With what they are billed for: neither without the other.
        await countSignals(tx, billedSignals(signals, appended), periodAt(receivedAt).startsAt);
        return { missing, appended };
      },
      { timeout: TAKE_TIMEOUT_MS, maxWait: TAKE_TIMEOUT_MS },
    );
  const first = await commit();
  if (first.missing.length === 0) return first.appended;
  // Closed in this very moment, because nothing had come for days.
  for (const id of first.missing) await opened(prisma, id, receivedAt);
  const second = await commit();
  if (second.missing.length === 0) return second.appended;
  throw new Error('The stream of a vehicle is gone as soon as it is opened.');
}

function opened(prisma: PrismaClient, vehicleId: string, receivedAt: number): Promise<void> {
  return openStream(prisma, vehicleId, { receivedAt, emptyState: initialState });
}

function outcomeOf(
  byVin: ReadonlyMap<string, readonly IntakeRecord[]>,
  vehicles: readonly FedVehicle[],
  appended: readonly Appended[],
): IntakeOutcome {
  const byId = new Map(appended.map((one) => [one.vehicleId, one]));
  const outcome = { accepted: 0, duplicate: 0, late: 0, tooLate: 0, unknownVehicle: 0 };
  for (const [vin, records] of byVin) {
    const fed = vehicles.filter((vehicle) => vehicle.vin === vin);
    const news = fed.map(({ id }) => byId.get(id) ?? { added: 0, late: 0, tooLate: 0 });
    if (fed.length === 0) outcome.unknownVehicle += records.length;
    else {
      // A row that was added later lacks what the others have: what is new to it is all that is new.
      const accepted = Math.max(...news.map(({ added }) => added));
      outcome.accepted += accepted;
      outcome.duplicate += records.length - accepted;
      outcome.late += Math.max(...news.map(({ late }) => late));
      outcome.tooLate += Math.max(...news.map(({ tooLate }) => tooLate));
    }
  }
  return outcome;
}

function entryOf(vehicleId: string, { at, content, data }: IntakeRecord): JournalEntry {
  return { vehicleId, at, content, form: 'R', data };
}
