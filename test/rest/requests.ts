import { type IdType, newUuid, parseTypeId, typeIdOf } from '../../src/base/ids.ts';
import { type Scope, scopes } from '../../src/contract/scopes.ts';
import { type Endpoint, endpoints, isCommand } from '../../src/transports/rest/endpoint.ts';
import type { World } from '../schema/world.ts';
import { now } from '../support/rows.ts';
import type { RestService } from './rest-service.ts';

/** Every endpoint of the table. */
export const every = endpoints();

/** Every endpoint but those that answer with a command, which `test/commands` holds to what they promise. */
export const all = every.filter(({ route }) => !isCommand(route));

/**
 * Whether an endpoint asks a maker, changes links or edits history: what it answers when all is well is promised in
 * `test/link`, where there is a maker, and `test/edits`, where there is a history, and every answer there is held against
 * the contract.
 */
export function isOfLinks({ route }: Endpoint): boolean {
  if (route.edits) return true;
  return route.path.startsWith('/api/account/maker-') && !/^MakerAccounts?$/.test(route.operation);
}

/** The endpoints that need no maker to answer. */
export const ordinary = all.filter((endpoint) => !isOfLinks(endpoint));

/** A request to an endpoint by its own method, with a body where it takes one. */
export function request(
  rest: RestService,
  endpoint: Endpoint,
  target: string,
  token: string | null,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { method } = endpoint.route;
  const body = bodyFor(endpoint);
  if (body !== null) return rest.send(method, target, token, body, headers);
  if (token !== null) headers = { authorization: `Bearer ${token}`, ...headers };
  return fetch(rest.baseUrl + target, { method, headers });
}

/** Name of an endpoint in a test's title. */
export function titleOf({ route }: Endpoint): string {
  return `${route.method} ${route.path}`;
}

/** Values for the parameters in an endpoint's path, such that a world has the thing. Throws where it has none. */
export function segmentsFor({ route, at }: Endpoint, world: World): Record<string, string> {
  const own = world.args[at[0] ?? ''] ?? {};
  const known: Record<string, unknown> = {
    id: own.makerAccountId,
    maker_vehicle_id: own.makerVehicleId,
    delivery_id: own.deliveryId,
    ...own,
    public_id: world.vehicle.publicId,
  };
  const names = route.path.split('/').filter((part) => part.startsWith(':'));
  return Object.fromEntries(
    names.map((part) => {
      const name = part.slice(1);
      const value = known[name];
      if (typeof value !== 'string') throw new Error(`${route.path}: no case for :${name}.`);
      return [name, value];
    }),
  );
}

/** The path of an endpoint with these values. */
export function pathWith({ route }: Endpoint, segments: Record<string, string>): string {
  return route.path.replace(/:([a-z_]+)/g, (_, name: string) => segments[name] ?? '');
}

/** What a query string has to hold for an endpoint to answer. */
export function queryFor({ parameters }: Endpoint): Record<string, string> {
  const times: Record<string, string> = {
    from: new Date(now - 20 * 86_400_000).toISOString(),
    to: new Date(now).toISOString(),
    state: 'never-given',
  };
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return Object.fromEntries(needed.map(({ name }) => [name, times[name] ?? '']));
}

/** A request target at which an endpoint finds what a world has, with more in its query. */
export function targetOf(
  endpoint: Endpoint,
  world: World,
  more: Record<string, string> = {},
): string {
  const query = new URLSearchParams({ ...queryFor(endpoint), ...more }).toString();
  const path = pathWith(endpoint, segmentsFor(endpoint, world));
  return query === '' ? path : `${path}?${query}`;
}

/** A value for a parameter in a path that names nothing, of the same form. */
export function missing(value: string): string {
  const id = parseTypeId(value);
  if (id !== null) return typeIdOf(id.type satisfies IdType, newUuid());
  return /^\d{4}\.\d/.test(value) ? '1999.1.1' : 'no-such-thing';
}

/** Scopes that are enough for an endpoint. */
export function enoughFor({ scopes: needed }: Endpoint): readonly Scope[] {
  return needed?.[0] ?? ['mcp:use'];
}

/** Scopes without any that an endpoint needs. */
export function lackingFor({ scopes: needed }: Endpoint): Scope[] {
  return scopes.filter((scope) => !needed?.flat().includes(scope));
}

/** Bodies of operations that need more than a name. */
const bodies: { readonly [operation: string]: object } = {
  CreateWebhook: { url: 'https://hooks.example.org/x', types: ['webhook.status_changed'] },
  UpdateWebhook: { description: 'Ours' },
  CreatePlace: { name: 'Lake', latitude: 47, longitude: 9, radius_m: 50 },
  UpdateVehicle: { name: 'Mine' },
  UpdateDrive: { note: 'x' },
  UpdateCharge: { note: 'x' },
  MergeDrives: { drive_ids: [typeIdOf('Drive', newUuid()), typeIdOf('Drive', newUuid())] },
  SplitDrive: { at: new Date(now).toISOString() },
  CreateTrip: { drive_ids: [typeIdOf('Drive', newUuid())] },
  MergeTrips: { trip_ids: [typeIdOf('Trip', newUuid()), typeIdOf('Trip', newUuid())] },
  SplitTrip: { drive_id: typeIdOf('Drive', newUuid()) },
  CreateTariff: { name: 'Night', currency: 'EUR', default_rate: '0.30' },
  RecomputeCosts: {},
  ImportPlaces: { format: 'CSV', data: 'name,latitude,longitude\nLake,47,9\n' },
  SetMakerBudget: { wake_limit: 10 },
};

/** Body that a request with this method has to have. */
export function bodyFor({ route, body }: Endpoint): object | null {
  return body === null ? null : (bodies[route.operation] ?? { name: 'Grace' });
}
