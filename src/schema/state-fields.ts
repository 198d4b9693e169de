import { type Section, type SignalName, signals } from '../contract/signals.ts';
import type { Source, VehicleStatus } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { seesExactly } from './precision.ts';
import { stateWords, type Words } from './state-words.ts';

/** The last known values of one section of a vehicle's state. */
export type SectionReading = {
  vehicleId: string;
  status: VehicleStatus;
  observedAt: number;
  receivedAt: number;
  source: Source;
  values: Readonly<Record<string, unknown>>;
  /** Which of several alike parts it is, such as a seat. */
  part?: string;
};

/** A signal and where it stands under its section. */
export type Placed = { name: SignalName; steps: readonly string[]; description: string };

function isSignal(name: string): name is SignalName {
  return Object.hasOwn(signals, name);
}

/** The signals of a section, in the order of the table. */
export function signalsOf(section: Section): Placed[] {
  return Object.keys(signals)
    .filter(isSignal)
    .map((name) => ({ name, path: signals[name].path.split('.') }))
    .filter(({ path }) => path[0] === section)
    .map(({ name, path }) => ({
      name,
      steps: path.slice(1),
      description: signals[name].description,
    }));
}

const wordTable: Readonly<Record<string, Words>> = stateWords;
const enums = new Map<Words, ReturnType<typeof makeEnum>>();

function makeEnum({ name, description, values }: Words) {
  const described = Object.entries(values).map(([word, sentence]) => [
    word,
    { description: sentence },
  ]);
  return builder.enumType(name, { description, values: Object.fromEntries(described) });
}

function enumOf(name: SignalName): { ref: ReturnType<typeof makeEnum>; words: Words } {
  const words = wordTable[name];
  if (words === undefined) throw new Error(`The words of ${name} have no meaning.`);
  const ref = enums.get(words) ?? makeEnum(words);
  enums.set(words, ref);
  return { ref, words };
}

/** The field builder of a section or of a part of one. */
export type ReadingFields = PothosSchemaTypes.ObjectFieldBuilder<
  typeof builder.$inferSchemaTypes,
  SectionReading
>;

/** Reads a value for those who may be told it. */
function told<T>(name: SignalName, read: (reading: SectionReading) => T | null) {
  if (!('exactly' in signals[name])) return read;
  return async (reading: SectionReading, _args: object, context: Context) =>
    (await seesExactly(context, reading.vehicleId)) ? read(reading) : null;
}

const finite = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** The field of a signal; null where nothing is known, or where what is stored is not of its kind. */
export function signalField(t: ReadingFields, { name, description }: Omit<Placed, 'steps'>) {
  const { kind } = signals[name];
  const options = { nullable: true, description } as const;
  switch (kind) {
    case 'float':
      return t.float({ ...options, resolve: told(name, ({ values }) => finite(values[name])) });
    case 'int':
      return t.int({
        ...options,
        resolve: told(name, ({ values }) => {
          const value = finite(values[name]);
          return value === null ? null : Math.round(value);
        }),
      });
    case 'time':
      return t.field({
        ...options,
        type: 'DateTime',
        resolve: told(name, ({ values }) => finite(values[name])),
      });
    case 'boolean':
      return t.boolean({
        ...options,
        resolve: told(name, ({ values }) => {
          const value = values[name];
          return typeof value === 'boolean' ? value : null;
        }),
      });
    case 'string':
      return t.string({
        ...options,
        resolve: told(name, ({ values }) => {
          const value = values[name];
          return typeof value === 'string' ? value : null;
        }),
      });
    default:
      return wordField(t, name, description);
  }
}

function wordField(t: ReadingFields, name: SignalName, description: string) {
  if ('exactly' in signals[name]) throw new Error(`${name} is told as it is.`);
  const { ref, words } = enumOf(name);
  return t.field({
    type: ref,
    nullable: true,
    description,
    resolve: ({ values }) => {
      const value = values[name];
      return typeof value === 'string' && Object.hasOwn(words.values, value) ? value : null;
    },
  });
}
