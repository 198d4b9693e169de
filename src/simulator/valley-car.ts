import { MINUTE_MS } from '../base/units.ts';
import { between, type Random } from './random.ts';
import { type CarSpec, connectionId, type PlannedOuting } from './spec.ts';
import { connected, over, place } from './ways.ts';

const isWeekend = (weekday: number) => weekday >= 5;

/** A commute along the valley at office hours, errands in the evening, a longer way on some weekends. */
function valleyHabits(day: { weekday: number }, random: Random): PlannedOuting[] {
  const outings: PlannedOuting[] = [];
  if (!isWeekend(day.weekday)) {
    if (random() < 0.06) return outings;
    const leave = between(random, 6.9 * 60, 7.6 * 60);
    const back = between(random, 16.8 * 60, 17.8 * 60);
    const shops = random() < 0.3;
    outings.push([
      { to: 'work', minute: leave },
      ...(shops ? [{ to: 'shop', minute: back }] : []),
      { to: 'home', minute: shops ? back + between(random, 50, 75) : back },
    ]);
    if (!shops && random() < 0.35) {
      const evening = between(random, 19 * 60, 19.6 * 60);
      outings.push([
        { to: 'shop', minute: evening },
        { to: 'home', minute: evening + between(random, 70, 150) },
      ]);
    }
    return outings;
  }
  const morning = between(random, 9 * 60, 10.5 * 60);
  if (random() < 0.85) {
    outings.push([
      { to: 'shop', minute: morning },
      { to: 'home', minute: morning + between(random, 60, 110) },
    ]);
  }
  const afternoon = between(random, 13.2 * 60, 14.2 * 60);
  if (random() < 0.7) {
    outings.push([
      { to: random() < 0.5 ? 'mountain' : 'town', minute: afternoon },
      { to: 'home', minute: afternoon + between(random, 150, 260) },
    ]);
  }
  return outings;
}

const toSchaan = over('balzersToTriesen', 'triesenToSchaan');
const toMaienfeld = over('balzersToMaienfeldByLuzisteig');

/** A car that commutes along the valley and is charged at home by night. */
export const blueHeron: CarSpec = {
  key: 'blue-heron',
  vin: '5YJ3S1MA8RD000001',
  name: 'Blue Heron',
  id: 1492931234567891n,
  vehicleId: 1_000_000_001,
  carType: 'model3',
  trim: '74d',
  color: 'DeepBlue',
  wheels: 'Photon18',
  massKg: 1920,
  capacityKwh: 75,
  ratedWhPerKm: 145,
  odometerStartKm: 23_412.6,
  sleepAfterMs: 12 * MINUTE_MS,
  whenShown: 'drives',
  places: [
    place('home', 'Home', [47.0664, 9.5032, 474], 'ac'),
    place('work', 'Work', [47.2385, 9.5265, 433]),
    place('shop', 'Schaan', [47.165, 9.509, 451]),
    place('mountain', 'Malbun', [47.102, 9.609, 1602]),
    place('town', 'Chur', [46.851, 9.529, 593]),
  ],
  connections: connected([
    ['home', 'work', [...toSchaan, ...over('schaanToRuggell')]],
    ['home', 'shop', toSchaan],
    ['shop', 'work', over('schaanToRuggell')],
    ['home', 'mountain', over('balzersToTriesen', 'triesenToMalbun')],
    ['home', 'town', [...toMaienfeld, ...over('maienfeldToLandquart', 'landquartToChur')]],
    [
      'home',
      'home',
      [
        ...toSchaan,
        ...over('schaanToRuggell', 'ruggellToSchaanByFeldkirch', 'schaanToBalzersByMotorway'),
      ],
    ],
  ]),
  roundConnection: connectionId('home', 'home'),
  charging: {
    plugInBelowPct: 40,
    limitPct: 80,
    limitBeforeTripPct: 80,
    everyEveningOf: [6, 0, 1, 2, 3],
    startHour: 23,
  },
  habits: valleyHabits,
};
