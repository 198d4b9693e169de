import { HOUR_MS, MINUTE_MS, rounded, SECOND_MS } from '../base/units.ts';
import type { ChargeRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { added, meanOf } from './mean.ts';
import type { OpenCharge } from './open-charge.ts';
import { levelOf } from './sample.ts';
import type { Moment } from './state.ts';

/** A counter below this at the first sight of a session has only begun [kWh] (maker.md §3.2 R14). */
export const FRESH_COUNTER_KWH = 0.1;
/** No charger gives more [kW]: direct and alternating current. */
const HIGHEST_DC_KW = 500;
const HIGHEST_AC_KW = 25;
/** A counter that falls by more than this was reset [kWh]. */
const RESET_KWH = 0.05;
/** Power is held between samples at most so long when energy is integrated. */
const LONGEST_HOLD_MS = 5 * MINUTE_MS;

/** Energy that the counter gained in the session, over its resets, else the pack [kWh]; null while neither was seen. */
export function energyCounted(charge: OpenCharge): number | null {
  if (charge.counterKwh === null || charge.baseKwh === null) return charge.packGainKwh ?? null;
  return charge.finishedRunsKwh + Math.max(0, charge.counterKwh - charge.baseKwh);
}

/** The session with one more sample in its sums. */
export function withChargeSample(
  charge: OpenCharge,
  values: SignalValues,
  at: number,
  flowing: boolean,
): OpenCharge {
  const gapMs = Math.max(0, at - charge.lastAt);
  const inletKw = flowing ? inletPowerKw(values) : null;
  const heldH = Math.min(gapMs, LONGEST_HOLD_MS) / HOUR_MS;
  const { energyPartial, ...counter } = counted(charge, values, at, flowing);
  const pack = packed(charge, values);
  const missed = counter.counterKwh === null && pack.packGainKwh != null && !charge.startSeen;
  const next: OpenCharge = {
    ...charge,
    ...counter,
    ...pack,
    ...metered(charge, values),
    row: { ...charge.row, energyPartial: energyPartial || missed },
    lastAt: at,
    lastPowerKw: inletKw,
    flowMs: charge.flowMs + (charge.flowing ? gapMs : 0),
    usedKwh:
      charge.usedKwh +
      (charge.flowing
        ? (((charge.lastPowerKw ?? 0) + (inletKw ?? charge.lastPowerKw ?? 0)) / 2) * heldH
        : 0),
    outsideTemp: added(charge.outsideTemp, values.outsideTempC),
  };
  return { ...next, row: figures(next, values, flowing) };
}

/** What the pack gained since it was first heard of; it may give some off again while it waits for the cable to be pulled. */
function packed(
  { packBaseKwh, packGainKwh }: OpenCharge,
  { energyRemainingKwh: nowKwh }: SignalValues,
): Pick<OpenCharge, 'packBaseKwh' | 'packGainKwh'> {
  if (nowKwh == null) return {};
  const baseKwh = packBaseKwh ?? nowKwh;
  // What was not told again since shows no charge of nothing.
  if (nowKwh === baseKwh && packGainKwh == null) return { packBaseKwh: baseKwh };
  return { packBaseKwh: baseKwh, packGainKwh: Math.max(packGainKwh ?? 0, nowKwh - baseKwh) };
}

/** What the charger counted; direct current has no such counter (maker.md §5.4). One that falls began anew. */
function metered({ meter }: OpenCharge, values: SignalValues): Pick<OpenCharge, 'meter'> {
  const { acEnergyInKwh: nowKwh, fastChargerPresent } = values;
  if (nowKwh == null || fastChargerPresent === true) return {};
  const fromKwh = meter?.lastKwh ?? (nowKwh < FRESH_COUNTER_KWH ? 0 : nowKwh);
  const gainedKwh = nowKwh < fromKwh - RESET_KWH ? nowKwh : Math.max(0, nowKwh - fromKwh);
  return { meter: { lastKwh: nowKwh, gainedKwh: (meter?.gainedKwh ?? 0) + gainedKwh } };
}

type Counted = Pick<OpenCharge, 'baseKwh' | 'counterKwh' | 'finishedRunsKwh'> & {
  energyPartial: boolean;
};

/**
 * Counts runs: a counter that falls began anew. At the end of a charge it may fall to zero and stay there, which adds
 * nothing (maker.md §1.5, dirty values).
 */
function counted(charge: OpenCharge, values: SignalValues, at: number, flowing: boolean): Counted {
  const { baseKwh, counterKwh, finishedRunsKwh } = charge;
  const { energyPartial } = charge.row;
  const nowKwh = values[charge.counter] ?? null;
  if (nowKwh === null) return { baseKwh, counterKwh, finishedRunsKwh, energyPartial };
  if (counterKwh === null || baseKwh === null) {
    const base = baseKwh ?? lateBase(charge, nowKwh, values, at);
    const missed = base > 0 && !charge.startSeen;
    return {
      baseKwh: base,
      counterKwh: nowKwh,
      finishedRunsKwh,
      energyPartial: energyPartial || missed,
    };
  }
  if (nowKwh >= counterKwh - RESET_KWH)
    return { baseKwh, counterKwh: Math.max(nowKwh, counterKwh), finishedRunsKwh, energyPartial };
  const finishedKwh = finishedRunsKwh + Math.max(0, counterKwh - baseKwh);
  return {
    baseKwh: 0,
    counterKwh: nowKwh,
    finishedRunsKwh: finishedKwh,
    // What stood there was of the charge before: the counter of this one began here (maker.md §3.2 R14).
    energyPartial: energyPartial && !(flowing && finishedKwh === 0),
  };
}

/** Where a counter began that was first heard in mid-session: at zero where it can have counted this session alone. */
function lateBase(charge: OpenCharge, nowKwh: number, values: SignalValues, at: number): number {
  if (nowKwh < FRESH_COUNTER_KWH) return 0;
  if (!charge.startSeen) return nowKwh;
  const highestKw = values.fastChargerPresent === true ? HIGHEST_DC_KW : HIGHEST_AC_KW;
  const flowMs = charge.flowMs + (charge.flowing ? Math.max(0, at - charge.lastAt) : 0);
  return nowKwh <= FRESH_COUNTER_KWH + (highestKw * flowMs) / HOUR_MS ? 0 : nowKwh;
}

/**
 * The session on the counter at the pack as soon as a stream gives it: the two count alike, but not the same, so that
 * changing between them would look like resets.
 */
export function onCounter(charge: OpenCharge, { fresh, observation }: Moment): OpenCharge {
  if (charge.counter === 'dcEnergyInKwh' || observation.source !== 'STREAM') return charge;
  if (fresh.dcEnergyInKwh == null) return charge;
  const soFarKwh = energyCounted(charge) ?? 0;
  const finishedRunsKwh = charge.startSeen ? 0 : soFarKwh;
  return { ...charge, counter: 'dcEnergyInKwh', baseKwh: null, counterKwh: null, finishedRunsKwh };
}

/**
 * Power taken from the charger [kW]. For alternating current phases x current x voltage, with the number of phases that
 * fits the power the vehicle reports, because many report two for three; where none fits, the fields hold the battery's
 * side and the reported power counts (maker.md §1.5, §3.1).
 */
function inletPowerKw(values: SignalValues): number | null {
  const reportedKw = values.chargerPowerKw ?? null;
  const { chargerVoltageV: volts, chargeActualCurrentA: amps } = values;
  if (values.fastChargerPresent === true || volts == null || amps == null || reportedKw === null)
    return reportedKw;
  const perPhaseKw = (volts * amps) / 1000;
  const fitting = [1, 2, 3]
    .map((phases) => phases * perPhaseKw)
    .filter((kw) => Math.abs(kw - reportedKw) <= 1 + reportedKw * 0.1);
  if (fitting.length === 0) return reportedKw;
  return fitting.reduce((best, kw) =>
    Math.abs(kw - reportedKw) < Math.abs(best - reportedKw) ? kw : best,
  );
}

/** How much of the charger's energy came into the pack [%]; null where the two do not fit. */
export function efficiencyOf(usedKwh: number | null, addedKwh: number | null): number | null {
  if (usedKwh === null || addedKwh === null || usedKwh < addedKwh || addedKwh <= 0) return null;
  return rounded((addedKwh / usedKwh) * 100, 1);
}

function figures(charge: OpenCharge, values: SignalValues, flowing: boolean): ChargeRow {
  const { row } = charge;
  const addedKwh = energyCounted(charge);
  // Power is held for minutes at most; a counter also knows of the silences.
  const takenKwh = Math.max(charge.usedKwh, charge.meter?.gainedKwh ?? 0);
  const usedKwh = takenKwh > 0 ? rounded(takenKwh, 3) : null;
  const powerKw = values.chargerPowerKw ?? null;
  const hours = charge.flowMs / HOUR_MS;
  const outsideTempC = meanOf(charge.outsideTemp);
  return {
    ...row,
    kind: flowing ? (values.fastChargerPresent === true ? 'DC' : (row.kind ?? 'AC')) : row.kind,
    startBatteryLevelPct: row.startBatteryLevelPct ?? levelOf(values),
    startRangeRatedKm: row.startRangeRatedKm ?? values.rangeRatedKm ?? null,
    endBatteryLevelPct: levelOf(values) ?? row.endBatteryLevelPct,
    endRangeRatedKm: values.rangeRatedKm ?? row.endRangeRatedKm,
    energyAddedKwh: addedKwh === null ? null : rounded(addedKwh, 3),
    energyUsedKwh: usedKwh,
    efficiencyPct: efficiencyOf(usedKwh, addedKwh),
    powerMaxKw:
      flowing && powerKw !== null ? Math.max(row.powerMaxKw ?? powerKw, powerKw) : row.powerMaxKw,
    powerAvgKw: hours > 0 && addedKwh !== null ? rounded(addedKwh / hours, 2) : row.powerAvgKw,
    outsideTempAvgC: outsideTempC === null ? null : rounded(outsideTempC, 1),
    durationS: Math.round(charge.flowMs / SECOND_MS),
    limitPct: values.chargeLimitPct ?? row.limitPct,
    sampleCount: row.sampleCount + 1,
  };
}
