import { SECOND_MS } from '../base/units.ts';
import { type Link, listItem } from './answer.ts';
import { chargingHistory } from './charging-history.ts';
import { carryOut } from './command.ts';
import { UNAVAILABLE } from './faults.ts';
import { keysAmong } from './keys.ts';
import type { Call, Garage, Operation } from './maker-call.ts';
import { driversOf, noticesOf } from './notices.ts';
import { pageNumber } from './page-number.ts';
import { register, registeredKey } from './partner.ts';
import { between } from './random.ts';
import { failure, ok, type Reply } from './reply.ts';
import { sectionsOf } from './sections.ts';
import type { Car } from './state.ts';
import { endTold, tellSigned, toldOf } from './telemetry-config.ts';
import type { Bearer } from './tokens.ts';

const WAKE_S = { least: 10, most: 30 };
const PAGE_SIZE = 50;
const LARGEST_PAGE = 100;

function linkOf(garage: Garage, car: Car): Link {
  return garage.faults.link(car.spec.vin) ?? (car.state.awake ? 'online' : 'asleep');
}

function itemOf(garage: Garage, car: Car) {
  const inService = garage.faults.has('in_service', car.spec.vin);
  const item = { ...listItem(car, linkOf(garage, car)), in_service: inService };
  return { id: car.spec.id, user_id: 1_000_001, ...item };
}

/** The cars that an account sees: its own, without those that were sold. */
export function carsOf(garage: Garage, bearer: Bearer): Car[] {
  const vins = garage.vinsOf.get(bearer.subject);
  return garage.cars.filter(
    ({ spec }) => (vins?.includes(spec.vin) ?? true) && !garage.faults.has('sold', spec.vin),
  );
}

function listCars({ garage, bearer, url }: Call): Reply {
  const cars = carsOf(garage, bearer);
  const current = pageNumber(url, 'page', 1);
  const perPage = Math.min(LARGEST_PAGE, pageNumber(url, 'per_page', PAGE_SIZE));
  const pages = Math.max(1, Math.ceil(cars.length / perPage));
  const shown = cars.slice((current - 1) * perPage, current * perPage);
  const pagination = {
    previous: current > 1 ? current - 1 : null,
    next: current < pages ? current + 1 : null,
    current,
    per_page: perPage,
    count: cars.length,
    pages,
  };
  const items = shown.map((car) => itemOf(garage, car));
  return ok(items, { pagination, count: shown.length });
}

const NOT_FOUND = failure(404, 'not_found');

function oneCar({ garage, car }: Call): Reply {
  return car === null ? NOT_FOUND : ok(itemOf(garage, car));
}

function vehicleData({ garage, bearer, nowMs, url, car }: Call): Reply {
  if (car === null) return NOT_FOUND;
  if (!car.state.awake) return failure(408, UNAVAILABLE);
  car.state.lastDataCallMs = nowMs;
  const located = bearer.scopes.includes('vehicle_location');
  const data = sectionsOf(car, url.searchParams.get('endpoints'), located);
  return ok({ ...itemOf(garage, car), ...data });
}

function recentAlerts({ garage, nowMs, car }: Call): Reply {
  return car === null ? NOT_FOUND : ok({ recent_alerts: noticesOf(car, garage.notices, nowMs) });
}

function drivers({ car }: Call): Reply {
  if (car === null) return NOT_FOUND;
  const listed = driversOf(car);
  return ok(listed, { count: listed.length });
}

function wakeUp({ garage, nowMs, car }: Call): Reply {
  if (car === null) return NOT_FOUND;
  const { state } = car;
  if (!state.awake && state.wakeAtMs === null && garage.wakeTime !== 'never') {
    const drawnMs = between(garage.random, WAKE_S.least, WAKE_S.most) * SECOND_MS;
    state.wakeAtMs = nowMs + (garage.wakeTime ?? drawnMs);
  }
  return ok(itemOf(garage, car));
}

function command(call: Call): Reply {
  const { car, url, body, nowMs } = call;
  if (car === null) return NOT_FOUND;
  const name = url.pathname.split('/').at(-1) ?? '';
  if (name === 'wake_up') return wakeUp(call);
  if (!car.state.awake) return failure(408, UNAVAILABLE);
  const reply = carryOut(car, name, { body, nowMs });
  if (reply.status === 200) call.garage.onCommand(car, { atMs: nowMs, name, body });
  return reply;
}

function region({ garage }: Call): Reply {
  return ok({ region: garage.region.toLowerCase(), fleet_api_base_url: garage.baseUrl() });
}

