import { ServiceError } from '../../base/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { type Given, readQuery } from './read-query.ts';
import { isRecord } from './telling.ts';

/** What a request for a command says beside its path. */
type CommandAsked = {
  /** Parameters of the route in the query. */
  given: Given;
  /** Variables that are read from the body and from headers. */
  variables: Record<string, unknown>;
};

type Parts = { url: string; body: unknown; headers: { readonly [name: string]: unknown } };

/**
 * Reads the query, body and headers of a request for a command. What of the query is no parameter of the route is one of
 * the command, as text. Throws `invalid_request` for a body that is no object.
 */
export function readCommand(
  { route, parameters }: Endpoint,
  { url, body, headers }: Parts,
): CommandAsked {
  const names = parameters.map(({ name }) => name);
  const { own, rest } = splitQuery(url, route.sends === 'params' ? names : null);
  const read = readQuery(own, parameters);
  const given = new Map([...read, ...preferred(headers.prefer, names)]);
  const variables: Record<string, unknown> = {};
  const key = headers['idempotency-key'];
  // RFC 8941 writes a text in quotes; without them it is taken too.
  if (typeof key === 'string') variables.idempotencyKey = key.replace(/^"(.*)"$/, '$1');
  const sent = bodyOf(body);
  if (route.sends === 'maker_body') variables.body = sent;
  if (route.sends === 'params') {
    const texts = Object.keys(rest).length > 0;
    if (texts && Object.keys(sent).length > 0) {
      throw new ServiceError(
        'invalid_request',
        'Give the parameters in the body or in the query, not in both.',
      );
    }
    variables.params = texts ? rest : sent;
    variables.texts = texts;
  }
  return { given, variables };
}

function bodyOf(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return {};
  if (isRecord(body)) return body;
  throw new ServiceError('invalid_request', 'The body must be a JSON object.');
}

/** The target with the parameters of the route alone, and the others; all are the route's where `names` is null. */
function splitQuery(url: string, names: readonly string[] | null) {
  const queryAt = url.indexOf('?');
  if (names === null || queryAt < 0) return { own: url, rest: {} };
  const own = new URLSearchParams();
  const rest: [string, string][] = [];
  for (const [name, text] of new URLSearchParams(url.slice(queryAt + 1))) {
    if (names.includes(name) || name === 'api_key') own.append(name, text);
    else if (rest.some(([earlier]) => earlier === name)) throw givenTwice(name);
    else rest.push([name, text]);
  }
  return { own: `${url.slice(0, queryAt)}?${own}`, rest: Object.fromEntries(rest) };
}

function givenTwice(name: string): ServiceError {
  const sentence = 'Give this parameter once.';
  return new ServiceError('validation_failed', `\`${name}\`: ${sentence}`, {
    fields: { [name]: [sentence] },
  });
}

/** How long to wait by `Prefer` (RFC 7240 4.1 and 4.3). */
function preferred(prefer: unknown, names: readonly string[]): [string, number][] {
  if (typeof prefer !== 'string' || !names.includes('wait')) return [];
  if (/\brespond-async\b/i.test(prefer)) return [['wait', 0]];
  const seconds = /\bwait=(\d{1,9})\b/i.exec(prefer)?.[1];
  return seconds === undefined ? [] : [['wait', Math.min(60, Number(seconds))]];
}
