import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeIdOf } from '../../src/base/ids.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { scopes } from '../../src/contract/scopes.ts';
import { schema } from '../../src/schema/index.ts';
import type { LocationPrecision, Place, Tariff } from '../../src/store/generated/prisma/client.ts';
import { isOfLinks as asksMaker, ordinary, targetOf, titleOf } from '../rest/requests.ts';
import { type RestService, startRest } from '../rest/rest-service.ts';
import { aPlace, aPrincipal, aSample, aTariff, now, storeSamples } from '../support/rows.ts';
import { answer } from './ask.ts';
import { isOfLinks, rootFields } from './documents.ts';
import { aWorld, type World } from './world.ts';

/**
 * Columns that say where a vehicle was, or that follow from a place it was at. Whoever adds one puts it here and into
 * `stand`, and then finds out who is told of it.
 */
const located = [
  'VehicleSchedule.latitude VehicleSchedule.longitude',
  'Drive.startLatitude Drive.startLongitude Drive.endLatitude Drive.endLongitude',
  'Drive.startPlaceId Drive.endPlaceId Drive.placeDefaults Charge.tariffId',
  'Charge.placeId Charge.latitude Charge.longitude Charge.network',
  'Charge.costMethod Charge.costAmount Charge.costCurrency Charge.costBreakdown',
  'Trip.startLatitude Trip.startLongitude Trip.endLatitude Trip.endLongitude',
  'Trip.startPlaceId Trip.endPlaceId ParkedSpan.placeId ParkedSpan.latitude ParkedSpan.longitude',
  'Address.latCell Address.lonCell Address.latitude Address.longitude Address.road',
  'Address.houseNumber Address.postcode Address.city Address.county',
].flatMap((line) => line.split(' '));

/** Columns that look like such ones and are of no vehicle. */
const elsewhere = ['Place.latitude', 'Place.longitude', 'Place.tariffId', 'Tariff.placeId'];

/** Filters that look at what is located, with values that would find a vehicle out; the others do not look at it. */
const locatedFilters: Record<string, (home: string) => string[]> = {
  'DriveFilter.startPlace': (home) => [`startPlace: "${home}"`],
  'DriveFilter.endPlace': (home) => [`endPlace: "${home}"`],
  'DriveFilter.near': () => [`near: ${near}`],
  'DriveFilter.nearWhich': () => [`near: ${near}, nearWhich: END`],
  'DriveFilter.tag': () => ['tag: "at-home"'],
  'DriveFilter.notTag': () => ['notTag: "at-home"'],
  'DriveFilter.purpose': () => ['purpose: COMMUTE'],
  'ChargeFilter.network': () => ['network: [HOME]', 'network: [UNKNOWN]'],
  'ChargeFilter.place': (home) => [`place: "${home}"`],
  'ChargeFilter.near': () => [`near: ${near}`],
  'ChargeFilter.hasCost': () => ['hasCost: true', 'hasCost: false'],
  'ParkedSpanFilter.place': (home) => [`place: "${home}"`],
};

const plainFilters = [
  'AlertFilter: from open to',
  'ChargeFilter: deleted from kind minEnergyKwh notTag state tag to trip',
  'CommandFilter: from name state to',
  'DriveFilter: deleted driver from maxDistanceKm maxDurationS minDistanceKm minDurationS',
  'DriveFilter: selfDriving state to trip',
  'ParkedSpanFilter: from to',
  'SoftwareInstallationFilter: state',
  'SoftwareUpdateFilter: earlyAccess model region since',
  'StateSpanFilter: from status to',
  'TripFilter: auto deleted from maxDistanceKm minDistanceKm notTag state tag to',
  'VehicleFilter: archived simulated status',
  'WebhookDeliveryFilter: state type',
].flatMap((line) => {
  const [type = '', names = ''] = line.split(': ');
  return names.split(' ').map((name) => `${type}.${name}`);
});

/** Which lists of a vehicle take which filter. */
const filteredLists = {
  DriveFilter: 'drives',
  ChargeFilter: 'charges',
  ParkedSpanFilter: 'parkedSpans',
} as const satisfies Record<string, string>;

const near = '{ latitude: 52.52, longitude: 13.4, radiusM: 3000 }';

type Paid = {
  costMethod: 'TARIFF' | 'INVOICE' | 'FREE' | 'NONE';
  costAmount: string | null;
  costCurrency: string | null;
};

