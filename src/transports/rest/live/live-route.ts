import type { Alternatives } from '../../../schema/requires-scopes.ts';
import type { Endpoint } from '../endpoint.ts';

/** The one path whose answer goes on; beside the table of routes, whose rows answer once. */
export const liveRoute = {
  method: 'GET',
  path: '/api/vehicle/:public_id/live',
  tag: 'Vehicles',
  summary: 'What happens to the vehicle, as it happens.',
  description:
    'Server-sent events: first `vehicle` with the vehicle as it is, then each event by its type, in order, none left out and none twice. With `Last-Event-ID` it goes on after that event instead, for 24 hours.',
} as const;

/** What it needs. */
export const liveScopes: Alternatives = [['vehicles']];

/** The endpoint whose answer is the first event. Throws where the table has none. */
export function snapshotIn(endpoints: readonly Endpoint[]): Endpoint {
  const found = endpoints.find(
    ({ route }) => route.method === 'GET' && `${route.path}/live` === liveRoute.path,
  );
  if (found === undefined) throw new Error(`No route answers the vehicle of ${liveRoute.path}.`);
  return found;
}
