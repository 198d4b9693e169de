import {
  Prisma,
  type SoftwareUpdate as SoftwareUpdateRow,
} from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { builder } from './builder.ts';
import { connection, pageArgs, pageCost } from './connection.ts';
import { type Context, perOperation } from './context.ts';
import { Region } from './enums.ts';
import { between, conditions, equal } from './filters.ts';
import { list } from './list.ts';
import { countsOf, FEWEST_TOLD, SoftwareCounts } from './software-counts.ts';

/** The order of the catalogue: newest first by first seen (contract §0). */
export const newestFirst = [{ firstSeenAt: 'desc' }, { version: 'desc' }] as const;

const latestId = perOperation(async ({ prisma }) => {
  const latest = await prisma.softwareUpdate.findFirst({
    orderBy: [...newestFirst],
    select: { id: true },
  });
  return latest?.id ?? null;
});

/** A software version of the catalogue; it is public. */
export const SoftwareUpdate = builder.prismaNode('SoftwareUpdate', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id) => ({ id }),
  fields: (t) => ({
    version: t.exposeString('version'),
    commit: t.exposeString('commit', { nullable: true }),
    year: t.exposeInt('year', { nullable: true }),
    week: t.exposeInt('week', { nullable: true }),
    major: t.exposeInt('major', { nullable: true }),
    minor: t.exposeInt('minor', { nullable: true }),
    earlyAccess: t.exposeBoolean('earlyAccess'),
    firstSeenAt: t.expose('firstSeenAt', { type: 'DateTime' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime' }),
    isLatest: t.boolean({
      description: 'Whether it is the newest of the catalogue.',
      resolve: async ({ id }, _args, context) => id === (await latestId(context)),
    }),
    counts: t.field({
      type: SoftwareCounts,
      description: 'How widespread it is among the vehicles of this instance.',
      complexity: { field: 5, multiplier: 1 },
      resolve: ({ id }, _args, context) => countsOf(context).load(id),
    }),
  }),
});

type Filter = {
  earlyAccess?: boolean | null;
  since?: number | null;
  model?: string | null;
  region?: string | null;
};

const SoftwareUpdateFilter = builder.inputRef<Filter>('SoftwareUpdateFilter').implement({
  description: 'Which versions to list; every given field must hold.',
  fields: (t) => ({
    earlyAccess: t.boolean({ description: 'Whether it was given to testers first.' }),
    since: t.field({ type: 'DateTime', description: 'First seen at or after.' }),
    model: t.string({ description: `Seen on at least ${FEWEST_TOLD} vehicles of this model.` }),
    region: t.field({
      type: Region,
      description: `Seen on at least ${FEWEST_TOLD} vehicles of this region.`,
    }),
  }),
});

function seenOn(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT count(DISTINCT v.vin) FROM software_installation i
    JOIN vehicle v ON v.id = i.vehicle_id LEFT JOIN maker_account m ON m.id = v.maker_account_id
    WHERE i.software_update_id = t.id AND ${condition}) >= ${FEWEST_TOLD}`;
}

const catalogue = list<SoftwareUpdateRow, Filter>({
  name: 'softwareUpdates',
  source: {
    from: Prisma.sql`software_update`,
    columns: columnsOf('SoftwareUpdate'),
    belongs: Prisma.sql`true`,
    key: { column: 'first_seen_at', name: 'firstSeenAt' },
    id: { column: 'version', name: 'version', type: 'text' },
  },
  keyOf: (update) => update.firstSeenAt,
  idOf: (update) => update.version,
  where: (filter) => {
    const f = filter ?? {};
    return conditions([
      equal('early_access', f.earlyAccess),
      between('first_seen_at', f.since, null),
      f.model == null ? null : seenOn(Prisma.sql`${f.model} IN (v.model, v.model_code)`),
      f.region == null ? null : seenOn(Prisma.sql`m.region::text = ${f.region}`),
    ]);
  },
});

const SoftwareUpdateConnection = connection('SoftwareUpdate', SoftwareUpdate, {
  guard: null,
  rows: 'software versions',
});

function latest(query: object, context: Context) {
  return context.prisma.softwareUpdate.findFirst({ ...query, orderBy: [...newestFirst] });
}

builder.queryFields((t) => ({
  softwareUpdates: t.field({
    type: SoftwareUpdateConnection,
    description: 'The software versions the service has seen, the newest first.',
    args: {
      ...pageArgs,
      filter: t.arg({ type: SoftwareUpdateFilter, description: 'Which versions to list.' }),
    },
    complexity: pageCost,
    resolve: (_root, args, context, info) => catalogue('', args, context, info),
  }),
  softwareUpdate: t.prismaField({
    type: SoftwareUpdate,
    nullable: true,
    description: 'One software version; null when it was never seen.',
    args: {
      version: t.arg.string({ required: true, description: 'Version, such as `2026.38.4`.' }),
    },
    resolve: (query, _root, { version }, { prisma }) =>
      prisma.softwareUpdate.findUnique({ ...query, where: { version } }),
  }),
  latestSoftwareUpdate: t.prismaField({
    type: SoftwareUpdate,
    nullable: true,
    description: 'The newest software version; null while none was seen.',
    resolve: (query, _root, _args, context) => latest(query, context),
  }),
}));
