import DataLoader from 'dataloader';
import { MINUTE_MS, rounded } from '../base/units.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { type SoftwareCount, softwareCounts } from '../store/software-counts.ts';
import { builder } from './builder.ts';
import { perOperation } from './context.ts';

/** Fewer vehicles than this are not told: the catalogue is public (contract §10). */
export const FEWEST_TOLD = 5;

/** How long counts are told again without counting anew: they scan every installation, and the catalogue is public. */
const KEPT_MS = MINUTE_MS;

/** Versions of which counts are kept at most. */
const MOST_KEPT = 1_000;

type Kept = { at: number; counts: Promise<SoftwareCount[]> };

/** Counts by version, for each database that this process has open. */
const keptIn = new WeakMap<PrismaClient, Map<string, Kept>>();

/** Counts of one version, those of all versions (`TOTAL`) among them; as they were at most a minute ago. */
export const countsOf = perOperation(
  (context) =>
    new DataLoader<string, SoftwareCount[]>((ids) => {
      const kept = keptIn.get(context.prisma) ?? new Map<string, Kept>();
      keptIn.set(context.prisma, kept);
      const at = context.clock();
      const isFresh = (id: string) => {
        const one = kept.get(id);
        return one !== undefined && at - one.at < KEPT_MS;
      };
      // What is left of a full map is counted anew with the rest.
      if (kept.size + ids.length > MOST_KEPT) kept.clear();
      const stale = ids.filter((id) => !isFresh(id));
      if (stale.length > 0) keepCounts(kept, stale, { prisma: context.prisma, at });
      return Promise.all(ids.map((id) => kept.get(id)?.counts ?? []));
    }),
);

/** Counts versions and keeps the counts; a failure is told once and not kept. */
function keepCounts(
  kept: Map<string, Kept>,
  ids: readonly string[],
  { prisma, at }: { prisma: PrismaClient; at: number },
): void {
  const counted = softwareCounts(prisma, ids);
  for (const id of ids) {
    const counts = counted.then((rows) =>
      rows.filter(({ softwareUpdateId }) => softwareUpdateId === null || softwareUpdateId === id),
    );
    const mine = { at, counts };
    kept.set(id, mine);
    counts.catch(() => {
      if (kept.get(id) === mine) kept.delete(id);
    });
  }
}

function told(counts: SoftwareCount[], kind: SoftwareCount['kind'], words: string | null = null) {
  const row = counts.find((count) => count.kind === kind && count.words === words);
  return row !== undefined && row.vehicles >= FEWEST_TOLD ? row.vehicles : null;
}

const groupsOf = (counts: SoftwareCount[], kind: SoftwareCount['kind']) =>
  counts.filter((count) => count.kind === kind && count.vehicles >= FEWEST_TOLD);

const few = `null for fewer than ${FEWEST_TOLD}`;

const SoftwareGroup = builder.objectRef<SoftwareCount>('SoftwareGroup').implement({
  description: 'How many vehicles of a kind run a version.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the kind.', resolve: ({ words }) => words ?? '' }),
    vehicles: t.exposeInt('vehicles', { description: 'How many.' }),
  }),
});

const SoftwarePending = builder.objectRef<SoftwareCount[]>('SoftwarePending').implement({
  description: 'How many vehicles a version is on its way to.',
  fields: (t) => {
    const state = (word: string, description: string) =>
      t.int({
        nullable: true,
        description: `${description}; ${few}.`,
        resolve: (counts) => told(counts, 'PENDING', word),
      });
    return {
      available: state('AVAILABLE', 'Offered'),
      waitingWifi: state('WAITING_WIFI', 'Waiting for a wireless network'),
      downloading: state('DOWNLOADING', 'Downloading'),
      scheduled: state('SCHEDULED', 'Scheduled'),
      installing: state('INSTALLING', 'Installing'),
    };
  },
});

/** How widespread a version is among the vehicles of this instance. */
export const SoftwareCounts = builder.objectRef<SoftwareCount[]>('SoftwareCounts').implement({
  description: `How widespread a version is among the vehicles of this instance; fewer than ${FEWEST_TOLD} are not told.`,
  fields: (t) => ({
    total: t.int({
      nullable: true,
      description: `Vehicles of which the version is known; ${few}.`,
      resolve: (counts) => told(counts, 'TOTAL'),
    }),
    onVersion: t.int({
      nullable: true,
      description: `Vehicles that run this version; ${few}.`,
      resolve: (counts) => told(counts, 'ON_VERSION'),
    }),
    sharePct: t.float({
      nullable: true,
      description:
        'Share of the vehicles that run this version; null where a count is not told [%].',
      resolve: (counts) => {
        const total = told(counts, 'TOTAL');
        const on = told(counts, 'ON_VERSION');
        return total === null || on === null ? null : rounded((100 * on) / total, 1);
      },
    }),
    byModel: t.field({
      type: [SoftwareGroup],
      description: `Vehicles on this version by model; models with fewer than ${FEWEST_TOLD} are left out.`,
      resolve: (counts) => groupsOf(counts, 'MODEL'),
    }),
    byRegion: t.field({
      type: [SoftwareGroup],
      description: `Vehicles on this version by region; regions with fewer than ${FEWEST_TOLD} are left out.`,
      resolve: (counts) => groupsOf(counts, 'REGION'),
    }),
    pending: t.field({
      type: SoftwarePending,
      description: 'Vehicles that this version is on its way to.',
      resolve: (counts) => counts,
    }),
  }),
});
