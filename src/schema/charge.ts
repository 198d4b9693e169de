import { uuidOf } from '../base/ids.ts';
import { type Charge as ChargeRow, Prisma } from '../store/generated/prisma/client.ts';
import { columnsOf } from '../store/keyset.ts';
import { visibleThroughVehicle } from '../store/visible.ts';
import { builder } from './builder.ts';
import {
  ChargeFilter,
  type ChargeFilterShape,
  chargeConditions,
  coarseNetwork,
  isToldAnywhere,
} from './charge-filter.ts';
import { ChargeSegment, CurvePoint, segmentsOf } from './charge-parts.ts';
import { connection, orderArg, pageArgs, pageCost, vehicles } from './connection.ts';
import { caller } from './context.ts';
import { Cost, costOf } from './cost.ts';
import { ChargeKind, ChargeNetwork, ChargeState, Source } from './enums.ts';
import { list } from './list.ts';
import { vehicleById } from './loaders.ts';
import { Location, tell } from './location.ts';
import { seesExactly } from './precision.ts';
import { chartIn, maxPointsArg, trackCost } from './track.ts';
import { Vehicle } from './vehicle.ts';

/** A charge of a vehicle. */
export const Charge = builder.prismaNode('Charge', {
  id: { field: 'id' },
  nullable: true,
  findUnique: (id, context) => ({
    id,
    deletedAt: null,
    ...visibleThroughVehicle(caller(context)),
  }),
  authScopes: vehicles,
  fields: (t) => ({
    vehicle: t.field({
      type: Vehicle,
      nullable: true,
      description: 'The vehicle that charged.',
      resolve: (charge, _args, context) => vehicleById(context).load(charge.vehicleId),
    }),
    state: t.expose('state', { type: ChargeState }),
    discardReason: t.exposeString('discardReason', { nullable: true }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    durationS: t.exposeInt('durationS', { nullable: true }),
    location: t.field({
      type: Location,
      nullable: true,
      description: 'Where it was.',
      resolve: (charge, _args, context) =>
        tell(context, { ...charge, observedAt: charge.startedAt }),
    }),
    kind: t.expose('kind', { type: ChargeKind, nullable: true }),
    network: t.field({
      type: ChargeNetwork,
      description:
        'Who runs the charger; HOME and WORK are those of a place, and told where positions are told exactly.',
      resolve: async ({ vehicleId, network }, _args, context) =>
        (await seesExactly(context, vehicleId)) ? network : coarseNetwork(network),
    }),
    startBatteryLevelPct: t.exposeFloat('startBatteryLevelPct', { nullable: true }),
    endBatteryLevelPct: t.exposeFloat('endBatteryLevelPct', { nullable: true }),
    startRangeRatedKm: t.exposeFloat('startRangeRatedKm', { nullable: true }),
    endRangeRatedKm: t.exposeFloat('endRangeRatedKm', { nullable: true }),
    energyAddedKwh: t.exposeFloat('energyAddedKwh', { nullable: true }),
    energyPartial: t.exposeBoolean('energyPartial'),
    energyUsedKwh: t.exposeFloat('energyUsedKwh', { nullable: true }),
    efficiencyPct: t.exposeFloat('efficiencyPct', { nullable: true }),
    powerMaxKw: t.exposeFloat('powerMaxKw', { nullable: true }),
    powerAvgKw: t.exposeFloat('powerAvgKw', { nullable: true }),
    odometerKm: t.exposeFloat('odometerKm', { nullable: true }),
    outsideTempAvgC: t.exposeFloat('outsideTempAvgC', { nullable: true }),
    idleMinutes: t.exposeFloat('idleMinutes', { nullable: true }),
    limitPct: t.exposeInt('limitPct', { nullable: true }),
    sampleCount: t.exposeInt('sampleCount'),
    segments: t.field({
      type: [ChargeSegment],
      description: 'The stretches in which energy flowed, in time order.',
      resolve: (charge, _args, context) => segmentsOf(context).load(charge.id),
    }),
    curve: t.field({
      type: [CurvePoint],
      description: 'The charge over time; up to now while it lasts.',
      args: maxPointsArg,
      complexity: trackCost,
      resolve: ({ vehicleId, startedAt, endedAt }, { maxPoints }, context) => {
        const toMs = endedAt?.getTime() ?? context.clock();
        const range = { vehicleId, fromMs: startedAt.getTime(), toMs };
        return chartIn(context, range, maxPoints);
      },
    }),
    tags: t.exposeStringList('tags'),
    note: t.exposeString('note', { nullable: true }),
    cost: t.field({
      type: Cost,
      nullable: true,
      description:
        'What it cost; null where it is not known. By a tariff, which holds at a place, or a bill, which has the price of a site, it is told where positions are told exactly.',
      resolve: async (charge, _args, context) =>
        isToldAnywhere(charge.costMethod) || (await seesExactly(context, charge.vehicleId))
          ? costOf(charge)
          : null,
    }),
    source: t.expose('source', { type: Source }),
    simulated: t.exposeBoolean('simulated'),
    editedAt: t.expose('editedAt', { type: 'DateTime', nullable: true }),
    deletedAt: t.expose('deletedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

/** A page of charges. */
export const ChargeConnection = connection('Charge', Charge, { guard: vehicles, rows: 'charges' });

/** Charges of what `belongs` ties them to. */
export function chargeList(name: string, belongs: Prisma.Sql) {
  return list<ChargeRow, ChargeFilterShape>({
    name,
    source: {
      from: Prisma.sql`charge`,
      columns: columnsOf('Charge'),
      belongs,
      key: { column: 'started_at', name: 'startedAt' },
      id: { column: 'id', name: 'id', type: 'uuid' },
    },
    keyOf: (charge) => charge.startedAt,
    idOf: (charge) => charge.id,
    where: chargeConditions,
  });
}

const chargesOfVehicle = chargeList('charges', Prisma.sql`t.vehicle_id = p.parent::uuid`);

builder.prismaObjectField(Vehicle, 'charges', (t) =>
  t.field({
    type: ChargeConnection,
    description: 'Its charges, the newest first.',
    args: {
      ...pageArgs,
      ...orderArg,
      filter: t.arg({ type: ChargeFilter, description: 'Which charges to list.' }),
    },
    complexity: pageCost,
    resolve: (vehicle, args, context, info) => chargesOfVehicle(vehicle.id, args, context, info),
  }),
);

builder.queryField('charge', (t) =>
  t.prismaField({
    type: Charge,
    nullable: true,
    description: 'One charge; null when it is missing, deleted or not yours.',
    authScopes: vehicles,
    args: { id: t.arg.id({ required: true, description: 'Id of the charge.' }) },
    resolve: (query, _root, { id }, context) => {
      const uuid = uuidOf('Charge', id);
      if (uuid === null) return null;
      return context.prisma.charge.findFirst({
        ...query,
        where: { id: uuid, deletedAt: null, ...visibleThroughVehicle(caller(context)) },
      });
    },
  }),
);