type Spot = {
  latitude: number;
  longitude: number;
  atHome: boolean;
  street: string;
  city: string;
  /** What charges cost there: home has a tariff, and the maker bills prices of the site in the currency of the country. */
  paid: Paid;
};
const atHome: Spot = {
  ...{ latitude: 52.520008, longitude: 13.404, atHome: true },
  ...{ street: 'Homestreet', city: 'Berlin' },
  paid: { costMethod: 'TARIFF', costAmount: '12.34', costCurrency: 'EUR' },
};
/** The same as far as positions are told approximately. */
const nextStreet: Spot = {
  ...{ latitude: 52.5212, longitude: 13.4031, atHome: false },
  ...{ street: 'Otherstreet', city: 'Berlin' },
  paid: { costMethod: 'FREE', costAmount: '0', costCurrency: 'EUR' },
};
const farAway: Spot = {
  ...{ latitude: 48.137, longitude: 11.575, atHome: false },
  ...{ street: 'Farstreet', city: 'Munich' },
  paid: { costMethod: 'INVOICE', costAmount: '23.45', costCurrency: 'CZK' },
};

let rest: RestService;
let world: World;
let home: Place;
let tariff: Tariff;
beforeAll(async () => {
  rest = await startRest();
  world = await aWorld(rest.db.prisma, 1, 2);
  home = await aPlace(rest.db.prisma, world.account, { name: 'Canary', autoTags: ['at-home'] });
  tariff = await aTariff(rest.db.prisma, world.account, { placeId: home.id });
});
afterAll(() => rest?.[Symbol.asyncDispose]());

/** Has everything that was recorded of the vehicle happen at a spot, and nothing else become different. */
async function stand(spot: Spot): Promise<void> {
  const { latitude, longitude, atHome: isHome, street, city } = spot;
  const { prisma } = rest.db;
  const of = { vehicleId: world.vehicle.id };
  const placeId = isHome ? home.id : null;
  const updatedAt = new Date(now);
  const ends = {
    ...{ startLatitude: latitude, startLongitude: longitude, startPlaceId: placeId },
    ...{ endLatitude: latitude, endLongitude: longitude, endPlaceId: placeId, updatedAt },
  };
  const words = isHome
    ? { tags: ['at-home'], purpose: 'COMMUTE' as const, placeDefaults: true }
    : { tags: [], purpose: null, placeDefaults: false };
  const paid = {
    ...spot.paid,
    costBreakdown: billedAt(spot),
    network: isHome ? ('HOME' as const) : ('UNKNOWN' as const),
    tariffId: isHome ? tariff.id : null,
  };
  await prisma.drive.updateMany({ where: of, data: { ...ends, ...words } });
  await prisma.trip.updateMany({ where: of, data: ends });
  const charge = { latitude, longitude, placeId, updatedAt, ...paid };
  await prisma.charge.updateMany({ where: of, data: charge });
  await prisma.parkedSpan.updateMany({ where: of, data: { latitude, longitude, placeId } });
  const parameters = { latitude, longitude, address: street };
  await prisma.command.updateMany({ where: of, data: { name: 'navigate', parameters } });
  await prisma.vehicleSchedule.deleteMany({ where: of });
  const plan = { kind: 'CHARGE' as const, number: 1n, days: 1, enabled: true, oneTime: false };
  const observedAt = new Date(now);
  await prisma.vehicleSchedule.create({
    data: { ...of, ...plan, latitude, longitude, observedAt },
  });
  await prisma.address.deleteMany({ where: of });
  const cell = (degrees: number) => Math.floor(degrees * 10_000);
  await prisma.address.create({
    data: {
      ...{ ...of, latCell: cell(latitude), lonCell: cell(longitude), latitude, longitude },
      ...{ state: 'FOUND', dueAt: observedAt, road: street, houseNumber: '7', postcode: '12345' },
      ...{ city, county: city, display: `${street} 7` },
    },
  });
  await standNow(spot);
}

/** A line of a cost there. */
function billedAt({ paid }: Spot) {
  const rate = String(Number(paid.costAmount) / 10);
  return [{ kind: 'ENERGY', from: now - 60_000, to: now, kwh: 10, rate, amountMinor: 1 }];
}

