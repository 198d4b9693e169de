import { DAY_MS, HOUR_MS, MINUTE_MS, rounded } from '../base/units.ts';
import { idleReasons, type ParkedSpanRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { levelOf } from './sample.ts';
import type { Earlier, MachineState, Moment, ParkedDraw, ParkedLosses } from './state.ts';

/** At or below this outside a pack counts as cold [°C]. */
const COLD_C = 0;
/** A rise of the level by more than this without a charge is one that nobody saw; it says nothing of losses [%]. */
const UNSEEN_CHARGE_PCT = 1;
/** A drain is not told of less quiet time: the last digit of the range would be most of it [ms]. */
const LEAST_QUIET_MS = HOUR_MS;
/** A reason has at least this part of what was lost. */
const LEAST_SHARE = 0.1;

type Figures = Pick<
  ParkedSpanRow,
  'energyLostKwh' | 'drainPctPerDay' | 'preconditioningMinutes' | 'sentryMinutes' | 'reasons'
>;

/** The figures of a span that nothing is known of yet. */
export const noFigures: Figures = {
  energyLostKwh: null,
  drainPctPerDay: null,
  preconditioningMinutes: 0,
  sentryMinutes: 0,
  reasons: [],
};

/** The sums at the beginning of a span. */
export function lossesFrom(state: MachineState, at: number): ParkedLosses {
  return {
    lastAt: at,
    draw: drawOf(state),
    lostKwh: null,
    lostPct: { SENTRY: 0, CLIMATE: 0, COLD: 0, UNKNOWN: 0 },
    quietLostPct: 0,
    quietMs: 0,
    climateMs: 0,
    sentryMs: 0,
  };
}

/**
 * The sums after one more observation. What was lost since the one before is put down to what drew then: the climate before
 * sentry, which runs beside it, then the cold, else nobody knows. Time and energy of charging are left out.
 */
export function lossesAfter(
  losses: ParkedLosses,
  state: MachineState,
  { at, before, context }: Moment,
): ParkedLosses {
  const now = drawOf(state);
  const passedMs = at - losses.lastAt;
  if (passedMs < 0) return losses;
  const rose = (levelOf(state.values) ?? 0) - (levelOf(before.values) ?? Number.POSITIVE_INFINITY);
  if (losses.draw.charging || now.charging || rose > UNSEEN_CHARGE_PCT)
    return { ...losses, lastAt: at, draw: now };
  const { climate, sentry } = losses.draw;
  const pct = lostPct(before.values, state.values);
  const kwh = lostKwh(before.values, state.values, context.efficiencyWhPerKm);
  const reason = climate ? 'CLIMATE' : sentry ? 'SENTRY' : isCold(state) ? 'COLD' : 'UNKNOWN';
  const quiet = !climate && !sentry;
  return {
    lastAt: at,
    draw: now,
    lostKwh: kwh === null ? losses.lostKwh : (losses.lostKwh ?? 0) + kwh,
    lostPct: { ...losses.lostPct, [reason]: losses.lostPct[reason] + pct },
    quietLostPct: losses.quietLostPct + (quiet ? pct : 0),
    quietMs: losses.quietMs + (quiet ? passedMs : 0),
    climateMs: losses.climateMs + (climate ? passedMs : 0),
    sentryMs: losses.sentryMs + (sentry ? passedMs : 0),
  };
}

/**
 * The losses as they are told: the energy lost while nothing charged, never below 0; the level lost per day of the time that
 * neither preconditioning nor sentry took, null of less than an hour; and what took at least a tenth, the most first.
 */
export function figuresOf(losses: ParkedLosses): Figures {
  const { lostPct, quietLostPct, quietMs } = losses;
  const taken = idleReasons.filter((reason) => lostPct[reason] > 0);
  const totalPct = taken.reduce((sum, reason) => sum + lostPct[reason], 0);
  const perDay = quietMs < LEAST_QUIET_MS ? null : (quietLostPct * DAY_MS) / quietMs;
  return {
    energyLostKwh: losses.lostKwh === null ? null : rounded(Math.max(0, losses.lostKwh), 3),
    drainPctPerDay: perDay === null ? null : rounded(Math.max(0, perDay), 2),
    preconditioningMinutes: rounded(losses.climateMs / MINUTE_MS, 1),
    sentryMinutes: rounded(losses.sentryMs / MINUTE_MS, 1),
    reasons: taken
      .filter((reason) => lostPct[reason] >= LEAST_SHARE * totalPct)
      .sort((a, b) => lostPct[b] - lostPct[a]),
  };
}

function drawOf({ values, charge, connectivity }: MachineState): ParkedDraw {
  // Asleep, neither runs, whatever was heard last.
  const awake = connectivity !== 'asleep';
  return {
    charging: charge?.flowing === true,
    climate:
      awake &&
      (values.climateOn === true ||
        values.preconditioning === true ||
        (values.climateKeeperMode ?? 'OFF') !== 'OFF'),
    sentry: awake && (values.sentry ?? 'OFF') !== 'OFF',
  };
}

function isCold({ values }: MachineState): boolean {
  const { batteryLevelPct: level, usableBatteryLevelPct: usable, outsideTempC } = values;
  return (level != null && usable != null && usable < level) || (outsideTempC ?? 99) <= COLD_C;
}

type Readings = Earlier['values'];

/** Level lost between two readings, by the finest of what both have: energy, range, the level itself [%]. */
function lostPct(before: Readings, now: SignalValues): number {
  const from = levelOf(before);
  if (from === null) return 0;
  const finest = [
    [before.energyRemainingKwh, now.energyRemainingKwh],
    [before.rangeRatedKm, now.rangeRatedKm],
    [from, levelOf(now)],
  ].find(([a, b]) => a != null && a > 0 && b != null);
  const [a, b] = finest ?? [];
  return a == null || b == null ? 0 : (from * (a - b)) / a;
}

/** Energy lost between two readings, by the pack's energy, else by the rated range; null where neither is known [kWh]. */
function lostKwh(
  before: Readings,
  now: SignalValues,
  efficiencyWhPerKm: number | null,
): number | null {
  const { energyRemainingKwh, rangeRatedKm } = before;
  if (energyRemainingKwh != null && now.energyRemainingKwh != null)
    return energyRemainingKwh - now.energyRemainingKwh;
  if (efficiencyWhPerKm === null || rangeRatedKm == null || now.rangeRatedKm == null) return null;
  return ((rangeRatedKm - now.rangeRatedKm) * efficiencyWhPerKm) / 1000;
}
