import { type FieldMessages, ServiceError } from '../../base/errors.ts';
import { noSuch } from '../../base/near-miss.ts';
import type { Parameter } from './parameters.ts';
import { valueAt } from './telling.ts';
import { quoted } from './words.ts';

/** What was given for the parameters of a route, as read. */
export type Given = ReadonlyMap<string, unknown>;

type Problems = Map<string, string[]>;

/** Parameters that authentication reads and no route declares. */
const credentials = ['api_key'];

/**
 * Reads the query string of a request target. Throws `validation_failed` that says of every parameter what is wrong
 * with it, unknown ones included (contract §1) unless `lenient` passes over those.
 */
export function readQuery(
  url: string,
  parameters: readonly Parameter[],
  { lenient = false }: { lenient?: boolean } = {},
): Given {
  const queryAt = url.indexOf('?');
  const texts = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
  const declared = parameters.filter((parameter) => parameter.in === 'query');
  const names = declared.map(({ name }) => name);
  const given = new Map<string, unknown>();
  const problems: Problems = new Map();
  for (const name of new Set(texts.keys())) {
    if (lenient || names.includes(name) || credentials.includes(name)) continue;
    problems.set(name, [noSuch('parameter', name, names)]);
  }
  for (const { name, required, reader } of declared) {
    const [text, ...more] = texts.getAll(name);
    const reading =
      text === undefined
        ? required
          ? { problem: 'This parameter is required.' }
          : null
        : readOne(text, more, reader.read);
    if (reading === null) continue;
    if ('problem' in reading) problems.set(name, [reading.problem]);
    else given.set(name, reading.value);
  }
  if (problems.size > 0) throw refusal(problems, 'parameter');
  return given;
}

function readOne(text: string, more: string[], read: Parameter['reader']['read']) {
  if (more.length > 0) return { problem: 'Give this parameter once.' };
  if (text === '') return { problem: 'This parameter is empty; leave it out instead.' };
  // The database takes no NUL in a text.
  if (text.includes('\0')) return { problem: 'A NUL character is not taken.' };
  return read(text);
}

/** `validation_failed` with a sentence for each parameter or field that is wrong. */
export function refusal(problems: ReadonlyMap<string, string[]>, what: string): ServiceError {
  const names = [...problems.keys()];
  const [only] = names;
  const sentence =
    names.length === 1 && only !== undefined
      ? `${quoted([only])}: ${problems.get(only)?.join(' ')}`
      : `${names.length} ${what}s are wrong: ${quoted(names)}.`;
  // fromEntries, because a name such as `__proto__` must become a field like any other.
  const fields: FieldMessages = Object.fromEntries(problems);
  return new ServiceError('validation_failed', sentence, { fields });
}

/** Reads the parameters in a path; what is not as they have to be is found nowhere. */
export function readPath(segments: unknown, parameters: readonly Parameter[]): Given {
  const given = new Map<string, unknown>();
  for (const { name, reader } of parameters.filter((parameter) => parameter.in === 'path')) {
    const text = valueAt(segments, [name]);
    const readable = typeof text === 'string' && text !== '' && !text.includes('\0');
    const reading = readable ? reader.read(text) : null;
    if (reading === null || 'problem' in reading) {
      throw new ServiceError('not_found', 'Nothing is found at this path.');
    }
    given.set(name, reading.value);
  }
  return given;
}
