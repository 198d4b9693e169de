import { SECOND_MS } from '../base/units.ts';
import { type IdleReason, idleReasons } from '../contract/effects.ts';
import { type ParkedSpan as ParkedSpanRow, Prisma } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { builder } from './builder.ts';
import { connection, orderArg, pageArgs, pageCost, vehicles } from './connection.ts';
import { type Context, caller } from './context.ts';
import { conditions, overlapping, pointsTo } from './filters.ts';
import { list } from './list.ts';
import { vehicleById } from './loaders.ts';
import { Location, tell } from './location.ts';
import { isSeenExactly } from './near.ts';
import { packCapacity } from './pack-capacity.ts';
import { lostByRange } from './parked-loss.ts';
import { Vehicle } from './vehicle.ts';

const Reason = builder.enumType('IdleReason', {
  description: 'Why a parked vehicle loses energy.',
  values: {
    SENTRY: { description: 'It was on guard.' },
    CLIMATE: { description: 'Heating or cooling ran.' },
    COLD: { description: 'The pack was cold, which withholds range, or it froze outside.' },
    UNKNOWN: { description: 'Nothing that was heard explains it.' },
  } satisfies Record<IdleReason, object>,
});

/** A stretch of time between two drives. */
export const ParkedSpan = builder.prismaNode('ParkedSpan', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, ...visibleThroughVehicle(caller(context)) }),
  authScopes: vehicles,
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    location: t.field({
      type: Location,
      nullable: true,
      description: 'Where it was parked.',
      resolve: (span, _args, context) => tell(context, { ...span, observedAt: span.startedAt }),
    }),
    startBatteryLevelPct: t.exposeFloat('startBatteryLevelPct', { nullable: true }),
    endBatteryLevelPct: t.exposeFloat('endBatteryLevelPct', { nullable: true }),
    startRangeRatedKm: t.exposeFloat('startRangeRatedKm', { nullable: true }),
    endRangeRatedKm: t.exposeFloat('endRangeRatedKm', { nullable: true }),
    durationS: t.int({
      nullable: true,
      description: 'How long; null while it is parked [s].',
      resolve: ({ startedAt, endedAt }) =>
        endedAt === null ? null : Math.round((endedAt.getTime() - startedAt.getTime()) / SECOND_MS),
    }),
    energyAddedKwh: t.exposeFloat('energyAddedKwh'),
    energyLostKwh: t.float({
      nullable: true,
      description:
        'Energy lost while nothing was charged, by the vehicle’s word on its pack, else by the range lost and the capacity that its charges show; null where neither is known [kWh].',
      resolve: async (span, _args, context) =>
        span.energyLostKwh ?? lostByRange(span, await capacityFor(span, context)),
    }),
    drainPctPerDay: t.exposeFloat('drainPctPerDay', { nullable: true }),
    preconditioningMinutes: t.exposeFloat('preconditioningMinutes'),
    sentryMinutes: t.exposeFloat('sentryMinutes'),
    reasons: t.field({
      type: [Reason],
      description: 'What took at least a tenth of the loss, the most first.',
      resolve: ({ reasons }) => reasons.flatMap(reasonOf),
    }),
    simulated: t.exposeBoolean('simulated'),
  }),
});

/** Capacity of the pack of a span's vehicle [kWh]. */
async function capacityFor({ vehicleId }: ParkedSpanRow, context: Context): Promise<number | null> {
  const vehicle = await vehicleById(context).load(vehicleId);
  if (vehicle === null) return null;
  return vehicle.usableCapacityKwh ?? (await packCapacity(vehicle, context)).capacityKwh;
}

/** A stored word as a reason; a word that this version does not know is left out. */
function reasonOf(word: string): IdleReason[] {
  return idleReasons.filter((reason) => reason === word);
}

type Filter = { from?: number | null; to?: number | null; place?: string | null };

const ParkedSpanFilter = builder.inputRef<Filter>('ParkedSpanFilter').implement({
  description: 'Which spans to list; every given field must hold.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Lasted until after this, or still lasts.' }),
    to: t.field({ type: 'DateTime', description: 'Started before.' }),
    place: t.id({ description: 'At the place with this id.' }),
  }),
});

const ParkedSpanConnection = connection('ParkedSpan', ParkedSpan, {
  guard: vehicles,
  rows: 'parked spans',
});

const spans = list<ParkedSpanRow, Filter>({
  name: 'parkedSpans',
  source: {
    from: Prisma.sql`parked_span`,
    columns: columnsOf('ParkedSpan'),
    belongs: Prisma.sql`t.vehicle_id = p.parent::uuid`,
    key: { column: 'started_at', name: 'startedAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (span) => span.startedAt,
  idOf: (span) => span.id,
  where: (filter, context) =>
    conditions([
      overlapping(filter?.from, filter?.to),
      pointsTo('place_id', 'Place', filter?.place, 'place'),
      filter?.place == null ? null : isSeenExactly(context),
    ]),
});

builder.prismaObjectField(Vehicle, 'parkedSpans', (t) =>
  t.field({
    type: ParkedSpanConnection,
    description: 'When it was parked, the newest first.',
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: ParkedSpanFilter, description: 'Which spans to list.' }),
    },
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => spans(vehicle.id, args, context, info),
  }),
);
