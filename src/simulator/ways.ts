import type { RoadName } from './roads.ts';
import { type Stretch, wayOver } from './route.ts';
import { type Connection, connectionId, type Place, reversed } from './spec.ts';

/** The roads one after the other, in the direction they were laid out. */
export function over(...names: RoadName[]): Stretch[] {
  return names.map((road) => ({ road, backwards: false }));
}

/** The ways between places, each also backwards unless it is given as a round. */
export function connected(ways: readonly (readonly [string, string, Stretch[]])[]) {
  const connections = new Map<string, Connection>();
  const add = (from: string, to: string, stretches: Stretch[]) => {
    const id = connectionId(from, to);
    connections.set(id, { id, from, to, way: wayOver(stretches) });
  };
  for (const [from, to, stretches] of ways) {
    add(from, to, stretches);
    if (from !== to) add(to, from, reversed(stretches));
  }
  return connections;
}

/** A place of a car; `point` is latitude, longitude and height above sea level in metres. */
export function place(
  id: string,
  name: string,
  point: readonly [number, number, number],
  charger: Place['charger'] = null,
): Place {
  const [lat, lon, elevationM] = point;
  return { id, name, lat, lon, elevationM, charger };
}
