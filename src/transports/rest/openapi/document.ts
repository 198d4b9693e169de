import { packageVersion } from '../../../base/package-root.ts';
import { scopeTable } from '../../../contract/scopes.ts';
import { type Endpoint, isCommand } from '../endpoint.ts';
import { liveRoute } from '../live/live-route.ts';
import type { JsonSchema } from '../readers.ts';
import type { Tag } from '../route.ts';
import { inputExample, inputSchema } from './bodies.ts';
import { componentNamer } from './component-names.ts';
import { errorResponses, errorSchema } from './errors.ts';
import { eventSchema, liveOperation } from './live.ts';
import { parameterObject, templateOf } from './parameters.ts';
import { pathFeature, responsesOf } from './responses.ts';
import { type SchemaBook, schemaBook } from './schemas.ts';

const tags: { readonly [T in Tag]: string } = {
  Vehicles: 'Your vehicles, what they are doing and what they did.',
  Drives: 'What they drove.',
  Charges: 'What they charged.',
  Trips: 'Drives and charges that belong together.',
  Places: 'Where they are and were, and the places you named.',
  Tariffs: 'What energy costs, and where.',
  Commands: 'What they were told to do.',
  Account: 'Your profile and the vehicle-maker accounts you linked.',
  Webhooks: 'Addresses of yours that are called when something happens.',
  Software: 'The software updates that were detected, for everybody.',
};

const scopeLines = Object.entries(scopeTable).map(
  ([scope, { sentence, grants }]) => `- \`${scope}\`: ${sentence} ${grants}`,
);

const description = `What your vehicles do, as JSON.

Names carry their units: \`distance_km\`, \`energy_added_kwh\`. Unknown is \`null\`, never left out; only \`fields\` and \`compact\` leave fields out. Times are RFC 3339 in UTC; where one is asked for, an offset, unix seconds and a date are taken too. Ids are opaque texts.

Lists are paged by \`limit\` and \`cursor\` and answer with \`Link\`. Every GET takes HEAD, and \`If-None-Match\` with the \`ETag\` of an earlier answer. Somebody else's vehicle is answered like one that does not exist.`;

const headers: { readonly [name: string]: JsonSchema } = {
  'X-Request-Id': { description: 'Id of the request, for the log.', schema: { type: 'string' } },
  ETag: { description: 'Strong tag of the body (RFC 9110 8.8.3).', schema: { type: 'string' } },
  Location: {
    description: 'Where the command is found (RFC 9110 10.2.2).',
    schema: { type: 'string' },
  },
  Link: { description: 'Pages `next`, `prev` and `first` (RFC 8288).', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'The challenge of RFC 6750.', schema: { type: 'string' } },
  'X-Upstream-Cost': {
    description:
      'What the command took at the maker so far, as a dictionary (RFC 8941 3.2) such as `command=1, wake=1`; `0` for nothing.',
    schema: { type: 'string' },
  },
  'X-Upstream-Budget-Remaining': {
    description:
      'What the vehicle and its maker account may still spend this month, in major units; `unlimited` without a limit.',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'When to ask again [s].', schema: { type: 'integer' } },
  'RateLimit-Policy': {
    description:
      'How many commands the token may send and the vehicle takes, as `q`, in `w` seconds (draft-ietf-httpapi-ratelimit-headers-10).',
    schema: { type: 'string' },
    example: '"token";q=30;w=60, "vehicle";q=10;w=60',
  },
  RateLimit: {
    description:
      'How many of them are left, as `r`, for `t` seconds (draft-ietf-httpapi-ratelimit-headers-10).',
    schema: { type: 'string' },
    example: '"token";r=29;t=60, "vehicle";r=9;t=60',
  },
  Deprecation: {
    description: 'Since when `api_key` is deprecated, to a caller with one (RFC 9745).',
    schema: { type: 'string' },
  },
  Sunset: {
    description: 'When the `api_key` of the caller ends (RFC 8594).',
    schema: { type: 'string' },
  },
};

const pagination: JsonSchema = {
  type: 'object',
  description: 'Where a page is in its list.',
  required: ['limit', 'has_more', 'next_cursor', 'prev_cursor', 'total'],
  properties: {
    limit: { type: 'integer', description: 'Rows on a page.' },
    has_more: { type: 'boolean', description: 'Whether rows follow the page.' },
    next_cursor: { type: ['string', 'null'], description: '`cursor` of the next page.' },
    prev_cursor: { type: ['string', 'null'], description: '`cursor` of the page before.' },
    total: {
      type: ['integer', 'null'],
      description: 'Rows of the whole list, with `include_total=1`.',
    },
  },
};

