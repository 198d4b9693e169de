import { weekdays } from '../contract/command-params.ts';
import type { VehicleDriver, VehicleSchedule } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { groupedBy } from './loaders.ts';
import { Location, tell } from './location.ts';
import { Vehicle } from './vehicle.ts';
import { Weekday } from './weekday.ts';

const Driver = builder.objectRef<VehicleDriver>('VehicleDriver').implement({
  description: 'Somebody beside the owner who may drive a vehicle, as the maker lists them.',
  authScopes: vehicles,
  fields: (t) => ({
    makerUserId: t.exposeString('makerUserId', {
      description: 'The maker’s own id of the person.',
    }),
    firstName: t.exposeString('firstName', { nullable: true, description: 'First name.' }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'Last name.' }),
    observedAt: t.expose('observedAt', {
      type: 'DateTime',
      description: 'When the maker last listed the person.',
    }),
  }),
});

const ScheduleKind = builder.enumType('ScheduleKind', {
  description: 'What a plan of a vehicle is for.',
  values: {
    CHARGE: { description: 'Charging.' },
    PRECONDITION: { description: 'Heating or cooling before a departure.' },
  },
});

const Schedule = builder.objectRef<VehicleSchedule>('VehicleSchedule').implement({
  description: 'A plan that is kept on a vehicle.',
  authScopes: vehicles,
  fields: (t) => ({
    kind: t.expose('kind', { type: ScheduleKind, description: 'What it is for.' }),
    number: t.string({
      description: 'The maker’s number of the plan, which commands take as `id`.',
      resolve: ({ number }) => String(number),
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the plan.' }),
    days: t.field({
      type: [Weekday],
      description: 'Days on which it holds.',
      resolve: ({ days }) => weekdays.filter((_, index) => (days & (1 << index)) !== 0),
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it is in force.' }),
    oneTime: t.exposeBoolean('oneTime', { description: 'Whether it holds once.' }),
    startMinute: t.exposeInt('startMinute', {
      nullable: true,
      description:
        'Minute after local midnight at which charging starts, or the cabin is to be ready [min].',
    }),
    endMinute: t.exposeInt('endMinute', {
      nullable: true,
      description: 'Minute after local midnight at which charging ends [min].',
    }),
    location: t.field({
      type: Location,
      nullable: true,
      description: 'The place it is for.',
      resolve: (schedule, _args, context) => tell(context, { ...schedule, placeId: null }),
    }),
    observedAt: t.expose('observedAt', {
      type: 'DateTime',
      description: 'When the vehicle last told it.',
    }),
  }),
});

const driversOf = groupedBy<VehicleDriver>(
  ({ vehicleId }) => vehicleId,
  (ids, { prisma }) =>
    prisma.vehicleDriver.findMany({
      where: { vehicleId: { in: ids } },
      orderBy: { makerUserId: 'asc' },
    }),
);

const schedulesOf = groupedBy<VehicleSchedule>(
  ({ vehicleId }) => vehicleId,
  (ids, { prisma }) =>
    prisma.vehicleSchedule.findMany({
      where: { vehicleId: { in: ids } },
      orderBy: [{ kind: 'asc' }, { number: 'asc' }],
    }),
);

builder.prismaObjectField(Vehicle, 'drivers', (t) =>
  t.field({
    type: [Driver],
    description: 'Who may drive it beside the owner; empty where the maker does not tell.',
    resolve: (vehicle, _args, context) => driversOf(context).load(vehicle.id),
  }),
);

builder.prismaObjectField(Vehicle, 'schedules', (t) =>
  t.field({
    type: [Schedule],
    description: 'The plans for charging and preconditioning that are kept on it.',
    resolve: (vehicle, _args, context) => schedulesOf(context).load(vehicle.id),
  }),
);