function person({ bearer }: Call): Reply {
  const full_name = 'Simulated Person';
  const email = `${bearer.subject}@garage.invalid`;
  return ok({ email, full_name, profile_image_url: '', vault_uuid: bearer.subject });
}

/** Keys of the account's own cars among those asked for; other VINs are left out. */
function fleetStatus({ garage, bearer, body }: Call): Reply {
  return keysAmong(carsOf(garage, bearer), body, garage.keyedVins);
}

/** Tells the account's own cars what to stream. */
function tellStreams({ garage, bearer, body }: Call): Reply {
  const keys = { keyed: garage.keyedVins, registered: garage.partners.keys.values() };
  return tellSigned(garage.telemetry, { own: carsOf(garage, bearer), body }, keys);
}

const DATA = ['vehicle_device_data'];
const STREAMS = /^\/api\/1\/vehicles\/(\w+)\/fleet_telemetry_config$/;

/** The paths the stand-in speaks (maker.md §1.4); the first group of a path is a VIN or an id. */
export const operations: readonly Operation[] = [
  {
    kind: 'fleet',
    method: 'POST',
    path: /^\/api\/1\/vehicles\/fleet_status$/,
    scopes: DATA,
    answer: fleetStatus,
  },
  {
    kind: 'partner',
    method: 'POST',
    path: /^\/api\/1\/partner_accounts$/,
    scopes: [],
    partner: true,
    answer: ({ garage, body }) => register(garage.partners, body),
  },
  {
    kind: 'partner',
    method: 'GET',
    path: /^\/api\/1\/partner_accounts\/public_key$/,
    scopes: [],
    partner: true,
    answer: ({ garage, url }) => registeredKey(garage.partners, url),
  },
  {
    kind: 'partner',
    method: 'GET',
    path: /^\/api\/1\/partner_accounts\/fleet_telemetry_errors$/,
    scopes: [],
    partner: true,
    answer: ({ garage }) => ok({ fleet_telemetry_errors: garage.telemetry.errors }),
  },
  {
    kind: 'fleet',
    method: 'POST',
    path: /^\/api\/1\/vehicles\/fleet_telemetry_config_jws$/,
    scopes: DATA,
    answer: tellStreams,
  },
  {
    kind: 'fleet',
    method: 'GET',
    path: STREAMS,
    scopes: DATA,
    answer: ({ garage, car }) =>
      car === null ? NOT_FOUND : toldOf(garage.telemetry, car, garage.keyedVins),
  },
  {
    kind: 'fleet',
    method: 'DELETE',
    path: STREAMS,
    scopes: DATA,
    answer: ({ garage, car }) => (car === null ? NOT_FOUND : endTold(garage.telemetry, car)),
  },
  { kind: 'list', method: 'GET', path: /^\/api\/1\/vehicles$/, scopes: DATA, answer: listCars },
  {
    kind: 'item',
    method: 'GET',
    path: /^\/api\/1\/vehicles\/(\w+)$/,
    scopes: DATA,
    answer: oneCar,
  },
  {
    kind: 'data',
    method: 'GET',
    path: /^\/api\/1\/vehicles\/(\w+)\/vehicle_data$/,
    scopes: DATA,
    answer: vehicleData,
  },
  {
    kind: 'particulars',
    method: 'GET',
    path: /^\/api\/1\/vehicles\/(\w+)\/recent_alerts$/,
    scopes: DATA,
    answer: recentAlerts,
  },
  {
    kind: 'particulars',
    method: 'GET',
    path: /^\/api\/1\/vehicles\/(\w+)\/drivers$/,
    scopes: DATA,
    answer: drivers,
  },
  {
    kind: 'wake',
    method: 'POST',
    path: /^\/api\/1\/vehicles\/(\w+)\/wake_up$/,
    scopes: ['vehicle_cmds', 'vehicle_charging_cmds'],
    answer: wakeUp,
  },
  {
    kind: 'command',
    method: 'POST',
    path: /^\/api\/1\/vehicles\/(\w+)\/command\/\w+$/,
    scopes: ['vehicle_cmds', 'vehicle_charging_cmds'],
    answer: command,
  },
  {
    kind: 'charging',
    method: 'GET',
    path: /^\/api\/1\/dx\/charging\/history$/,
    scopes: ['vehicle_charging_cmds'],
    answer: ({ garage, bearer, url, nowMs }) =>
      chargingHistory(carsOf(garage, bearer), { url, nowMs, freeVins: garage.freeVins }),
  },
  { kind: 'user', method: 'GET', path: /^\/api\/1\/users\/region$/, scopes: [], answer: region },
  {
    kind: 'user',
    method: 'GET',
    path: /^\/api\/1\/users\/me$/,
    scopes: ['user_data'],
    answer: person,
  },
];
