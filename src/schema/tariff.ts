import { typeIdOf, uuidOf } from '../base/ids.ts';
import { type TariffRule as Rule, weekDays } from '../contract/tariffs.ts';
import { Prisma, type Tariff as TariffRow } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { rulesOf } from '../store/tariffs.ts';
import { builder } from './builder.ts';
import { connection, pageArgs, pageCost, vehicles } from './connection.ts';
import { caller } from './context.ts';
import { list } from './list.ts';
import { placeGuard } from './place.ts';

const dayNames = {
  SUN: 'Sunday',
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
} as const satisfies Record<(typeof weekDays)[number], string>;

/** A day of the week. */
export const WeekDay = builder.enumType('TariffDay', {
  description: 'A day of the week.',
  values: Object.fromEntries(
    weekDays.map((day) => [day, { description: `${dayNames[day]}.` }]),
  ) as { [D in (typeof weekDays)[number]]: { description: string } },
});

function clockOf(minute: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

const TariffRule = builder.objectRef<Rule>('TariffRule').implement({
  description: 'Prices that hold at some times.',
  authScopes: placeGuard,
  fields: (t) => ({
    days: t.field({
      type: [WeekDay],
      nullable: true,
      description: 'Days on which its time begins; null for every day.',
      resolve: ({ days }) => (days === null ? null : [...days]),
    }),
    start: t.string({
      description: 'Local time at which it begins.',
      resolve: ({ startMinute }) => clockOf(startMinute),
    }),
    end: t.string({
      description: 'Local time at which it ends; on the next day where it is not after the start.',
      resolve: ({ endMinute }) => clockOf(endMinute),
    }),
    months: t.intList({
      nullable: true,
      description: 'Months in which its time begins, 1 to 12; null for every month.',
      resolve: ({ months }) => (months === null ? null : [...months]),
    }),
    ratePerKwh: t.expose('ratePerKwh', {
      type: 'Decimal',
      nullable: true,
      description: 'Price for each unit of energy [kWh], in major units; null for the default.',
    }),
    ratePerMin: t.expose('ratePerMin', {
      type: 'Decimal',
      nullable: true,
      description: 'Price of a minute in which energy flows, in major units.',
    }),
    sessionFee: t.expose('sessionFee', {
      type: 'Decimal',
      nullable: true,
      description: 'Price of a charge that begins while it holds, in major units.',
    }),
    idleFeePerMin: t.expose('idleFeePerMin', {
      type: 'Decimal',
      nullable: true,
      description: 'Price of a minute plugged in after the last energy, in major units.',
    }),
  }),
});

/** What energy costs at a place. */
export const Tariff = builder.prismaNode('Tariff', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({ id, accountId: caller(context).accountId }),
  authScopes: placeGuard,
  fields: (t) => ({
    name: t.exposeString('name'),
    currency: t.exposeString('currency'),
    timezone: t.exposeString('timezone'),
    defaultRate: t.expose('defaultRate', { type: 'Decimal' }),
    rules: t.field({
      type: [TariffRule],
      description: 'Prices that hold at some times; the first one that holds counts.',
      resolve: (tariff) => rulesOf(tariff),
    }),
    placeId: t.id({
      nullable: true,
      description: 'Id of the place it belongs to; places may choose it besides.',
      resolve: ({ placeId }) => (placeId === null ? null : typeIdOf('Place', placeId)),
    }),
    validFrom: t.expose('validFrom', { type: 'DateTime', nullable: true }),
    validTo: t.expose('validTo', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const TariffConnection = connection('Tariff', Tariff, { guard: vehicles, rows: 'tariffs' });

const tariffs = list<TariffRow, never>({
  name: 'tariffs',
  source: {
    from: Prisma.sql`tariff`,
    columns: columnsOf('Tariff'),
    belongs: Prisma.sql`t.account_id = p.parent::uuid`,
    key: { column: 'created_at', name: 'createdAt' },
    id: { column: 'id', name: 'id', type: 'uuid' },
  },
  keyOf: (tariff) => tariff.createdAt,
  idOf: (tariff) => tariff.id,
  where: () => [],
});

builder.queryFields((t) => ({
  tariffs: t.field({
    type: TariffConnection,
    description: 'Your tariffs, the newest first.',
    authScopes: vehicles,
    args: pageArgs,
    complexity: pageCost,
    resolve: (_root, args, context, info) =>
      tariffs(caller(context).accountId, args, context, info),
  }),
  tariff: t.prismaField({
    type: Tariff,
    nullable: true,
    description: 'One tariff; null when it is missing or not yours.',
    authScopes: vehicles,
    args: { id: t.arg.id({ required: true, description: 'Id of the tariff.' }) },
    resolve: (query, _root, { id }, context) => {
      const uuid = uuidOf('Tariff', id);
      if (uuid === null) return null;
      const { accountId } = caller(context);
      return context.prisma.tariff.findFirst({ ...query, where: { id: uuid, accountId } });
    },
  }),
}));