const securitySchemes: JsonSchema = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: `A token in \`Authorization: Bearer <token>\`. Scopes:\n\n${scopeLines.join('\n')}`,
  },
  api_key: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description:
      'The legacy key of the account: deprecated, off by default, and only on older routes.',
  },
};

/** Security of an endpoint: what it needs of a bearer token, and the legacy key where it takes one. */
function securityOf({ route, scopes }: Endpoint): JsonSchema[] {
  const bearer = scopes === null ? [{}, { bearer: [] }] : scopes.map((all) => ({ bearer: all }));
  return [...bearer, ...(route.apiKey ? [{ api_key: [] }] : [])];
}

function needs({ scopes, route }: Endpoint): string {
  if (scopes === null) return 'No token is needed.';
  const ways = scopes.map((all) => all.map((scope) => `\`${scope}\``).join(' and ')).join(' or ');
  return `Scope: ${ways}.${route.apiKey ? ' Takes `api_key`.' : ''}`;
}

/** Name of an endpoint's operation in generated clients: its GraphQL operation's, an alias by its own path. */
function operationId({ route }: Endpoint): string {
  const words =
    route.aliasOf === undefined ? route.operation : `${route.operation} by ${last(route)}`;
  return (
    words.charAt(0).toLowerCase() +
    words.slice(1).replace(/[\s-]+(\w)/g, (_, letter: string) => letter.toUpperCase())
  );
}

function last({ method, path }: Endpoint['route']): string {
  return method === 'GET' ? (path.split('/').at(-1) ?? '') : method.toLowerCase();
}

/** The headers that a request for a command may carry. */
function headersAsked({ route }: Endpoint): JsonSchema[] {
  if (!isCommand(route) || route.method !== 'POST') return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'For 24 hours the same request with it is carried out once; a repetition answers `Idempotency-Replayed: true`.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
    },
    {
      name: 'Prefer',
      in: 'header',
      description: '`respond-async` does not wait for the end; `wait=10` waits so long (RFC 7240).',
      schema: { type: 'string' },
      example: 'respond-async',
    },
  ];
}

const commandBody: JsonSchema = {
  required: false,
  content: {
    'application/json': {
      schema: { type: 'object', description: 'The parameters of the command.' },
      example: { percent: 80 },
    },
  },
};

function operationObject(endpoint: Endpoint, book: SchemaBook): JsonSchema {
  const { route, parameters, body } = endpoint;
  return {
    operationId: operationId(endpoint),
    tags: [route.tag],
    summary: route.summary.replace(/\.$/, ''),
    description: [route.description, needs(endpoint)]
      .filter((part) => part !== undefined)
      .join('\n\n'),
    security: securityOf(endpoint),
    ...(parameters.length === 0
      ? {}
      : {
          parameters: [
            ...parameters.map((parameter) => parameterObject(parameter, endpoint)),
            ...headersAsked(endpoint),
          ],
        }),
    ...(route.sends === undefined ? {} : { requestBody: commandBody }),
    ...(body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: inputSchema(body), example: inputExample(body) },
            },
          },
        }),
    responses: responsesOf(endpoint, book),
  };
}

/** The contract of REST as an OpenAPI 3.1 document, made from the table and the schema. */
export function openApiDocument(endpoints: readonly Endpoint[]): JsonSchema {
  const book = schemaBook(componentNamer(endpoints));
  const paths = new Map<string, Record<string, JsonSchema>>();
  for (const endpoint of endpoints) {
    const template = templateOf(endpoint.route.path);
    const methods = paths.get(template) ?? {};
    methods[endpoint.route.method.toLowerCase()] = operationObject(endpoint, book);
    paths.set(template, methods);
  }
  paths.set(templateOf(liveRoute.path), { get: liveOperation(endpoints) });
  const schemas = [...book.components].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Odograph',
      version: packageVersion,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that answers this document.' }],
    tags: Object.entries(tags).map(([name, sentence]) => ({ name, description: sentence })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes,
      headers,
      responses: {
        NotModified: {
          description: 'The caller has the answer already: `If-None-Match` named its `ETag`.',
          headers: { ETag: { $ref: '#/components/headers/ETag' } },
        },
        ...errorResponses(),
      },
      schemas: {
        ...Object.fromEntries(schemas),
        Error: errorSchema,
        Event: eventSchema,
        Pagination: pagination,
        PathFeature: pathFeature,
      },
    },
  };
}

/** The document as it is committed and served. */
export function openApiText(endpoints: readonly Endpoint[]): string {
  return `${JSON.stringify(openApiDocument(endpoints), null, 2)}\n`;
}
