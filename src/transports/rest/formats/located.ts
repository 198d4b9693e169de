import { isRecord, type ResultRecord } from '../telling.ts';

/** A point of a path whose position is told. */
export type LocatedPoint = {
  latitude: number;
  longitude: number;
  elevationM: number | null;
  /** RFC 3339. */
  at: string;
  point: ResultRecord;
};

/** The points whose position is told, in their order. */
export function locatedPoints(points: readonly unknown[]): LocatedPoint[] {
  return points.flatMap((point) => {
    if (!isRecord(point)) return [];
    const { latitude, longitude, elevationM, at } = point;
    if (typeof latitude !== 'number' || typeof longitude !== 'number') return [];
    const elevation = typeof elevationM === 'number' ? elevationM : null;
    return [{ latitude, longitude, elevationM: elevation, at: String(at), point }];
  });
}