/** The live state and the track of the same. */
async function standNow(spot: Spot): Promise<void> {
  const { prisma } = rest.db;
  const { latitude, longitude, street } = spot;
  const vehicleId = world.vehicle.id;
  const section = (values: Record<string, string | number | boolean>) => ({
    ...{ observedAt: now, receivedAt: now, source: 'POLL', values },
  });
  const elevationM = Math.round(latitude);
  const sections = {
    drive: section({
      ...{ latitude, longitude, headingDeg: elevationM, elevationM, locatedAt: now },
      ...{ routeDestination: street, routeLatitude: latitude, routeLongitude: longitude },
    }),
    closures: section({ homelinkNearby: spot.atHome, locked: true }),
  };
  await prisma.vehicleState.update({ where: { vehicleId }, data: { sections } });
  await prisma.trackBatch.deleteMany({ where: { vehicleId } });
  const drives = await prisma.drive.findMany({
    where: { vehicleId },
    orderBy: { startedAt: 'asc' },
  });
  const samples = drives.flatMap(({ startedAt }) =>
    [0, 1, 2, 3].map((n) =>
      aSample(startedAt.getTime() + n * 10_000, {
        // The bend lies elsewhere, and what is left of a simplified line would tell it.
        latitude: latitude + (n === (spot.atHome ? 1 : 2) ? 0.0009 : 0),
        ...{ longitude, headingDeg: elevationM, elevationM, speedKmh: 30 },
      }),
    ),
  );
  await storeSamples(prisma, world.vehicle, samples);
}

const isConnection = (name: string) => name.endsWith('Connection');

/** All below a type, without going back to a type that it hangs on. */
function everything(type: GraphQLNamedType, above: readonly string[] = []): string {
  if (!isObjectType(type)) return '';
  const skipped = ['edges', 'vehiclesAtMaker', 'keyPairing', 'telemetry', 'telemetryErrors'];
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (skipped.includes(field.name) || above.includes(inner.name)) return [];
    if (isLeafType(inner)) return [field.name];
    // What a list holds is asked for in a list of the vehicle's own.
    if (isConnection(inner.name) && above.some(isConnection)) return [];
    const below = everything(inner, [...above, type.name]);
    return below === '' ? [] : [`${field.name}${argumentsOf(field)} ${below}`];
  });
  return fields.length === 0 ? '' : `{ ${fields.join(' ')} }`;
}

function argumentsOf({ name, args }: GraphQLField<unknown, unknown>): string {
  const [from, to] = [now - 30 * 86_400_000, now].map((at) => new Date(at).toISOString());
  if (name === 'positions') return `(from: "${from}", to: "${to}", simplify: 10)`;
  if (name === 'path') return '(simplify: 10)';
  return args.some((arg) => arg.name === 'first') ? '(first: 5)' : '';
}

/** Documents that ask for everything of the vehicle, a part each, by name. */
function documents(): [string, string][] {
  const vehicle = schema.getType('Vehicle');
  if (!isObjectType(vehicle)) throw new Error('There is no type Vehicle.');
  const ofVehicle = Object.values(vehicle.getFields()).flatMap((field): [string, string][] => {
    const inner = getNamedType(field.type);
    const below = isLeafType(inner) ? '' : everything(inner, ['Vehicle', 'Account']);
    if (!isLeafType(inner) && below === '') return [];
    const asked = `${field.name}${argumentsOf(field)} ${below}`;
    return [
      [`Vehicle.${field.name}`, `{ vehicle(publicId: "${world.vehicle.publicId}") { ${asked} } }`],
    ];
  });
  const roots = rootFields.flatMap(({ kind, field }): [string, string][] => {
    const inner = getNamedType(field.type);
    const skipped = ['node', 'vehicle', 'vehicles', 'account'].includes(field.name);
    if (kind !== 'query' || skipped || isOfLinks(field) || !isObjectType(inner)) return [];
    const { id, publicId, version } = world.args[field.name] ?? {};
    const given = Object.entries({ id, publicId, version }).filter(
      ([, value]) => value !== undefined,
    );
    const args = given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
    const call = args === '' ? field.name : `${field.name}(${args})`;
    return [[`Query.${field.name}`, `{ ${call} ${everything(inner, ['Vehicle', 'Account'])} }`]];
  });
  return [...ofVehicle, ...roots];
}

/** Documents that ask how many rows the filters find. */
function filterDocuments(): [string, string][] {
  const id = typeIdOf('Place', home.id);
  return Object.entries(locatedFilters).flatMap(([name, valuesOf]) =>
    valuesOf(id).map((filter): [string, string] => {
      const [type = ''] = name.split('.');
      const listed = Object.entries(filteredLists).find(([one]) => one === type)?.[1];
      const asked = `${listed}(filter: { ${filter} }) { totalCount nodes { id } }`;
      return [
        `${name} ${filter}`,
        `{ vehicle(publicId: "${world.vehicle.publicId}") { ${asked} } }`,
      ];
    }),
  );
}

