import { type Endpoint, isCommand, isSending } from '../endpoint.ts';
import { type FormatName, formatTypes, formsOf } from '../formats/format.ts';
import type { JsonSchema } from '../readers.ts';
import { reads } from '../route.ts';
import { errorReference, errorSchema, statusesOf } from './errors.ts';
import { exampleOf, exampleOfOne } from './examples.ts';
import type { SchemaBook } from './schemas.ts';

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** Schemas and examples of paths in forms other than JSON. */
const forms: { readonly [F in Exclude<FormatName, 'json'>]: JsonSchema } = {
  geojson: {
    schema: { $ref: '#/components/schemas/PathFeature' },
    example: {
      type: 'Feature',
      id: 'drv_01hn3qk1p3f4p9sz3ptq7cbzqj',
      geometry: {
        type: 'LineString',
        coordinates: [
          [13.405, 52.52],
          [13.41, 52.521],
        ],
      },
      properties: {
        at: ['2026-03-01T08:00:00.000Z', '2026-03-01T08:00:10.000Z'],
        speed_kmh: [31, 35],
      },
    },
  },
  gpx: {
    schema: { type: 'string', description: 'GPX 1.1: one track, with a segment for each stretch.' },
    example:
      '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Odograph" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg/></trk></gpx>',
  },
  csv: {
    schema: { type: 'string', description: 'A header line and a line for each point (RFC 4180).' },
    example: 'at,latitude,longitude\r\n2026-03-01T08:00:00.000Z,52.52,13.405\r\n',
  },
};

/** What a feature holds: a line, or a point where it is one (RFC 7946). */
const featureParts = {
  type: { const: 'Feature' },
  geometry: {
    type: ['object', 'null'],
    required: ['type', 'coordinates'],
    properties: {
      type: { enum: ['LineString', 'Point'] },
      coordinates: { type: 'array', items: {} },
    },
  },
  properties: { type: 'object', additionalProperties: { type: 'array', items: {} } },
};

/** A path as GeoJSON (RFC 7946). */
export const pathFeature: JsonSchema = {
  type: 'object',
  description: 'A path as a GeoJSON Feature; its properties are lists as long as the line.',
  required: ['type', 'id', 'geometry', 'properties'],
  properties: { id: { type: 'string' }, ...featureParts },
};

/** An export as GeoJSON: a feature for each stretch of the way. */
const features: JsonSchema = {
  schema: {
    type: 'object',
    required: ['type', 'features'],
    properties: {
      type: { const: 'FeatureCollection' },
      features: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type', 'geometry', 'properties'],
          properties: featureParts,
        },
      },
    },
  },
  example: { type: 'FeatureCollection', features: [] },
};

/** What the maker's own interface answers, and says of what it refuses. */
const makerShape: JsonSchema = {
  schema: {
    type: 'object',
    required: ['response', 'error', 'error_description'],
    properties: {
      response: {
        type: ['object', 'null'],
        required: ['result', 'reason'],
        properties: { result: { type: 'boolean' }, reason: { type: 'string' } },
      },
      error: { type: 'string' },
      error_description: { type: 'string' },
    },
  },
  example: { response: { result: true, reason: '' }, error: '', error_description: '' },
};

function ofMakerAs(code: number): JsonSchema {
  if (code === 200) return makerShape;
  const response = { result: false, reason: 'in progress' };
  return { ...makerShape, example: { response, error: '', error_description: '' } };
}

/** Statuses of commands that did not succeed, beside those of every endpoint. */
const failureStatuses = [402, 408, 409, 412, 429, 501, 502, 504] as const;

