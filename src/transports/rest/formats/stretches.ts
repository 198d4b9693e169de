import { MINUTE_MS } from '../../../base/units.ts';
import { type LocatedPoint, locatedPoints } from './located.ts';

/** After a longer silence nobody knows the way in between, so no line is drawn through it. */
const LONGEST_SILENCE_MS = 15 * MINUTE_MS;

/** Points without a silence between them; `goesOn` says that they follow the last of the stretch before. */
export type Stretch = { points: LocatedPoint[]; goesOn: boolean };

/** Cuts points, which come in pieces and in time order, into stretches; between pieces it remembers one point. */
export function stretchCutter(): {
  cut: (points: readonly unknown[]) => Stretch[];
  last: () => LocatedPoint | null;
} {
  let last: LocatedPoint | null = null;
  return {
    last: () => last,
    cut: (points) => {
      const stretches: Stretch[] = [];
      for (const point of locatedPoints(points)) {
        const near =
          last !== null && Date.parse(point.at) - Date.parse(last.at) <= LONGEST_SILENCE_MS;
        const open = stretches.at(-1);
        if (near && open !== undefined) open.points.push(point);
        else stretches.push({ points: [point], goesOn: near });
        last = point;
      }
      return stretches;
    },
  };
}
