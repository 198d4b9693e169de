import { type HistoryEdit as EditRow, Prisma } from '../store/generated/prisma/client.ts';
import { editKinds } from '../store/history-edits.ts';
import { columnsOf } from '../store/keyset.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { builder } from './builder.ts';
import { Charge } from './charge.ts';
import { connection, pageArgs, pageCost, vehicles } from './connection.ts';
import { caller } from './context.ts';
import { Drive } from './drive.ts';
import { list } from './list.ts';
import { Trip } from './trip.ts';
import { Vehicle } from './vehicle.ts';

const sentences = {
  DRIVE_UPDATE: 'Tags, purpose, note or driver of a drive.',
  DRIVE_MERGE: 'One drive was made of several.',
  DRIVE_SPLIT: 'A drive was cut in two.',
  DRIVE_CLOSE: 'A drive under way was ended.',
  DRIVE_DELETE: 'A drive was deleted.',
  CHARGE_UPDATE: 'Tags, note or cost of a charge.',
  TRIP_CREATE: 'Drives were grouped.',
  TRIP_UPDATE: 'Name or tags of a trip.',
  TRIP_MERGE: 'One trip was made of several.',
  TRIP_SPLIT: 'A trip was cut in two.',
  TRIP_CLOSE: 'A trip under way was ended.',
  TRIP_DELETE: 'A trip was ungrouped.',
} as const satisfies Record<(typeof editKinds)[number], string>;

const EditKind = builder.enumType('EditKind', {
  description: 'What a person did to history.',
  values: Object.fromEntries(editKinds.map((kind) => [kind, { description: sentences[kind] }])) as {
    [K in (typeof editKinds)[number]]: { description: string };
  },
});

/** What a person did to history. */
export const HistoryEdit = builder.prismaNode('HistoryEdit', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, ...visibleThroughVehicle(caller(context)) }),
  authScopes: vehicles,
  fields: (t) => ({
    kind: t.field({
      type: EditKind,
      description: 'What was done.',
      resolve: ({ kind }) => editKinds.find((one) => one === kind) ?? 'DRIVE_UPDATE',
    }),
    actor: t.exposeString('actor'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    undoneAt: t.expose('undoneAt', { type: 'DateTime', nullable: true }),
  }),
});

const EditConnection = connection('HistoryEdit', HistoryEdit, { guard: vehicles, rows: 'edits' });

/** A list of edits, the newest first. */
const editsWhere = (name: string, belongs: Prisma.Sql) =>
  list<EditRow, never>({
    name,
    source: {
      from: Prisma.sql`history_edit`,
      columns: columnsOf('HistoryEdit'),
      belongs,
      key: { column: 'created_at', name: 'createdAt' },
      id: { column: 'id', name: 'id', type: 'uuid' },
    },
    keyOf: (edit) => edit.createdAt,
    idOf: (edit) => edit.id,
    where: () => [],
  });

const editsOfVehicle = editsWhere('edits', Prisma.sql`t.vehicle_id = p.parent::uuid`);
const editsOfRow = editsWhere('edits of a row', Prisma.sql`t.subjects @> ARRAY[p.parent::uuid]`);

for (const part of [Drive, Charge, Trip] as const) {
  builder.prismaObjectField(part, 'edits', (t) =>
    t.field({
      type: EditConnection,
      description: 'What people did to it, the newest first.',
      args: pageArgs,
      complexity: pageCost,
      resolve: ({ id }, args, context, info) => editsOfRow(id, args, context, info),
    }),
  );
}

builder.prismaObjectField(Vehicle, 'edits', (t) =>
  t.field({
    type: EditConnection,
    description: 'What people did to its history, the newest first.',
    args: pageArgs,
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => editsOfVehicle(vehicle.id, args, context, info),
  }),
);

/** An edit with the rows it concerns, as they are now. */
export const HistoryEditPayload = builder.objectRef<EditRow>('HistoryEditPayload').implement({
  description: 'An edit, and the rows it concerns as they are now; what it deleted is left out.',
  authScopes: { controls: true },
  fields: (t) => ({
    edit: t.field({
      type: HistoryEdit,
      description: 'The edit.',
      resolve: (edit) => edit,
    }),
    drives: t.field({
      type: [Drive],
      description: 'Drives, in time order.',
      resolve: (edit, _args, context) =>
        context.prisma.drive.findMany({ ...concerned(edit), take: 200 }),
    }),
    charges: t.field({
      type: [Charge],
      description: 'Charges, in time order.',
      resolve: (edit, _args, context) =>
        context.prisma.charge.findMany({ ...concerned(edit), take: 200 }),
    }),
    trips: t.field({
      type: [Trip],
      description: 'Trips, in time order.',
      resolve: (edit, _args, context) =>
        context.prisma.trip.findMany({ ...concerned(edit), take: 200 }),
    }),
  }),
});

function concerned({ subjects, vehicleId }: EditRow) {
  return {
    where: { id: { in: subjects }, vehicleId, deletedAt: null },
    orderBy: { startedAt: 'asc' },
  } as const;
}
