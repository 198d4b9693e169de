import type { Sample } from '../contract/samples.ts';
import type { ChargeSegment as SegmentRow } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { ChargeKind } from './enums.ts';
import { groupedBy } from './loaders.ts';

/** Segments of charges, in their order. */
export const segmentsOf = groupedBy<SegmentRow>(
  (segment) => segment.chargeId,
  (ids, { prisma }) =>
    prisma.chargeSegment.findMany({
      where: { chargeId: { in: ids } },
      orderBy: [{ chargeId: 'asc' }, { ordinal: 'asc' }],
    }),
);

/** A stretch of a charge in which energy flowed. */
export const ChargeSegment = builder.prismaObject('ChargeSegment', {
  authScopes: vehicles,
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    kind: t.expose('kind', { type: ChargeKind }),
    startBatteryLevelPct: t.exposeFloat('startBatteryLevelPct', { nullable: true }),
    endBatteryLevelPct: t.exposeFloat('endBatteryLevelPct', { nullable: true }),
    energyAddedKwh: t.exposeFloat('energyAddedKwh', { nullable: true }),
    powerMaxKw: t.exposeFloat('powerMaxKw', { nullable: true }),
  }),
});

/** A charge at one moment. */
export const CurvePoint = builder.objectRef<Sample>('CurvePoint').implement({
  description: 'A charge at one moment.',
  authScopes: vehicles,
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    batteryLevelPct: t.exposeFloat('batteryLevelPct', {
      nullable: true,
      description: 'State of charge [%].',
    }),
    powerKw: t.exposeFloat('chargerPowerKw', {
      nullable: true,
      description: 'Power into the vehicle [kW].',
    }),
    voltageV: t.exposeFloat('chargerVoltageV', {
      nullable: true,
      description: 'Voltage at the charger [V].',
    }),
    currentA: t.exposeFloat('chargeActualCurrentA', {
      nullable: true,
      description: 'Current from the charger, per phase [A].',
    }),
    phases: t.exposeInt('chargerPhases', {
      nullable: true,
      description: 'Phases in use as the maker reports them; null for direct current.',
    }),
    energyAddedKwh: t.exposeFloat('chargeEnergyAddedKwh', {
      nullable: true,
      description: 'Energy counter of the charge [kWh].',
    }),
    rangeRatedKm: t.exposeFloat('rangeRatedKm', {
      nullable: true,
      description: 'Rated range [km].',
    }),
    outsideTempC: t.exposeFloat('outsideTempC', {
      nullable: true,
      description: 'Temperature outside [°C].',
    }),
    batteryHeaterOn: t.boolean({
      nullable: true,
      description: 'Whether the pack was being heated.',
      resolve: ({ batteryHeaterOn }) => (batteryHeaterOn === null ? null : batteryHeaterOn !== 0),
    }),
  }),
});
