import type { AlertTold, DriverTold, ScheduleTold } from '../contract/particulars.ts';
import { isObject } from './json.ts';
import { finiteNumber, flag, numberWithin, text, wholeWithin } from './readers.ts';
import { observedTime } from './times.ts';

type Fields = Readonly<Record<string, unknown>>;

/** More of one kind is no list of a vehicle. */
const most = 200;

function objectsIn(value: unknown): Fields[] | null {
  return Array.isArray(value) ? value.slice(0, most).filter(isObject) : null;
}

function distinct<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

/** The alerts of `recent_alerts`, whatever their names; null where the answer holds no list. */
export function alertsIn(value: unknown, receivedAt: number): AlertTold[] | null {
  const items = isObject(value) ? objectsIn(value.recent_alerts) : null;
  if (items === null) return null;
  const alerts = items.flatMap((item) => {
    const name = text(item.name, receivedAt) ?? null;
    if (name === null) return [];
    const given = Array.isArray(item.audience) ? item.audience.slice(0, most) : [];
    const audiences = given.flatMap((one) => text(one, receivedAt) ?? []);
    const raisedAt = observedTime(item.time, receivedAt) ?? null;
    return [{ name, raisedAt, audiences, text: text(item.user_text, receivedAt) ?? null }];
  });
  return distinct(alerts, ({ name, raisedAt }) => `${raisedAt} ${name}`);
}

/** The drivers of `drivers`; null where the answer is no list. */
export function driversIn(value: unknown): DriverTold[] | null {
  const items = objectsIn(value);
  if (items === null) return null;
  const drivers = items.flatMap((item) => {
    const id = text(item.user_id_s, 0) ?? finiteNumber(item.user_id);
    if (id === undefined) return [];
    const firstName = text(item.driver_first_name, 0) ?? null;
    return [
      { makerUserId: String(id), firstName, lastName: text(item.driver_last_name, 0) ?? null },
    ];
  });
  return distinct(drivers, ({ makerUserId }) => makerUserId);
}

const minute = wholeWithin(0, 1_439);
const latitude = numberWithin(-90, 90);
const longitude = numberWithin(-180, 180);

/** The plans in the schedule sections of `vehicle_data`; null where it has neither. */
export function schedulesIn(value: unknown): ScheduleTold[] | null {
  if (!isObject(value)) return null;
  const { charge_schedule_data: charge, preconditioning_schedule_data: precondition } = value;
  const charges = isObject(charge) ? objectsIn(charge.charge_schedules) : null;
  const preconditions = isObject(precondition)
    ? objectsIn(precondition.precondition_schedules)
    : null;
  if (charges === null && preconditions === null) return null;
  return [
    ...(charges ?? []).flatMap((item) =>
      scheduleOf('CHARGE', item, {
        startMinute: flag(item.start_enabled, 0) === false ? null : item.start_time,
        endMinute: flag(item.end_enabled, 0) === false ? null : item.end_time,
      }),
    ),
    ...(preconditions ?? []).flatMap((item) =>
      scheduleOf('PRECONDITION', item, { startMinute: item.precondition_time, endMinute: null }),
    ),
  ];
}

function scheduleOf(
  kind: ScheduleTold['kind'],
  item: Fields,
  { startMinute, endMinute }: { startMinute: unknown; endMinute: unknown },
): ScheduleTold[] {
  const number = finiteNumber(item.id);
  if (number === undefined || !Number.isSafeInteger(number)) return [];
  return [
    {
      kind,
      number,
      name: text(item.name, 0) ?? null,
      days: wholeWithin(0, 127)(item.days_of_week, 0) ?? 0,
      enabled: flag(item.enabled, 0) ?? false,
      oneTime: flag(item.one_time, 0) ?? false,
      startMinute: minute(startMinute, 0) ?? null,
      endMinute: minute(endMinute, 0) ?? null,
      latitude: latitude(item.latitude, 0) ?? null,
      longitude: longitude(item.longitude, 0) ?? null,
    },
  ];
}
