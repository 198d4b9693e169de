import { ServiceError } from '../base/errors.ts';
import { DAY_MS, SECOND_MS } from '../base/units.ts';
import { builder } from './builder.ts';
import { Path, pathArgs, pathIn } from './path.ts';
import { trackCost } from './track.ts';
import { Vehicle } from './vehicle.ts';

/** Longest stretch of positions that can be asked for at once (contract §13). */
const LONGEST_DAYS = 31;

/** Longest time between two points that can be asked for [s]. */
const LONGEST_INTERVAL_S = 86_400;

type Asked = { from: number; to: number; interval?: number | null };

/** What cannot be asked for, by argument; nothing when it can. */
function problems({ from, to, interval }: Asked): Record<string, string[]> {
  return {
    ...(to > from ? {} : { to: ['Give a time after `from`.'] }),
    ...(to - from <= LONGEST_DAYS * DAY_MS
      ? {}
      : { from: [`Give at most ${LONGEST_DAYS} days at once.`] }),
    ...(interval == null || (interval >= 1 && interval <= LONGEST_INTERVAL_S)
      ? {}
      : { interval: [`Give 1 to ${LONGEST_INTERVAL_S}.`] }),
  };
}

function check(asked: Asked): void {
  const fields = problems(asked);
  const [first] = Object.entries(fields);
  if (first === undefined) return;
  const [name, sentences] = first;
  throw new ServiceError('validation_failed', `${name}: ${sentences.join(' ')}`, { fields });
}

builder.prismaObjectField(Vehicle, 'positions', (t) =>
  t.field({
    type: Path,
    description: `Where it was over time, on drives and between them; at most ${LONGEST_DAYS} days at once.`,
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'From this time on.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'Up to this time.' }),
      interval: t.arg.int({
        description: `Leaves out points that follow another within less than this, 1 to ${LONGEST_INTERVAL_S} [s].`,
      }),
      ...pathArgs,
    },
    complexity: trackCost,
    resolve: ({ id: vehicleId }, { from, to, interval, ...args }, context) => {
      check({ from, to, interval });
      const intervalMs = (interval ?? 0) * SECOND_MS;
      return pathIn(context, { vehicleId, fromMs: from, toMs: to }, { ...args, intervalMs });
    },
  }),
);
