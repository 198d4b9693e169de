import { noSuch } from '../../base/near-miss.ts';
import type { Reader } from './readers.ts';
import { type Field, standIn } from './shape.ts';

/** Most names that `fields` takes. */
const MOST_NAMES = 100;

/** The paths in a text that `fields` took. */
export function pathsOf(text: string): string[][] {
  return text.split(',').map((path) => path.split('.'));
}

/** The reader of `fields`: names of an answer's fields, dotted for what is inside one. */
export function fieldSelection(fields: readonly Field[]): Reader {
  const pattern = '^[a-z0-9_]+(\\.[a-z0-9_]+)*(,[a-z0-9_]+(\\.[a-z0-9_]+)*)*$';
  return {
    schema: { type: 'string', pattern, maxLength: 4_000 },
    example: fields[0]?.key ?? 'id',
    read: (text) => {
      const paths = pathsOf(text);
      if (paths.length > MOST_NAMES) return { problem: `Give at most ${MOST_NAMES} names.` };
      const problem = paths.map((path) => problemOf(path, fields)).find((one) => one !== null);
      return problem == null ? { value: text } : { problem };
    },
  };
}

/** The fields that paths of REST names choose, with everything inside where a path ends. */
export function chosen(
  fields: readonly Field[],
  paths: readonly (readonly string[])[],
): readonly Field[] {
  return fields.flatMap((field) => {
    const own = paths.filter(([first]) => first === field.key).map((path) => path.slice(1));
    if (own.length === 0) return [];
    if (own.some((rest) => rest.length === 0)) return [field];
    const inside = chosen(insideOf(field), own);
    const within = standIn(field);
    return [{ ...field, fields: within === null ? inside : [{ ...within, fields: inside }] }];
  });
}

/** The fields that a dot after a field's name leads to. */
function insideOf(field: Field): readonly Field[] {
  if (field.only === 'id') return [];
  return (standIn(field) ?? field).fields ?? [];
}

function problemOf(
  [first = '', ...rest]: readonly string[],
  fields: readonly Field[],
): string | null {
  const field = fields.find(({ key }) => key === first);
  if (field === undefined)
    return noSuch(
      `field \`${first}\``,
      first,
      fields.map(({ key }) => key),
    );
  if (rest.length === 0) return null;
  return problemOf(rest, insideOf(field));
}
