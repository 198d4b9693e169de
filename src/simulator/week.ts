import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { newCar } from './car.ts';
import type { FaultKind } from './faults.ts';
import type { Charged, Driven, Ledger } from './ledger.ts';
import { snowFinch } from './mountain-car.ts';
import { between, type Random, randomOf } from './random.ts';
import { outing, type Scenario, scripted, type Trouble, type Turn } from './scenario.ts';
import type { PlannedOuting } from './spec.ts';

/** A Monday, local midnight. */
const MIDNIGHT = Date.UTC(2026, 2, 1, 23);
const DAYS = 7;
const LEVEL_PCT = 62;

/** Faults that may come at any time, for a call or two, while the car drives. */
const passing = [
  'rate_limited',
  'upstream_error',
  'unavailable',
  'malformed',
  'closed',
  'stale',
  'hollow',
  'timeout',
  'not_found',
  'slow',
  'hang',
  'offline',
] as const satisfies FaultKind[];
/** Faults after which the service leaves the account or the car alone for a while; they come while it charges. */
const lasting = [
  'exceeded_limit',
  'payment_required',
  'in_service',
  'missing_scopes',
] as const satisfies FaultKind[];

/** Work, a night away, and a trip with a fast charge on the way back; by the day. */
const outings: readonly (readonly PlannedOuting[])[] = [
  [outing(['work', 7], ['home', 16.5])],
  [],
  [outing(['shop', 18], ['home', 36])],
  [],
  [outing(['fast', 9], ['home', 10])],
];

/** A week of a car in which everything goes wrong that may go wrong; another seed is another week. */
export function faultyWeek(seed: string): Scenario {
  const spec = scripted(snowFinch, MIDNIGHT, {
    outings,
    charging: { plugInBelowPct: 45, startHour: 23, limitPct: 70 },
  });
  const told = [
    // The first night's charge is stopped for a while.
    { atMs: MIDNIGHT + 24.5 * HOUR_MS, name: 'charge_stop', body: '{}' },
    { atMs: MIDNIGHT + 25 * HOUR_MS, name: 'charge_start', body: '{}' },
  ];
  return {
    key: `week ${seed}`,
    fromMs: MIDNIGHT,
    untilMs: MIDNIGHT + DAYS * DAY_MS,
    car: () => {
      const car = newCar(spec, { seed, atMs: MIDNIGHT, showings: [] });
      // An older one, so that an update comes in the week.
      car.state.software.version = '2026.2.1';
      car.state.energyKwh = (spec.capacityKwh * LEVEL_PCT) / 100;
      return car;
    },
    told,
    troubles: (done) => troublesOf(done, randomOf(seed, 'troubles')),
    turns: (done) => turnsOf(done, randomOf(seed, 'turns')),
  };
}

function troublesOf({ drives, charges }: Ledger, random: Random): Trouble[] {
  const [first] = drives;
  const quiet = MIDNIGHT + 1.5 * DAY_MS;
  return [
    ...drives.flatMap((drive) => onTheWay(drive, random)),
    ...charges
      .filter(({ kind }) => kind === 'AC')
      .flatMap((charge) => atTheCharger(charge, random)),
    // It drives into a garage underground, and is not heard of for hours.
    ...(first === undefined ? [] : [lasts('offline', first.untilMs - 40 * SECOND_MS, 2 * HOUR_MS)]),
    lasts('token_unavailable', quiet, 20 * MINUTE_MS),
    // The maker renews, and the answer never comes: of tokens that work once, none is left.
    {
      ...lasts('token_lost', quiet + HOUR_MS, 9 * HOUR_MS),
      fault: { kind: 'token_lost', times: 1 },
    },
    lasts('rate_limited', quiet + 3.2 * DAY_MS, HOUR_MS),
    lasts('in_service', quiet + 3.5 * DAY_MS, 2 * HOUR_MS),
  ];
}

const lasts = (kind: FaultKind, fromMs: number, forMs: number): Trouble => ({
  ...{ fromMs, untilMs: fromMs + forMs },
  fault: { kind, retryAfterS: 90, delayMs: 30 },
});

/** Every few minutes one, and the last one over before the car arrives. */
function onTheWay({ fromMs, untilMs }: Driven, random: Random): Trouble[] {
  const troubles: Trouble[] = [];
  let atMs = fromMs + between(random, 3, 5) * MINUTE_MS;
  while (atMs < untilMs - 5 * MINUTE_MS) {
    const kind = passing[Math.floor(random() * passing.length)] ?? 'closed';
    troubles.push(lasts(kind, atMs, Math.round(between(random, 30, 100)) * SECOND_MS));
    atMs += between(random, 3, 6) * MINUTE_MS;
  }
  return troubles;
}

/** In the last hour and a half of an evening at the charger, one after the other. */
function atTheCharger({ untilMs }: Charged, random: Random): Trouble[] {
  return lasting.map((kind, index) => ({
    ...lasts(kind, untilMs - (80 - 18 * index - between(random, 0, 4)) * MINUTE_MS, MINUTE_MS),
  }));
}

function turnsOf({ drives, charges }: Ledger, random: Random): Turn[] {
  const within = ({ fromMs, untilMs }: { fromMs: number; untilMs: number }): number =>
    Math.round(between(random, fromMs, untilMs));
  const quiet = MIDNIGHT + 1.5 * DAY_MS;
  const last = drives.at(-1);
  return [
    ...[...drives, ...charges].flatMap((stretch): Turn[] => [
      { atMs: within(stretch), what: 'service restarts' },
      { atMs: within(stretch), what: 'service dies before its next commit' },
      { atMs: within(stretch), what: 'service dies after its next commit' },
    ]),
    { atMs: MIDNIGHT + 0.5 * DAY_MS, what: 'another car is sold' },
    { atMs: quiet + 10.5 * HOUR_MS, what: 'person signs in again' },
    { atMs: MIDNIGHT + 3.6 * DAY_MS, what: 'person revokes the access' },
    { atMs: MIDNIGHT + 3.8 * DAY_MS, what: 'person signs in again' },
    ...(last === undefined
      ? []
      : [{ atMs: within(last), what: 'account moves to another region' } as const]),
  ];
}
