import { Prisma, type StateSpan as StateSpanRow } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { builder } from './builder.ts';
import { connection, orderArg, pageArgs, pageCost, vehicles } from './connection.ts';
import { caller } from './context.ts';
import { VehicleStatus } from './enums.ts';
import { conditions, oneOf, overlapping } from './filters.ts';
import { list } from './list.ts';
import { vehicleById } from './loaders.ts';
import { Vehicle } from './vehicle.ts';

/** A stretch of time in which a vehicle's status did not change. */
export const StateSpan = builder.prismaNode('StateSpan', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, ...visibleThroughVehicle(caller(context)) }),
  authScopes: vehicles,
  fields: (t) => ({
    status: t.expose('status', { type: VehicleStatus }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    simulated: t.boolean({
      nullable: true,
      description: 'Whether its vehicle is of the simulated garage.',
      resolve: async ({ vehicleId }, _args, context) =>
        (await vehicleById(context).load(vehicleId))?.simulated ?? null,
    }),
  }),
});

type Filter = { from?: number | null; to?: number | null; status?: string[] | null };

const StateSpanFilter = builder.inputRef<Filter>('StateSpanFilter').implement({
  description: 'Which spans to list; every given field must hold.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Lasted until after this, or still lasts.' }),
    to: t.field({ type: 'DateTime', description: 'Started before.' }),
    status: t.field({ type: [VehicleStatus], description: 'With one of these.' }),
  }),
});

const StateSpanConnection = connection('StateSpan', StateSpan, { guard: vehicles, rows: 'spans' });

const spans = list<StateSpanRow, Filter>({
  name: 'stateSpans',
  source: {
    from: Prisma.sql`state_span`,
    columns: columnsOf('StateSpan'),
    belongs: Prisma.sql`t.vehicle_id = p.parent::uuid`,
    key: { column: 'started_at', name: 'startedAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (span) => span.startedAt,
  idOf: (span) => span.id,
  where: (filter) =>
    conditions([
      overlapping(filter?.from, filter?.to),
      oneOf('status', filter?.status),
      // What lasted no time was a step to the next status, told in the same moment.
      Prisma.sql`(t.ended_at IS NULL OR t.ended_at > t.started_at)`,
    ]),
});

builder.prismaObjectField(Vehicle, 'stateSpans', (t) =>
  t.field({
    type: StateSpanConnection,
    description: 'What it did over time, the newest first.',
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: StateSpanFilter, description: 'Which spans to list.' }),
    },
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => spans(vehicle.id, args, context, info),
  }),
);