/** How a caller comes not to see exactly: by their own credential, or by the vehicle's setting. */
type Way = 'credential' | 'vehicle';

/** Everything that a caller is told, as text by what was asked. */
async function toldTo(precision: LocationPrecision, way: Way): Promise<Map<string, string>> {
  const { prisma } = rest.db;
  const own = way === 'credential' ? precision : 'EXACT';
  await prisma.vehicle.update({
    where: { id: world.vehicle.id },
    data: { locationPrecision: way === 'vehicle' ? precision : 'EXACT', updatedAt: new Date(now) },
  });
  const found = new Map<string, string>();
  for (const [name, document] of [...documents(), ...filterDocuments()]) {
    const principal = aPrincipal(world.account, { locationPrecision: own });
    found.set(name, JSON.stringify(await answer(prisma, principal, document)));
  }
  const token =
    tokens.get(own) ?? (await rest.token(world.account.id, scopes, { locationPrecision: own }));
  tokens.set(own, token);
  for (const endpoint of ordinary.filter(({ route }) => route.method === 'GET')) {
    if (asksMaker(endpoint) || endpoint.route.path.startsWith('/api/account/tokens')) continue;
    const answered = await rest.get(targetOf(endpoint, world), token);
    found.set(titleOf(endpoint), await answered.text());
  }
  return found;
}

const tokens = new Map<LocationPrecision, string>();

/** What is told otherwise from one spot than from another. */
async function differences(
  [one, other]: [Spot, Spot],
  precision: LocationPrecision,
  way: Way,
): Promise<string[]> {
  await stand(one);
  const before = await toldTo(precision, way);
  await stand(other);
  const after = await toldTo(precision, way);
  return [...before].flatMap(([name, text]) => (after.get(name) === text ? [] : [name]));
}

describe('where a vehicle is', () => {
  it('is not told by any field, filter or route to who may not see it', async () => {
    expect(await differences([atHome, farAway], 'HIDDEN', 'credential')).toEqual([]);
    expect(await differences([atHome, farAway], 'HIDDEN', 'vehicle')).toEqual([]);
  });

  it('is told to nobody more finely than approximately who may see it so, nor is a place that it is in', async () => {
    expect(await differences([atHome, nextStreet], 'APPROXIMATE', 'credential')).toEqual([]);
    expect(await differences([atHome, nextStreet], 'APPROXIMATE', 'vehicle')).toEqual([]);
  });

  it('is told to who may see it, by every filter and by much else', async () => {
    const unpaid: Paid = { costMethod: 'NONE', costAmount: null, costCurrency: null };
    const other = { ...farAway, paid: unpaid };
    const told = await differences([atHome, other], 'EXACT', 'credential');
    const filters = filterDocuments().map(([name]) => name);
    expect(told).toEqual(expect.arrayContaining(filters));
    const fields = ['location', 'locations', 'state', 'drives', 'charges', 'trips', 'parkedSpans'];
    const more = [...fields, 'positions', 'trackPart', 'schedules', 'commands'];
    expect(told).toEqual(expect.arrayContaining(more.map((name) => `Vehicle.${name}`)));
  });
});

describe('what tells where a vehicle is', () => {
  it('is every column that looks so', () => {
    const text = readFileSync(join(packageRoot, 'prisma', 'schema.prisma'), 'utf8');
    const looks =
      /latitude|longitude|heading|elevation|place|network|tariff|[a-z]Cell|road|houseN|postcode|city$|county/i;
    const columns = [...text.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)].flatMap(
      ([, model, body = '']) =>
        [...body.matchAll(/^ {2}(\w+) +(?:Float|Int|String|Boolean|ChargeNetwork)\b/gm)].map(
          ([, column]) => `${model}.${column}`,
        ),
    );
    const found = columns.filter((name) => looks.test(name.replace(/^.*\./, '')));
    const known = [...located, ...elsewhere, 'Drive.replacedById'];
    expect(found.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('is decided for every filter', () => {
    const filters = Object.values(schema.getTypeMap()).flatMap((type) =>
      isInputObjectType(type) && type.name.endsWith('Filter')
        ? Object.keys(type.getFields()).map((name) => `${type.name}.${name}`)
        : [],
    );
    expect(filters.sort()).toEqual([...plainFilters, ...Object.keys(locatedFilters)].sort());
  });
});
