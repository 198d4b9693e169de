import { localTimeAt, stretchesOfOneOffset } from '../base/local-clock.ts';
import { DAY_MS, MINUTE_MS } from '../base/units.ts';
import { type Prices, type TariffRule, weekDays } from '../contract/tariffs.ts';

const DAY_MINUTES = 24 * 60;

/** A stretch of time in which one rule holds, or none; times are epoch ms. */
export type RuleStretch = { from: number; to: number; rule: TariffRule | null };

/** Cuts [from, to) where the rule that holds changes, by the clocks of the tariff's zone; neighbours differ. */
export function ruleStretches(
  { timezone, rules }: Pick<Prices, 'timezone' | 'rules'>,
  from: number,
  to: number,
): RuleStretch[] {
  const stretches: RuleStretch[] = [];
  for (const same of stretchesOfOneOffset(timezone, from, to)) {
    let at = same.from;
    while (at < same.to) {
      const { minute, weekDay, month } = localTimeAt(at, same.offsetMs);
      const rule = ruleAt(rules, {
        minute,
        weekDay,
        yesterday: monthBefore(at, same.offsetMs),
        month,
      });
      const untilMs = Math.round((nextChange(rules, minute) - minute) * MINUTE_MS);
      const until = Math.min(same.to, at + Math.max(1, untilMs));
      const last = stretches.at(-1);
      if (last !== undefined && last.rule === rule) last.to = until;
      else stretches.push({ from: at, to: until, rule });
      at = until;
    }
  }
  return stretches;
}

type Moment = { minute: number; weekDay: number; month: number; yesterday: number };

function monthBefore(at: number, offsetMs: number): number {
  return localTimeAt(at - DAY_MS, offsetMs).month;
}

/** The first minute after `minute` at which a rule may begin or end; midnight at the latest. */
function nextChange(rules: readonly TariffRule[], minute: number): number {
  const borders = rules.flatMap(({ startMinute, endMinute }) => [startMinute, endMinute]);
  return Math.min(DAY_MINUTES, ...borders.filter((border) => border > minute));
}

/** The first rule that holds at a moment of local time. */
function ruleAt(rules: readonly TariffRule[], moment: Moment): TariffRule | null {
  return rules.find((rule) => holds(rule, moment)) ?? null;
}

/** Over midnight, day and month are those of the evening before. */
function holds(rule: TariffRule, { minute, weekDay, month, yesterday }: Moment): boolean {
  const { startMinute, endMinute } = rule;
  const overMidnight = endMinute <= startMinute;
  const began = minute >= startMinute && (overMidnight || minute < endMinute);
  if (began && isOn(rule, weekDay, month)) return true;
  return overMidnight && minute < endMinute && isOn(rule, (weekDay + 6) % 7, yesterday);
}

function isOn({ days, months }: TariffRule, weekDay: number, month: number): boolean {
  const day = weekDays[weekDay];
  return (
    (days === null || (day !== undefined && days.includes(day))) &&
    (months === null || months.includes(month))
  );
}
