import { MINUTE_MS } from '../base/units.ts';
import { between, type Random } from './random.ts';
import { type CarSpec, connectionId, type PlannedOuting, reversed } from './spec.ts';
import { connected, over, place } from './ways.ts';

/** Weekdays on which the mountain car is driven to work; Monday is 0. */
const officeDays = [0, 1, 3];

/** Down the mountain to work and up again, the shop, the pass for pleasure, and on Saturdays the city with a fast charge. */
function mountainHabits(day: { weekday: number }, random: Random): PlannedOuting[] {
  const outings: PlannedOuting[] = [];
  if (day.weekday === 5) {
    const leave = between(random, 7.5 * 60, 8.5 * 60);
    return [
      [
        { to: 'city', minute: leave },
        { to: 'fast', minute: between(random, 16 * 60, 17.5 * 60) },
        { to: 'home', minute: leave },
      ],
    ];
  }
  const afternoon = between(random, 13.5 * 60, 14.5 * 60);
  if (day.weekday === 6) {
    if (random() < 0.75) {
      outings.push([
        { to: 'pass', minute: afternoon },
        { to: 'home', minute: afternoon + between(random, 80, 180) },
      ]);
    }
    return outings;
  }
  if (officeDays.includes(day.weekday) && random() < 0.95) {
    outings.push([
      { to: 'work', minute: between(random, 6.4 * 60, 7 * 60) },
      { to: 'home', minute: between(random, 16.3 * 60, 17.2 * 60) },
    ]);
  } else if (random() < 0.7) {
    outings.push([
      { to: 'pass', minute: afternoon },
      { to: 'home', minute: afternoon + between(random, 60, 120) },
    ]);
  }
  const evening = between(random, 18.6 * 60, 19.2 * 60);
  if (random() < 0.55) {
    outings.push([
      { to: 'shop', minute: evening },
      { to: 'home', minute: evening + between(random, 35, 70) },
    ]);
  }
  return outings;
}

const toLandquart = over('davosToDorf', 'dorfToLandquart');
const landquartToMaienfeld = reversed(over('maienfeldToLandquart'));

/** A car that goes down the mountain and up again, and once a week to the city. */
export const snowFinch: CarSpec = {
  key: 'snow-finch',
  vin: '5YJ3S1MB9RD000002',
  name: 'Snow Finch',
  // Above 2^53: a reader that makes a number of it loses the last digits (maker.md §1.4).
  id: 14929312345678903n,
  vehicleId: 1_000_000_002,
  carType: 'modely',
  trim: '74d',
  color: 'PearlWhite',
  wheels: 'Apollo19',
  massKg: 2080,
  capacityKwh: 78,
  ratedWhPerKm: 160,
  odometerStartKm: 41_870.2,
  sleepAfterMs: 13 * MINUTE_MS,
  whenShown: 'charges',
  places: [
    place('home', 'Home', [46.796, 9.823, 1545], 'ac'),
    place('work', 'Work', [46.968, 9.566, 530]),
    place('shop', 'Davos Dorf', [46.809, 9.844, 1560]),
    place('pass', 'Flüela Pass', [46.75, 9.947, 2383]),
    place('city', 'Zürich', [47.366, 8.533, 409]),
    place('fast', 'Maienfeld', [47.004, 9.519, 504], 'dc'),
  ],
  connections: connected([
    ['home', 'work', toLandquart],
    ['home', 'shop', over('davosToDorf')],
    ['home', 'pass', over('davosToDorf', 'dorfToFluela')],
    ['home', 'city', [...toLandquart, ...landquartToMaienfeld, ...over('maienfeldToZurich')]],
    ['fast', 'city', over('maienfeldToZurich')],
    ['home', 'fast', [...toLandquart, ...landquartToMaienfeld]],
  ]),
  roundConnection: connectionId('home', 'pass'),
  charging: {
    plugInBelowPct: 60,
    limitPct: 80,
    limitBeforeTripPct: 90,
    everyEveningOf: [4],
    startHour: null,
  },
  habits: mountainHabits,
};
