import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../../schema/context.ts';
import { execute, type PreparedOperation } from '../../schema/execute.ts';
import type { Endpoint } from './endpoint.ts';
import { failureOf } from './failures.ts';
import { pageAsked } from './paging.ts';
import type { Given } from './read-query.ts';
import { isRecord, valueAt } from './telling.ts';
import { plainWords } from './words.ts';

/** What a request gave: its parameters, and its body as the input of a mutation. */
export type Asked = {
  given: Given;
  input: Record<string, unknown> | null;
  /** Further variables, which stand in no parameter. */
  more?: Record<string, unknown>;
};

/** The variables of an endpoint's operation. */
export function variablesFor(
  { route, parameters }: Endpoint,
  { given, input, more }: Asked,
): Record<string, unknown> {
  const variables: Record<string, unknown> = {
    ...(route.answer.kind === 'page' ? pageAsked(given) : {}),
    ...(input === null ? {} : { input }),
    ...more,
  };
  for (const { name, target } of parameters) {
    const [variable, field] = target ?? [];
    if (variable === undefined || !given.has(name)) continue;
    const value = given.get(name);
    const before = variables[variable];
    variables[variable] =
      field === undefined ? value : { ...(isRecord(before) ? before : {}), [field]: value };
  }
  return variables;
}

/**
 * Runs an endpoint's operation. Throws the ServiceError that the operation failed with, and `not_found`
 * where what the path names is missing or somebody else's, which nobody can tell apart (contract §0).
 */
export async function ask(
  endpoint: Endpoint,
  asked: Asked,
  { prepared, context }: { prepared: PreparedOperation; context: Context },
): Promise<unknown> {
  const variables = variablesFor(endpoint, asked);
  const { data, errors } = await execute(prepared, { variables, context });
  const [error] = errors ?? [];
  if (error !== undefined) throw failureOf(error);
  const missing = missingIn(endpoint, data);
  if (missing !== null) {
    throw new ServiceError('not_found', `No ${plainWords(missing)} is found here.`);
  }
  return data;
}

/** Name of what is missing of the things that the path names; null when they are there. */
function missingIn({ route, at, besideVehicle }: Endpoint, data: unknown): string | null {
  const [root = ''] = at;
  if (besideVehicle && valueAt(data, ['vehicle']) === null) return 'vehicle';
  if (valueAt(data, [root]) === null) return root;
  const vehicleId = valueAt(data, ['vehicle', 'id']);
  if (besideVehicle && valueAt(data, [root, 'vehicle', 'id']) !== vehicleId) return root;
  const isThing = route.answer.kind === 'thing';
  return isThing && valueAt(data, at) === null ? (at.at(-1) ?? root) : null;
}
