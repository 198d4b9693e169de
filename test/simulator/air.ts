import { silentLog } from '../../src/base/log.ts';
import { DAY_MS } from '../../src/base/units.ts';
import { createIntake } from '../../src/ingest/intake.ts';
import { reduceDue } from '../../src/ingest/pump.ts';
import { readRecordLine } from '../../src/ingest/record-line.ts';
import type { Ledger } from '../../src/simulator/ledger.ts';
import { playOf, type Scenario, type Trouble } from '../../src/simulator/scenario.ts';
import { linkRecord, type TelemetryRecord } from '../../src/simulator/telemetry.ts';
import { overRadio, type Radio } from '../../src/simulator/telemetry-radio.ts';
import type { Mortal } from '../support/mortal.ts';
import type { WayIn } from './way-in.ts';

/** How a car's records travel; where it has no reception they wait. */
export type Air = Pick<Radio, 'delayMs' | 'resent' | 'lost'> & {
  /** Over HTTP where it is given, else into the intake as it is. */
  wayIn?: WayIn;
  /** What is made in these stretches arrives a day after them. */
  dayLate?: (done: Ledger) => readonly { fromMs: number; untilMs: number }[];
};

/** Records on their way to the service. */
export type Flight = {
  made: (records: readonly TelemetryRecord[]) => void;
  /** Brings in what has arrived by `now` (epoch ms) and reduces what is due; what a death left unanswered comes again. */
  land: (life: { client: Mortal; stop: AbortController }, now: number) => Promise<void>;
  /** When the last of them arrives, epoch ms; `now` where none is on its way. */
  lastAt: (now: number) => number;
  /** How often the history was rewritten for what came late. */
  rewritten: () => number;
};

/** The air of a scenario. */
export function flightOf(scenario: Scenario, air: Air, troubles: readonly Trouble[]): Flight {
  const { car, ledger, to } = playOf(scenario);
  // It streamed before the scenario began.
  const before = linkRecord(car, car.state.awake);
  to(scenario.untilMs);
  const late = (air.dayLate?.(ledger) ?? []).map((stretch) => ({
    ...stretch,
    arrivesMs: stretch.untilMs + DAY_MS,
  }));
  const silent = troubles.filter(({ fault }) => fault.kind === 'offline');
  const silences = [...late, ...silent.map(({ fromMs, untilMs }) => ({ fromMs, untilMs }))];
  const counts = { reduced: 0, again: 0, refused: 0, failures: 0, putAside: 0, swept: 0 };
  let fresh: TelemetryRecord[] = [];
  let waiting: TelemetryRecord[] = [before];

  const takeOff = (now: number) => {
    const seed = `${scenario.key} ${now}`;
    waiting.push(...overRadio(fresh, { ...air, seed, silences }));
    waiting.sort((a, b) => a.at - b.at);
    fresh = [];
  };
  const takenIn = async (client: Mortal, now: number) => {
    const here = waiting.filter(({ at }) => at <= now);
    if (here.length === 0) return;
    if (air.wayIn === undefined) await takenAsTheyAre(client, here, now);
    else await air.wayIn.bring(here, now);
    waiting = waiting.filter(({ at }) => at > now);
  };

  return {
    made: (records) => {
      fresh.push(...records);
    },
    land: async ({ client, stop }, now) => {
      const clock = () => now;
      takeOff(now);
      const { prisma } = client;
      const log = silentLog;
      try {
        await takenIn(client, now);
        await reduceDue({ prisma, clock, log }, counts, stop.signal);
      } catch (error) {
        if (!client.dead()) throw error;
      }
      if (counts.refused > 0) throw new Error('The reducer refused a record.');
    },
    lastAt: (now) => Math.max(now, ...waiting.map(({ at }) => at)),
    rewritten: () => counts.again,
  };
}

async function takenAsTheyAre(
  { prisma }: Mortal,
  records: readonly TelemetryRecord[],
  now: number,
): Promise<void> {
  const read = records.map(({ record }) => {
    const line = readRecordLine(JSON.stringify(record), now);
    if (!line.ok) throw new Error(`The car streamed what is no record: ${line.reason}`);
    return line.record;
  });
  await createIntake({ prisma, clock: () => now }).take(read);
}
