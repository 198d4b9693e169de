import { DAY_MS } from '../base/units.ts';
import { localHour } from './local-time.ts';
import { hashOf } from './random.ts';

const VALLEY_MEAN_C = 10;
const SEASONAL_SWING_C = 9.5;
const DAILY_SWING_C = 4.5;
const VALLEY_M = 450;
const COLDER_PER_M_C = 0.006;
const WARMEST_DAY_OF_YEAR = 203;
const WARMEST_HOUR = 15.5;
const FRONT_MS = 2.5 * DAY_MS;

/** The fronts of a seed by their index; asked for every simulated minute. */
const frontsOf = new Map<string, Map<number, number>>();

function frontAt(seed: string, index: number): number {
  let fronts = frontsOf.get(seed);
  if (fronts === undefined) {
    fronts = new Map();
    frontsOf.set(seed, fronts);
  }
  let front = fronts.get(index);
  if (front === undefined) {
    front = (hashOf(seed, 'weather', index) / 0xffffffff) * 2 - 1;
    fronts.set(index, front);
  }
  return front;
}

/** How much warmer than usual the weather is at `atMs` [°C]; it changes over days. */
function frontsC(seed: string, atMs: number): number {
  const position = atMs / FRONT_MS;
  const index = Math.floor(position);
  const share = position - index;
  const smooth = share * share * (3 - 2 * share);
  const before = frontAt(seed, index);
  return 5 * (before + (frontAt(seed, index + 1) - before) * smooth);
}

/** Temperature of the air at a height [°C]: season, hour, passing fronts and 6 °C colder per 1,000 m. */
export function outsideTempC(seed: string, atMs: number, elevationM: number): number {
  const yearShare = (atMs / DAY_MS - WARMEST_DAY_OF_YEAR) / 365.2425;
  const season = SEASONAL_SWING_C * Math.cos(2 * Math.PI * yearShare);
  const hour = DAILY_SWING_C * Math.cos((2 * Math.PI * (localHour(atMs) - WARMEST_HOUR)) / 24);
  const height = (elevationM - VALLEY_M) * COLDER_PER_M_C;
  return VALLEY_MEAN_C + season + hour + frontsC(seed, atMs) - height;
}
