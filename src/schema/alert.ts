import { type Alert as AlertRow, Prisma } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { builder } from './builder.ts';
import { connection, orderArg, pageArgs, pageCost, vehicles } from './connection.ts';
import { caller } from './context.ts';
import { between, conditions } from './filters.ts';
import { list } from './list.ts';
import { vehicleById } from './loaders.ts';
import { Vehicle } from './vehicle.ts';

/** Something that a vehicle warned of. */
export const Alert = builder.prismaNode('Alert', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, ...visibleThroughVehicle(caller(context)) }),
  authScopes: vehicles,
  fields: (t) => ({
    vehicle: t.field({
      type: Vehicle,
      nullable: true,
      description: 'The vehicle that warned.',
      resolve: (alert, _args, context) => vehicleById(context).load(alert.vehicleId),
    }),
    name: t.exposeString('name'),
    audiences: t.exposeStringList('audiences'),
    text: t.exposeString('text', { nullable: true }),
    raisedAt: t.expose('raisedAt', { type: 'DateTime' }),
    clearedAt: t.expose('clearedAt', { type: 'DateTime', nullable: true }),
    simulated: t.exposeBoolean('simulated'),
  }),
});

type Filter = { from?: number | null; to?: number | null; open?: boolean | null };

const AlertFilter = builder.inputRef<Filter>('AlertFilter').implement({
  description: 'Which alerts to list; every given field must hold.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Raised at or after.' }),
    to: t.field({ type: 'DateTime', description: 'Raised before.' }),
    open: t.boolean({ description: 'Whether the maker still tells it.' }),
  }),
});

const AlertConnection = connection('Alert', Alert, { guard: vehicles, rows: 'alerts' });

function openOrNot(open: boolean | null | undefined): Prisma.Sql | null {
  if (open == null) return null;
  return open ? Prisma.sql`t.cleared_at IS NULL` : Prisma.sql`t.cleared_at IS NOT NULL`;
}

const alerts = list<AlertRow, Filter>({
  name: 'alerts',
  source: {
    from: Prisma.sql`alert`,
    columns: columnsOf('Alert'),
    belongs: Prisma.sql`t.vehicle_id = p.parent::uuid`,
    key: { column: 'raised_at', name: 'raisedAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (alert) => alert.raisedAt,
  idOf: (alert) => alert.id,
  where: (filter) =>
    conditions([between('raised_at', filter?.from, filter?.to), openOrNot(filter?.open)]),
});

builder.prismaObjectField(Vehicle, 'alerts', (t) =>
  t.field({
    type: AlertConnection,
    description: 'What it warned of, the newest first; the maker is asked once a day.',
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: AlertFilter, description: 'Which alerts to list.' }),
    },
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => alerts(vehicle.id, args, context, info),
  }),
);
