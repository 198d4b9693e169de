import { DAY_MS } from '../base/units.ts';
import { keptCar, newCar } from './car.ts';
import { localDay, localDayIndex } from './local-time.ts';
import { snowFinch } from './mountain-car.ts';
import type { CarSpec } from './spec.ts';
import type { Car, Showing } from './state.ts';
import { blueHeron } from './valley-car.ts';

/** Days of history that a new garage has behind it (experience §3). */
export const HISTORY_DAYS = 120;

/** The simulated cars: a valley commute charged at home by night, and a mountain road with a weekly longer trip. */
export const carSpecs: readonly CarSpec[] = [blueHeron, snowFinch];

/** A place that the cars' people would have named, for the service to know it too; kinds as contract §6. */
type NamedPlace = {
  name: string;
  kind: 'HOME' | 'WORK' | 'CHARGER';
  latitude: number;
  longitude: number;
  radiusM: number;
};

/** Home and work of each car, and the fast charger on the way. */
export const namedPlaces: readonly NamedPlace[] = carSpecs.flatMap((spec) =>
  spec.places.flatMap(({ id, name, lat, lon }): NamedPlace[] => {
    const at = { latitude: lat, longitude: lon };
    if (id === 'home') return [{ name: `${spec.name}’s home`, kind: 'HOME', ...at, radiusM: 80 }];
    if (id === 'work') return [{ name: `${spec.name}’s work`, kind: 'WORK', ...at, radiusM: 120 }];
    if (id === 'fast') {
      return [{ name: `${name} fast charging`, kind: 'CHARGER', ...at, radiusM: 150 }];
    }
    return [];
  }),
);

/**
 * The garage as it was on a local midnight, `days` before `untilMs` or at `fromMs`; advance its cars to make its history.
 *
 * `showings` are the moments at which somebody looks: then one car is on the road and one on its charger. Give the same
 * seed, start and showings again, with a later showing appended, to go on where an earlier process stopped; `kept` are
 * states of cars by their keys, from before that, which spare the way there.
 */
export function openGarage(options: {
  seed: string;
  untilMs: number;
  days?: number;
  fromMs?: number;
  showings?: readonly Showing[];
  kept?: Readonly<Record<string, unknown>>;
}): Car[] {
  const { seed, untilMs, days = HISTORY_DAYS } = options;
  const firstDay = localDayIndex(options.fromMs ?? untilMs - days * DAY_MS);
  const atMs = localDay(firstDay).midnightMs;
  const shown = { atMs: Math.floor(untilMs / 1000) * 1000, preparedFromMs: 0 };
  const showings = options.showings ?? [shown];
  return carSpecs.map(
    (spec) =>
      keptCar(spec, { seed, showings }, options.kept?.[spec.key]) ??
      newCar(spec, { seed, atMs, showings }),
  );
}
