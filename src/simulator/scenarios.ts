import { HOUR_MS, MINUTE_MS } from '../base/units.ts';
import { newCar } from './car.ts';
import type { Ledger } from './ledger.ts';
import { snowFinch } from './mountain-car.ts';
import { outing, type Scenario, scripted, type Trouble, type Turn } from './scenario.ts';
import type { CarSpec, PlannedOuting } from './spec.ts';
import { blueHeron } from './valley-car.ts';

/** A Tuesday, local midnight. */
const MIDNIGHT = Date.UTC(2026, 2, 2, 23);

const hours = (hour: number) => MIDNIGHT + hour * HOUR_MS;

type Story = {
  key: string;
  spec: CarSpec;
  fromHour: number;
  untilHour: number;
  levelPct?: number;
  /** By the day. */
  outings?: readonly (readonly PlannedOuting[])[];
  charging?: Partial<CarSpec['charging']>;
  /** What runs on the car at first; the newest there is unless given. */
  version?: string;
  told?: readonly { hour: number; name: string; body?: object }[];
  troubles?: (done: Ledger) => readonly Trouble[];
  turns?: (done: Ledger) => readonly Turn[];
};

function scenario(story: Story): Scenario {
  const { key, levelPct = 70, outings = [], charging = {}, told = [], version } = story;
  const [fromMs, untilMs] = [hours(story.fromHour), hours(story.untilHour)];
  const spec = scripted(story.spec, fromMs, { outings, charging });
  const car: Scenario['car'] = () => {
    const made = newCar(spec, { seed: key, atMs: fromMs, showings: [] });
    made.state.energyKwh = (spec.capacityKwh * levelPct) / 100;
    if (version !== undefined) Object.assign(made.state, { awake: true });
    if (version !== undefined) made.state.software.version = version;
    return made;
  };
  return {
    ...{ key, fromMs, untilMs, car },
    told: told.map(({ hour, name, body = {} }) => ({
      ...{ atMs: hours(hour), name, body: JSON.stringify(body) },
    })),
    troubles: story.troubles ?? (() => []),
    turns: story.turns ?? (() => []),
  };
}

/** No reception from shortly before the end of the first drive until the car is on the road again. */
function outOfReach({ drives: [first, second] }: Ledger): Trouble[] {
  if (first === undefined || second === undefined) return [];
  const [fromMs, untilMs] = [first.untilMs - MINUTE_MS, second.fromMs + 3 * MINUTE_MS];
  return [{ fromMs, untilMs, fault: { kind: 'offline' } }];
}

/** The scenarios that every change of the service has to come through (maker.md §1.11, item 10). */
export const scenarios = {
  commute: scenario({
    ...{ key: 'commute', spec: blueHeron, fromHour: 6.75, untilHour: 10 },
    outings: [[outing(['work', 7], ['home', 9])]],
  }),
  fastChargeOutOfReach: scenario({
    ...{ key: 'fast charge', spec: snowFinch, fromHour: 6.75, untilHour: 9.75, levelPct: 45 },
    outings: [[outing(['fast', 7], ['home', 7.5])]],
    troubles: outOfReach,
  }),
  undergroundGarage: scenario({
    ...{ key: 'garage', spec: blueHeron, fromHour: 6.75, untilHour: 10.75 },
    outings: [[outing(['shop', 7], ['home', 10])]],
    troubles: outOfReach,
  }),
  overnightWithPauses: scenario({
    ...{ key: 'overnight', spec: blueHeron, fromHour: 22.5, untilHour: 31.5, levelPct: 35 },
    charging: { plugInBelowPct: 40, startHour: 23, limitPct: 55 },
    outings: [[], [outing(['shop', 7], ['home', 9])]],
    told: [
      { hour: 23.75, name: 'charge_stop' },
      { hour: 24.25, name: 'charge_start' },
      { hour: 24.5, name: 'charge_stop' },
      { hour: 25.5, name: 'charge_start' },
    ],
  }),
  softwareUpdate: scenario({
    ...{ key: 'software', spec: blueHeron, fromHour: 0.5, untilHour: 4, version: '2026.2.1' },
    // Somebody has it watch until what it found is downloaded.
    told: [
      { hour: 0.52, name: 'set_sentry_mode', body: { on: true } },
      { hour: 1.25, name: 'set_sentry_mode', body: { on: false } },
    ],
  }),
  soldCar: scenario({
    ...{ key: 'sold', spec: blueHeron, fromHour: 6.75, untilHour: 9 },
    // The second drive is its new owner's.
    outings: [[outing(['shop', 7], ['home', 8.25])]],
    turns: () => [{ atMs: hours(8), what: 'car is sold' }],
  }),
  regionMove: scenario({
    ...{ key: 'region', spec: blueHeron, fromHour: 6.75, untilHour: 7.75 },
    outings: [[outing(['shop', 7])]],
    // In the middle of the first drive.
    turns: ({ drives: [first] }) => [
      {
        atMs: first === undefined ? MIDNIGHT : (first.fromMs + first.untilMs) / 2,
        what: 'account moves to another region',
      },
    ],
  }),
  tokenLoss: scenario({
    ...{ key: 'token', spec: blueHeron, fromHour: 6.75, untilHour: 11.5 },
    outings: [[outing(['shop', 7], ['home', 9]), outing(['shop', 11])]],
    turns: () => [
      { atMs: hours(8.5), what: 'person revokes the access' },
      { atMs: hours(9.5), what: 'person signs in again' },
    ],
  }),
} as const satisfies Record<string, Scenario>;
