import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import {
  type Placed,
  type ReadingFields,
  type SectionReading,
  signalField,
  signalsOf,
} from './state-fields.ts';

const pascal = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Name of the type of a section or of a group in it: `charge`, `fastCharger` is `VehicleStateChargeFastCharger`. */
export function stateTypeName(...steps: string[]): string {
  return `VehicleState${steps.map(pascal).join('')}`;
}

/** The fields of signals, by the last step of their path. */
export function signalFields(t: ReadingFields, signals: readonly Placed[]) {
  return Object.fromEntries(signals.map((signal) => [signal.steps.at(-1), signalField(t, signal)]));
}

/** The type of signals that belong together. */
export function groupType(name: string, description: string, signals: readonly Placed[]) {
  return builder.objectRef<SectionReading>(name).implement({
    description,
    authScopes: vehicles,
    fields: (t) => signalFields(t, signals),
  });
}

/** The readings of one of several alike parts, under the names of the part that stands for all of them. */
function partReading(
  reading: SectionReading,
  model: readonly Placed[],
  own: readonly Placed[],
  part: string,
): SectionReading {
  const ownByField = new Map(own.map((signal) => [signal.steps.at(-1), signal.name]));
  const values = model.map((signal) => {
    const name = ownByField.get(signal.steps.at(-1));
    return [signal.name, name === undefined ? null : (reading.values[name] ?? null)];
  });
  return { ...reading, values: Object.fromEntries(values), part };
}

const under = (section: 'tyres' | 'climate', ...steps: string[]) =>
  signalsOf(section).filter(
    (signal) =>
      signal.steps.length === steps.length + 1 &&
      steps.every((step, index) => signal.steps[index] === step),
  );

/** A signal that stands for alike ones: its sentence without the part it is of. */
const general = (words: RegExp, by: string) => (signal: Placed) => ({
  ...signal,
  description: signal.description.replace(words, by),
});

const tyreModel = under('tyres', 'fl').map(general(/, front left/, ''));

const Tyre = groupType('Tyre', 'A tyre of a vehicle.', tyreModel);

const wheels = { fl: 'Front left.', fr: 'Front right.', rl: 'Rear left.', rr: 'Rear right.' };

/** The four tyres. */
export function tyreFields(t: ReadingFields) {
  return Object.fromEntries(
    Object.entries(wheels).map(([wheel, description]) => [
      wheel,
      t.field({
        type: Tyre,
        description,
        resolve: (reading) => partReading(reading, tyreModel, under('tyres', wheel), wheel),
      }),
    ]),
  );
}

const SeatPosition = builder.enumType('SeatPosition', {
  description: 'A seat of a vehicle.',
  values: {
    FRONT_LEFT: { description: 'Front left.' },
    FRONT_RIGHT: { description: 'Front right.' },
    REAR_LEFT: { description: 'Rear left.' },
    REAR_CENTER: { description: 'Rear centre.' },
    REAR_RIGHT: { description: 'Rear right.' },
  },
});

const seats = ['FRONT_LEFT', 'FRONT_RIGHT', 'REAR_LEFT', 'REAR_CENTER', 'REAR_RIGHT'] as const;

const seatModel = under('climate', 'seats', 'FRONT_LEFT').map(general(/front left seat/, 'seat'));

const Seat = builder.objectRef<SectionReading>('Seat').implement({
  description: 'Heating and cooling of a seat.',
  authScopes: vehicles,
  fields: (t) => ({
    position: t.field({
      type: SeatPosition,
      description: 'Which seat.',
      resolve: ({ part }) => seats.find((seat) => seat === part) ?? seats[0],
    }),
    ...signalFields(t, seatModel),
  }),
});

/** The seats of which something is known. */
export function seatFields(t: ReadingFields) {
  return {
    seats: t.field({
      type: [Seat],
      description: 'The seats of which something is known.',
      complexity: { field: 0, multiplier: seats.length },
      resolve: (reading) =>
        seats
          .map((seat) => partReading(reading, seatModel, under('climate', 'seats', seat), seat))
          .filter(({ values }) => Object.values(values).some((value) => value !== null)),
    }),
  };
}
