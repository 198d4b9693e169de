import { DAY_MS, MINUTE_MS } from '../../base/units.ts';
import { flows, startCharging, stopCharging } from '../charging.ts';
import { type BodyReader, WrongParam } from '../command-params.ts';
import { localOffsetMs } from '../local-time.ts';
import type { Plan } from '../remote.ts';
import { type Car, levelPct } from '../state.ts';
import { type CommandEffect, noting } from './effect.ts';

const minute = { min: 0, max: 1439 };
const STANDARD_LIMIT_PCT = 80;
const HOUR_MINUTES = 60;

function limitTo(car: Car, percent: number): string | undefined {
  const { charge } = car.state;
  if (charge.limitPct === percent) return 'already_set';
  charge.limitPct = percent;
  if (flows(charge) && levelPct(car) >= percent) stopCharging(car, 'Complete');
  return undefined;
}

/** The next time at which the car's own clock shows a minute of the day. */
function nextAt(nowMs: number, minuteOfDay: number): number {
  const offsetMs = localOffsetMs(nowMs);
  const midnightMs = Math.floor((nowMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
  const atMs = midnightMs + minuteOfDay * MINUTE_MS;
  return atMs > nowMs ? atMs : atMs + DAY_MS;
}

const dayWord =
  /^(all|weekdays|sun(day)?|mon(day)?|tue(s|sday)?|wed(nesday)?|thu(rs|rsday)?|fri(day)?|sat(urday)?)$/i;

function planOf(body: BodyReader, nowMs: number): Plan {
  const days = body.text('days_of_week');
  if (!days.split(',').every((day) => dayWord.test(day.trim()))) {
    throw new WrongParam('invalid days_of_week param');
  }
  body.flag('enabled');
  body.number('lat', { min: -90, max: 90 });
  body.number('lon', { min: -180, max: 180 });
  return { ...body.all, id: body.numberIf('id') ?? Math.floor(nowMs / 1000) };
}

function kept(plans: readonly Plan[], plan: Plan): Plan[] {
  return [...plans.filter(({ id }) => id !== plan.id), plan];
}

/** Plans at the places that are named; the simulated ones all lie at home. */
function afterBatch(plans: Plan[], body: BodyReader): Plan[] {
  body.flagIf('work');
  body.flagIf('other');
  return body.flagIf('home') === true ? [] : plans;
}

/** Charging and plans. */
export const chargingEffects = {
  charge_start: (car) => {
    const { charge } = car.state;
    if (charge.cable === null) return 'disconnected';
    if (flows(charge)) return 'is_charging';
    if (levelPct(car) >= charge.limitPct - 0.05) return 'complete';
    startCharging(car, charge.limitPct);
    return undefined;
  },
  charge_stop: (car) => {
    if (!flows(car.state.charge)) return 'not_charging';
    stopCharging(car, 'Stopped');
    return undefined;
  },
  charge_standard: (car) => limitTo(car, STANDARD_LIMIT_PCT),
  charge_max_range: (car) => limitTo(car, 100),
  set_charge_limit: (car, body) => limitTo(car, body.number('percent', { min: 50, max: 100 })),
  set_charging_amps: noting(({ state }, body) => {
    state.remote.chargeAmps = body.number('charging_amps', { min: 0, max: 16 });
  }),
  charge_port_door_open: noting(({ state }) => {
    state.remote.portOpen = true;
    state.remote.cableLoose = state.charge.cable !== null;
  }),
  charge_port_door_close: ({ state }) => {
    if (state.charge.cable !== null) return 'CLOSURES_OPEN';
    state.remote.portOpen = false;
    state.remote.cableLoose = false;
    return undefined;
  },
  set_scheduled_charging: noting(({ state }, body, nowMs) => {
    const enable = body.flag('enable');
    const startMinute = body.numberIf('time', minute) ?? 0;
    state.remote.schedule = { mode: enable ? 'StartAt' : 'Off', startMinute, departMinute: 0 };
    const waits = enable && state.charge.cable !== null && !flows(state.charge);
    state.charge.scheduledAtMs = waits ? nextAt(nowMs, startMinute) : null;
  }),
  set_scheduled_departure: noting(({ state }, body) => {
    const enable = body.flag('enable');
    const { remote } = state;
    const departMinute = body.numberIf('departure_time', minute) ?? 8 * HOUR_MINUTES;
    remote.schedule = { mode: enable ? 'DepartBy' : 'Off', startMinute: 0, departMinute };
    remote.preconditioning = {
      enabled: body.flagIf('preconditioning_enabled') === true,
      weekdaysOnly: body.flagIf('preconditioning_weekdays_only') === true,
    };
    remote.offPeak = {
      enabled: body.flagIf('off_peak_charging_enabled') === true,
      weekdaysOnly: body.flagIf('off_peak_charging_weekdays_only') === true,
      endMinute: body.numberIf('end_off_peak_time', minute) ?? 0,
    };
  }),
  add_charge_schedule: noting(({ state }, body, nowMs) => {
    if (body.flag('start_enabled')) body.number('start_time', minute);
    if (body.flag('end_enabled')) body.number('end_time', minute);
    state.remote.chargePlans = kept(state.remote.chargePlans, planOf(body, nowMs));
  }),
  add_precondition_schedule: noting(({ state }, body, nowMs) => {
    body.number('precondition_time', minute);
    state.remote.preconditionPlans = kept(state.remote.preconditionPlans, planOf(body, nowMs));
  }),
  remove_charge_schedule: noting(({ state }, body) => {
    const removed = body.number('id');
    state.remote.chargePlans = state.remote.chargePlans.filter(({ id }) => id !== removed);
  }),
  remove_precondition_schedule: noting(({ state: { remote } }, body) => {
    const removed = body.number('id');
    remote.preconditionPlans = remote.preconditionPlans.filter(({ id }) => id !== removed);
  }),
  batch_remove_charge_schedules: noting(({ state }, body) => {
    state.remote.chargePlans = afterBatch(state.remote.chargePlans, body);
  }),
  batch_remove_precondition_schedules: noting(({ state }, body) => {
    state.remote.preconditionPlans = afterBatch(state.remote.preconditionPlans, body);
  }),
  set_managed_charge_current_request: noting(({ state }, body) => {
    state.remote.managed.amps = body.number('charging_amps');
  }),
  set_managed_charger_location: noting(({ state }, body) => {
    state.remote.managed.lat = body.number('lat');
    state.remote.managed.lon = body.number('lon');
  }),
  set_managed_scheduled_charging_time: noting(({ state }, body) => {
    state.remote.managed.startMinute = body.number('time', minute);
  }),
} as const satisfies Record<string, CommandEffect>;
