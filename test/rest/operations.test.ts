import { isEnumType, isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { nearMiss } from '../../src/base/near-miss.ts';
import { snakeCase } from '../../src/base/spelling.ts';
import { effectiveGrants, type Scope } from '../../src/contract/scopes.ts';
import { schema } from '../../src/schema/index.ts';
import { satisfies } from '../../src/schema/requires-scopes.ts';
import { endpointOf } from '../../src/transports/rest/endpoint.ts';
import { loadOperations } from '../../src/transports/rest/operations.ts';
import { routes } from '../../src/transports/rest/routes.ts';
import type { Field } from '../../src/transports/rest/shape.ts';
import { camelCase } from '../../src/transports/rest/words.ts';
import { every as all } from './requests.ts';

describe('the registered operations', () => {
  it('are all run by a route', () => {
    const used = new Set<string>(routes.map(({ operation }) => operation));
    expect([...loadOperations().keys()].filter((name) => !used.has(name))).toEqual([]);
  });

  it.each([
    ['asks for a field that the schema has not', 'query A { account { shoeSize } }'],
    ['gives an argument that the schema has not', 'query A { vehicles(size: 3) { totalCount } }'],
    ['spreads a fragment that is not there', 'query A { account { ...Nothing } }'],
    [
      'is deeper than allowed',
      `query A { vehicle(publicId: "a") ${'{ trips { nodes { vehicle '.repeat(4)} { id } ${'} } }'.repeat(4)} }`,
    ],
  ])('stop the start when one %s', (_, source) => {
    expect(() => loadOperations(parse(source))).toThrow(/operation A is invalid/);
  });

  it('stop the start when a route names one that is not there', () => {
    const [route] = routes;
    expect(() => route && endpointOf(route, new Map())).toThrow(/no operation Vehicles/);
  });

  it('ask for every value of a vehicle’s state', () => {
    const asked = (fields: readonly Field[]): string[] =>
      fields.flatMap(({ parent, node, fields: inside }) => [
        `${parent.name}.${node.name.value}`,
        ...asked(inside ?? []),
      ]);
    const found = new Set(all.flatMap(({ fields }) => asked(fields)));
    const types = Object.values(schema.getTypeMap()).filter((type) =>
      /^VehicleState|^Tyre$|^Seat$/.test(type.name),
    );
    const values = types.flatMap((type) =>
      isObjectType(type)
        ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`)
        : [],
    );
    expect(values.length).toBeGreaterThan(120);
    expect(values.filter((value) => !found.has(value))).toEqual([]);
  });
});

describe('what a route needs', () => {
  it('is read back from the schema: each scope opens its routes and no other', () => {
    const opened = (scope: Scope) =>
      all
        .filter(
          ({ scopes }) => scopes !== null && satisfies(effectiveGrants([scope], 'api'), scopes),
        )
        .map(({ route }) => `${route.method} ${route.path}`);
    expect(opened('account')).toEqual([
      'POST /api/account/places',
      'POST /api/account/places/import',
      'PATCH /api/account/places/:id',
      'DELETE /api/account/places/:id',
      'POST /api/account/tariffs',
      'POST /api/account/tariffs/recompute',
      'PATCH /api/account/tariffs/:id',
      'DELETE /api/account/tariffs/:id',
      'GET /api/account',
      'POST /api/account',
      'PATCH /api/account',
      'GET /api/account/webhooks',
      'POST /api/account/webhooks',
      'GET /api/account/webhooks/:id',
      'PATCH /api/account/webhooks/:id',
      'POST /api/account/webhooks/:id/rotate-secret',
      'POST /api/account/webhooks/:id/resume',
      'POST /api/account/webhooks/:id/test',
      'GET /api/account/webhooks/:id/deliveries',
      'POST /api/account/webhooks/:id/deliveries/:delivery_id/redeliver',
      'DELETE /api/account/webhooks/:id',
    ]);
    expect(opened('maker-accounts')).toEqual([
      'GET /api/account/maker-accounts',
      'GET /api/account/maker-accounts/:id',
      'GET /api/account/maker-application',
      'POST /api/account/maker-application/register',
      'POST /api/account/maker-accounts',
      'POST /api/account/maker-accounts/complete',
      'POST /api/account/maker-accounts/:id/refresh',
      'POST /api/account/maker-accounts/:id/reauthorize',
      'GET /api/account/maker-accounts/:id/vehicles',
      'POST /api/account/maker-accounts/:id/vehicles/:maker_vehicle_id',
      'DELETE /api/account/maker-accounts/:id/vehicles/:maker_vehicle_id',
      'GET /api/account/maker-accounts/:id/budget',
      'PATCH /api/account/maker-accounts/:id/budget',
      'GET /api/account/maker-accounts/:id/key-pairing',
      'GET /api/account/maker-accounts/:id/telemetry',
      'POST /api/account/maker-accounts/:id/telemetry',
      'DELETE /api/account/maker-accounts/:id/telemetry',
      'GET /api/account/maker-accounts/:id/telemetry/errors',
      'GET /api/account/maker-vehicles',
      'POST /api/account/maker-refresh',
      'DELETE /api/account/maker-accounts/:id',
    ]);
    expect(opened('controls')).toEqual([
      'GET /api/vehicle/:public_id/commands',
      'GET /api/vehicle/:public_id/commands/:id',
      'GET /api/vehicle/:public_id/commands/catalogue',
      'POST /api/vehicle/:public_id/command/:name',
      'POST /api/vehicle/:public_id/wake',
      'POST /api/vehicle/:public_id/wakeup',
      'POST /api/vehicle/:public_id/fleet/command/:maker_name',
      'DELETE /api/vehicle/:public_id/commands/:id',
    ]);
    expect(opened('mcp:use')).toEqual([]);
    expect(all.filter(({ scopes }) => scopes === null).map(({ route }) => route.path)).toEqual([
      '/api/commands/catalogue',
      '/api/account/maker-accounts/callback',
      '/api/software',
      '/api/software/all',
      '/api/software/latest',
      '/api/software/:version',
    ]);
  });
});

describe('words', () => {
  it('are the same in both APIs: every name of the schema comes back from its REST spelling', () => {
    const names = Object.values(schema.getTypeMap()).flatMap((type) =>
      isObjectType(type) ? Object.keys(type.getFields()) : [],
    );
    for (const name of names) expect(camelCase(snakeCase(name))).toBe(name);
  });

  it.each([
    ['rateKmPerH', 'rate_km_per_h'],
    ['efficiencyWhPerKm', 'efficiency_wh_per_km'],
    ['speedMaxKmh', 'speed_max_kmh'],
    ['energyAddedKwh', 'energy_added_kwh'],
    ['insideTempAvgC', 'inside_temp_avg_c'],
    ['actualCurrentA', 'actual_current_a'],
    ['chargingS', 'charging_s'],
    ['publicId', 'public_id'],
  ])('%s is %s', (name, key) => expect(snakeCase(name)).toBe(key));

  it('that are meant are found by their neighbours', () => {
    expect(nearMiss('limt', ['limit', 'from'])).toBe('limit');
    expect(nearMiss('ordre', ['order', 'from'])).toBe('order');
    expect(nearMiss('colour', ['limit', 'from'])).toBeNull();
  });
});

it('no enum of the schema is spelled otherwise than in upper case, so that REST and GraphQL agree', () => {
  const enums = Object.values(schema.getTypeMap())
    .filter(isEnumType)
    .filter(({ name }) => !name.startsWith('__'));
  for (const type of enums) {
    for (const { name } of type.getValues()) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
  }
});
