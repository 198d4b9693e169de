import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Endpoint } from '../../src/transports/rest/endpoint.ts';
import { openApiDocument } from '../../src/transports/rest/openapi/document.ts';
import { templateOf } from '../../src/transports/rest/openapi/parameters.ts';
import { every } from './requests.ts';

type Json = { [key: string]: unknown };

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The document with every object closed that lists its properties, so that a test sees an undocumented one. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isJson(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, closed(inner)]);
  const object: Json = Object.fromEntries(entries);
  return isJson(object.properties) && Array.isArray(object.required)
    ? { additionalProperties: false, ...object }
    : object;
}

const document: unknown = closed(openApiDocument(every));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(isJson(document) ? document : {}, 'openapi');

const escaped = (part: string) =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

function at(...steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (value, step) => (isJson(value) ? value[step] : undefined),
    document,
  );
}

/** The operation of an endpoint in the document. */
export function documented({ route }: Endpoint): Json {
  const operation = at('paths', templateOf(route.path), route.method.toLowerCase());
  if (!isJson(operation)) throw new Error(`${route.method} ${route.path} is not documented.`);
  return operation;
}

/** The statuses that an endpoint documents. */
export function documentedStatuses(endpoint: Endpoint): number[] {
  const { responses } = documented(endpoint);
  return Object.keys(isJson(responses) ? responses : {}).map(Number);
}

/** Where the document describes an endpoint's response of a status, through one reference. */
function placeOf({ route }: Endpoint, status: number): string[] {
  const own = [
    'paths',
    templateOf(route.path),
    route.method.toLowerCase(),
    'responses',
    `${status}`,
  ];
  const reference = at(...own, '$ref');
  return typeof reference === 'string' ? reference.split('/').slice(1) : own;
}

/** What is wrong with an answer by the document: status, media type, headers and body; nothing when it is as promised. */
export async function violations(endpoint: Endpoint, response: Response): Promise<string[]> {
  const place = placeOf(endpoint, response.status);
  const described = at(...place);
  if (!isJson(described)) return [`${response.status} is not documented`];
  const headers = Object.keys(isJson(described.headers) ? described.headers : {});
  // A 403 asks for another token only where a scope is missing.
  const conditional = [
    'Deprecation',
    'Sunset',
    ...(response.status === 403 ? ['WWW-Authenticate'] : []),
  ];
  const absent = headers.filter(
    (name) => !response.headers.has(name) && !conditional.includes(name),
  );
  const text = await response.text();
  const { content } = described;
  if (!isJson(content)) return text === '' ? absent : [...absent, 'the body is not documented'];
  const [mediaType = ''] = (response.headers.get('content-type') ?? '').split(';');
  if (!isJson(content[mediaType])) return [...absent, `${mediaType} is not documented`];
  const steps = [...place, 'content', mediaType, 'schema'].map(escaped).join('/');
  const validate = ajv.getSchema(`openapi#/${steps}`);
  if (validate === undefined) return [...absent, 'the schema is missing'];
  const valid = validate(/json$/.test(mediaType) ? JSON.parse(text) : text);
  const wrong = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  return valid ? absent : [...absent, ...wrong];
}
