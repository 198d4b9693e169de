import DataLoader from 'dataloader';
import type { VehicleStream } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { perOperation } from './context.ts';
import { Vehicle } from './vehicle.ts';

const streamOf = perOperation(
  (context) =>
    new DataLoader<string, VehicleStream | null>(async (ids) => {
      const rows = await context.prisma.vehicleStream.findMany({
        where: { vehicleId: { in: [...ids] } },
      });
      const found = new Map(rows.map((row) => [row.vehicleId, row]));
      return ids.map((id) => found.get(id) ?? null);
    }),
);

/** How the records that stream in of a vehicle are doing; what a person has to know who misses a drive. */
export const VehicleTelemetry = builder.objectRef<VehicleStream>('VehicleTelemetry').implement({
  description: 'How the records that stream in of a vehicle are doing.',
  authScopes: vehicles,
  fields: (t) => ({
    newestAt: t.expose('newestAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the newest record was made.',
    }),
    receivedAt: t.expose('receivedAt', {
      type: 'DateTime',
      description: 'When something new last came in.',
    }),
    recordedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Up to when, by the time of the records, they are in the history.',
      resolve: ({ lastAt, reducedUntil }) => (lastAt === null ? null : reducedUntil),
    }),
    failing: t.boolean({
      description:
        'Whether the records could not be brought into the history at the last attempt; they are kept, and it is tried again.',
      resolve: ({ failures }) => failures > 0,
    }),
    failingSince: t.expose('failedSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when that is so.',
    }),
    failure: t.expose('failure', {
      type: 'String',
      nullable: true,
      description: 'The kind of error; the log of the service tells the rest.',
    }),
    retryAt: t.expose('retryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried again; a start of the service tries at once.',
    }),
  }),
});

builder.objectField(Vehicle, 'telemetry', (t) =>
  t.field({
    type: VehicleTelemetry,
    nullable: true,
    description: 'How the records that stream in are doing; null while none do.',
    resolve: ({ id }, _args, context) => streamOf(context).load(id),
  }),
);
