import type { FieldMap } from '@pothos/core';
import type { Section } from '../contract/signals.ts';
import type { Vehicle as VehicleRow } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { Source } from './enums.ts';
import { Location } from './location.ts';
import { driveFields, lastLocation, locatedFields } from './state-drive.ts';
import {
  type Placed,
  type ReadingFields,
  type SectionReading,
  signalField,
  signalsOf,
} from './state-fields.ts';
import { isStale, readSection } from './state-load.ts';
import { groupType, seatFields, stateTypeName, tyreFields } from './state-parts.ts';
import { Vehicle } from './vehicle.ts';

const freshness = (t: ReadingFields) => ({
  observedAt: t.expose('observedAt', {
    type: 'DateTime',
    description: 'When the vehicle was as told here.',
  }),
  receivedAt: t.expose('receivedAt', {
    type: 'DateTime',
    description: 'When the service learned it.',
  }),
  source: t.expose('source', { type: Source, description: 'How the service learned it.' }),
  isStale: t.boolean({
    description:
      'Whether it is older than ten minutes while the vehicle is online, driving or charging; never while it sleeps.',
    resolve: (reading, _args, context) => isStale(reading, context.clock()),
  }),
});

/** Groups of signals that need a word of explanation. */
const groupSentences: { readonly [type: string]: string } = {
  VehicleStateChargeFastCharger: 'A direct-current charger.',
  VehicleStateChargeScheduled: 'When charging is scheduled.',
  VehicleStateClimateCabinOverheat: 'Protection of the cabin from heat.',
  VehicleStateClosuresDoors: 'The doors.',
  VehicleStateClosuresWindows: 'The windows.',
  VehicleStateClosuresSunroof: 'The sunroof.',
  VehicleStateClosuresSpeedLimit: 'A limit on the speed.',
  VehicleStateClosuresHomelink: 'The garage doors that the vehicle can open.',
  VehicleStateSoftwareUpdate: 'The pending update.',
};

function groupField(t: ReadingFields, section: Section, group: string, signals: Placed[]) {
  const name = stateTypeName(section, group);
  const description = groupSentences[name];
  if (description === undefined) throw new Error(`${name} has no description.`);
  const type = groupType(name, description, signals);
  return t.field({ type, description, resolve: (reading) => reading });
}

type Special = {
  /** First steps of the signals that `more` tells in another form. */
  except?: readonly string[];
  more?: (t: ReadingFields) => FieldMap;
};

/** The type of a section: its freshness, its signals, and the groups of them as types of their own. */
function sectionType(section: Section, description: string, special: Special = {}) {
  const signals = signalsOf(section).filter(
    ({ steps }) => !(special.except ?? []).includes(steps[0] ?? ''),
  );
  const groups = new Map<string, Placed[]>();
  for (const signal of signals.filter(({ steps }) => steps.length > 1)) {
    const [group = ''] = signal.steps;
    groups.set(group, [...(groups.get(group) ?? []), signal]);
  }
  return builder.objectRef<SectionReading>(stateTypeName(section)).implement({
    description,
    authScopes: vehicles,
    fields: (t) => ({
      ...freshness(t),
      ...Object.fromEntries(
        signals
          .filter(({ steps }) => steps.length === 1)
          .map((signal) => [signal.steps[0], signalField(t, signal)]),
      ),
      ...Object.fromEntries(
        [...groups].map(([group, members]) => [group, groupField(t, section, group, members)]),
      ),
      ...special.more?.(t),
    }),
  });
}

const parts = [
  part('charge', 'The battery and its charging.'),
  part('climate', 'Heating and cooling.', { except: ['seats'], more: seatFields }),
  part('drive', 'Motion and position.', {
    except: [...locatedFields, 'route'],
    more: driveFields,
  }),
  part('closures', 'Doors, windows, locks and guards.'),
  part('tyres', 'The tyres.', { except: ['fl', 'fr', 'rl', 'rr'], more: tyreFields }),
  part('software', 'The software of the vehicle.'),
  part('media', 'What plays in the vehicle.'),
];

function part(section: Section, description: string, special?: Special) {
  return { section, description, type: sectionType(section, description, special) };
}

const VehicleState = builder.objectRef<VehicleRow>('VehicleState').implement({
  description:
    'The last known state of a vehicle; reading it never wakes the vehicle. A section is null until something of it was observed.',
  authScopes: vehicles,
  fields: (t) =>
    Object.fromEntries(
      parts.map(({ section, description, type }) => [
        section,
        t.field({
          type,
          nullable: true,
          description,
          resolve: (vehicle, _args, context) => readSection(context, vehicle, section),
        }),
      ]),
    ),
});

builder.prismaObjectFields(Vehicle, (t) => ({
  state: t.field({
    type: VehicleState,
    description: 'Its last known state.',
    resolve: (vehicle) => vehicle,
  }),
  location: t.field({
    type: Location,
    nullable: true,
    description: 'Where it was last seen; null while nobody knows.',
    resolve: async (vehicle, _args, context) => {
      const reading = await readSection(context, vehicle, 'drive');
      return reading === null ? null : lastLocation(context, reading);
    },
  }),
}));
