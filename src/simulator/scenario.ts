import { nextMomentMs, stepOn } from './car.ts';
import type { Fault } from './faults.ts';
import { type Ledger, newLedger } from './ledger.ts';
import { localDayIndex } from './local-time.ts';
import type { CarSpec, PlannedOuting } from './spec.ts';
import type { Car } from './state.ts';
import { type ToldCommand, tellAgain } from './told.ts';

/** A fault of the maker from one moment to another, epoch ms: of the scenario's car, or of its account's tokens. */
export type Trouble = { fromMs: number; untilMs: number; fault: Omit<Fault, 'vin'> };

/** What the world does to a car or its account at one moment, beside the maker's faults (epoch ms). */
export type Turn = {
  atMs: number;
  what:
    | 'service restarts'
    | 'service dies before its next commit'
    | 'service dies after its next commit'
    | 'account moves to another region'
    | 'car is sold'
    | 'another car is sold'
    | 'person revokes the access'
    | 'person signs in again';
};

/** What a car does, and what goes wrong meanwhile; everything follows from it and the clock. */
export type Scenario = {
  key: string;
  fromMs: number;
  untilMs: number;
  /** The car at `fromMs`; a new one at each call. */
  car: () => Car;
  /** What somebody tells the car with the maker's own application, in the order of time. */
  told: readonly ToldCommand[];
  /** Faults by what the car does; there may be other figures in the ledger when somebody asks it for data. */
  troubles: (done: Ledger) => readonly Trouble[];
  turns: (done: Ledger) => readonly Turn[];
};

/** A car on its way through a scenario. */
export type Play = {
  car: Car;
  ledger: Ledger;
  /** Moves the car on to its last moment until then (epoch ms); `onStep` sees it after each step. */
  to: (untilMs: number, onStep?: (car: Car) => void) => void;
};

/** A scenario from its beginning. */
export function playOf({ car: made, told }: Pick<Scenario, 'car' | 'told'>): Play {
  const car = made();
  const ledger = newLedger();
  const tell = tellAgain(told);
  tell(car);
  ledger.watch(car);
  const to: Play['to'] = (untilMs, onStep) => {
    while (nextMomentMs(car) <= untilMs) {
      stepOn(car);
      tell(car);
      ledger.watch(car);
      onStep?.(car);
    }
  };
  return { car, ledger, to };
}

/** What goes wrong, in the order of time, by what the car does when nobody asks it for anything. */
export function misfortunesOf(scenario: Scenario): { troubles: Trouble[]; turns: Turn[] } {
  const { ledger, to } = playOf(scenario);
  to(scenario.untilMs);
  return {
    troubles: [...scenario.troubles(ledger)].sort((a, b) => a.fromMs - b.fromMs),
    turns: [...scenario.turns(ledger)].sort((a, b) => a.atMs - b.atMs),
  };
}

/** An outing: where it goes, one after the other, and at which hour of the local day each part begins. */
export function outing(...legs: readonly [to: string, hour: number][]): PlannedOuting {
  return legs.map(([to, hour]) => ({ to, minute: hour * 60 }));
}

/** A car that makes the given outings, day by day from the local day of `fromMs` on, and charges at home only as told. */
export function scripted(
  spec: CarSpec,
  fromMs: number,
  plan: {
    outings: readonly (readonly PlannedOuting[])[];
    charging?: Partial<CarSpec['charging']>;
  },
): CarSpec {
  const firstDay = localDayIndex(fromMs);
  return {
    ...spec,
    charging: { ...spec.charging, plugInBelowPct: 0, everyEveningOf: [], ...plan.charging },
    habits: ({ index }) => [...(plan.outings[index - firstDay] ?? [])],
  };
}
