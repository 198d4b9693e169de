import { typeIdOf } from '../base/ids.ts';
import type { Capacity, CapacitySample } from './battery-capacity.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { packCapacity } from './pack-capacity.ts';
import { Vehicle } from './vehicle.ts';

const Method = builder.enumType('BatteryHealthMethod', {
  description: 'How the capacity of a pack is found.',
  values: {
    MEDIAN_OF_CHARGES: {
      description:
        'Median over the newest 20 charges of more than 20 %: energy added over levels gained, implausible ones left out.',
    },
  },
});

const ConfidenceEnum = builder.enumType('Confidence', {
  description: 'How much a figure can be relied on.',
  values: {
    NONE: { description: 'There is nothing to go by.' },
    LOW: { description: 'Few samples, or samples that disagree.' },
    MEDIUM: { description: 'At least 4 samples that deviate by 6 % or less.' },
    HIGH: { description: 'At least 10 samples that deviate by 3 % or less.' },
  },
});

const Sample = builder.objectRef<CapacitySample>('BatteryHealthSample').implement({
  description: 'The capacity of a pack as one charge shows it.',
  authScopes: vehicles,
  fields: (t) => ({
    chargeId: t.id({
      description: 'The charge.',
      resolve: ({ chargeId }) => typeIdOf('Charge', chargeId),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the charge started.' }),
    risePct: t.exposeFloat('risePct', { description: 'Levels gained [%].' }),
    energyAddedKwh: t.exposeFloat('energyAddedKwh', {
      description: 'Energy into the pack by the vehicle’s counter [kWh].',
    }),
    capacityKwh: t.exposeFloat('capacityKwh', {
      description: 'Energy added over levels gained [kWh].',
    }),
  }),
});

/** How the pack of a vehicle does. */
const BatteryHealth = builder.objectRef<Capacity>('BatteryHealth').implement({
  description: 'How much of its capacity a pack still has, by what its charges show.',
  authScopes: vehicles,
  fields: (t) => ({
    capacityKwh: t.exposeFloat('capacityKwh', {
      nullable: true,
      description: 'Usable capacity now; null without a charge that shows it [kWh].',
    }),
    originalCapacityKwh: t.exposeFloat('originalCapacityKwh', {
      nullable: true,
      description: 'Usable capacity when new, as the vehicle has it set [kWh].',
    }),
    degradationPct: t.exposeFloat('degradationPct', {
      nullable: true,
      description: 'Capacity lost since new; null where the original capacity is not known [%].',
    }),
    method: t.field({
      type: Method,
      description: 'How the capacity is found.',
      resolve: () => 'MEDIAN_OF_CHARGES' as const,
    }),
    confidence: t.expose('confidence', {
      type: ConfidenceEnum,
      description: 'How much the capacity can be relied on.',
    }),
    spreadPct: t.exposeFloat('spreadPct', {
      nullable: true,
      description: 'Middle deviation of the samples from the capacity, as a part of it [%].',
    }),
    sampleCount: t.int({
      description: 'How many charges the capacity rests on.',
      resolve: ({ samples }) => samples.length,
    }),
    samples: t.field({
      type: [Sample],
      description: 'The charges that it rests on, the newest first; at most 20.',
      resolve: ({ samples }) => samples,
    }),
  }),
});

builder.prismaObjectField(Vehicle, 'batteryHealth', (t) =>
  t.field({
    type: BatteryHealth,
    description: 'How much of its capacity the pack still has.',
    complexity: { field: 20, multiplier: 1 },
    resolve: (vehicle, _args, context) => packCapacity(vehicle, context),
  }),
);