/** Every response of an endpoint that answers with a command. */
function commandResponses(endpoint: Endpoint, book: SchemaBook): JsonSchema {
  const { route, answer } = endpoint;
  const id = { 'X-Request-Id': header('X-Request-Id') };
  const cost = {
    'X-Upstream-Cost': header('X-Upstream-Cost'),
    ...(route.method === 'GET'
      ? {}
      : { 'X-Upstream-Budget-Remaining': header('X-Upstream-Budget-Remaining') }),
  };
  const limits = isSending(route)
    ? { 'RateLimit-Policy': header('RateLimit-Policy'), RateLimit: header('RateLimit') }
    : {};
  const told = { ...id, ...limits };
  const answered = { ...told, ...cost };
  const ofMaker = route.answer.kind === 'maker';
  const body = (code: number): JsonSchema => ({
    schema: {
      type: 'object',
      required: ['code', 'response'],
      properties: { code: { const: code }, response: book.ofOne(answer) },
    },
    example: { code, response: exampleOfOne(answer) },
  });
  const shape = (code: number) => ({ 'application/json': ofMaker ? ofMakerAs(code) : body(code) });
  const failure = {
    anyOf: [
      { $ref: '#/components/schemas/Error' },
      ofMaker ? makerShape.schema : failedCommand(book.ofOne(answer)),
    ],
  };
  const statuses = [...new Set([...statusesOf(endpoint), ...failureStatuses])].sort();
  return {
    200: { description: route.summary, headers: answered, content: shape(200) },
    ...(route.method === 'DELETE'
      ? {}
      : {
          202: {
            description: 'The command is under way.',
            headers: { ...answered, Location: header('Location') },
            content: shape(202),
          },
        }),
    ...Object.fromEntries(
      statuses.map((status) => [
        status,
        {
          description: 'What was asked is wrong, or what became of the command.',
          headers: status === 429 ? { ...told, 'Retry-After': header('Retry-After') } : id,
          content: { 'application/json': { schema: failure } },
        },
      ]),
    ),
  };
}

/** An error that goes with the command it is about. */
function failedCommand(command: JsonSchema): JsonSchema {
  const error = errorSchema.properties;
  const properties = typeof error === 'object' ? error : {};
  return {
    type: 'object',
    required: errorSchema.required,
    properties: { ...properties, response: command },
  };
}

function responseSchema({ route, answer }: Endpoint, book: SchemaBook): JsonSchema {
  const { kind } = route.answer;
  if (route.bare !== undefined) {
    const word = (answer.fields ?? []).find(({ key }) => key === route.bare?.field);
    return { anyOf: [word === undefined ? {} : book.of(word), book.ofOne(answer)] };
  }
  if (kind === 'part' || kind === 'first') return { anyOf: [book.ofOne(answer), { type: 'null' }] };
  return kind === 'thing' ? book.ofOne(answer) : book.of(answer);
}

function envelopeSchema(endpoint: Endpoint, book: SchemaBook): JsonSchema {
  const { kind } = endpoint.route.answer;
  const list = kind === 'page' || kind === 'list';
  const page = kind === 'page';
  return {
    type: 'object',
    required: ['code', 'response', ...(list ? ['count'] : []), ...(page ? ['pagination'] : [])],
    properties: {
      code: { const: 200 },
      response: responseSchema(endpoint, book),
      ...(list ? { count: { type: 'integer', minimum: 0, description: 'Rows here.' } } : {}),
      ...(page ? { pagination: { $ref: '#/components/schemas/Pagination' } } : {}),
    },
  };
}

function envelopeExample({ route, answer }: Endpoint): unknown {
  const { kind } = route.answer;
  if (route.bare !== undefined) return { code: 200, response: 'ONLINE' };
  if (kind !== 'page' && kind !== 'list') return { code: 200, response: exampleOfOne(answer) };
  const list = { code: 200, response: exampleOf(answer), count: 1 };
  return kind === 'list'
    ? list
    : {
        ...list,
        pagination: {
          limit: 50,
          has_more: false,
          next_cursor: null,
          prev_cursor: null,
          total: null,
        },
      };
}

/** Every response of an endpoint, by status. */
export function responsesOf(endpoint: Endpoint, book: SchemaBook): JsonSchema {
  if (isCommand(endpoint.route)) return commandResponses(endpoint, book);
  const { route } = endpoint;
  const read = reads(route);
  const tagged = read && route.streams === undefined;
  const json = { schema: envelopeSchema(endpoint, book), example: envelopeExample(endpoint) };
  const own =
    route.streams === undefined ? { ...forms, json } : { ...forms, json, geojson: features };
  const content: [string, unknown][] = formsOf(route).map((form) => [formatTypes[form], own[form]]);
  if (route.page) {
    const description = 'A page for people; errors have one too.';
    content.push(['text/html', { schema: { type: 'string', description } }]);
  }
  const headers = {
    'X-Request-Id': header('X-Request-Id'),
    ...(tagged ? { ETag: header('ETag') } : {}),
    ...(route.answer.kind === 'page' ? { Link: header('Link') } : {}),
    ...(route.apiKey ? { Deprecation: header('Deprecation'), Sunset: header('Sunset') } : {}),
  };
  return {
    200: { description: route.summary, headers, content: Object.fromEntries(content) },
    ...(tagged ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
    ...Object.fromEntries(statusesOf(endpoint).map((status) => [status, errorReference(status)])),
  };
}
