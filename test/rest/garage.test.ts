import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { scopes } from '../../src/contract/scopes.ts';
import { type BootedService, boot } from '../support/boot.ts';
import { violations } from './contract.ts';
import { all, pathWith, titleOf } from './requests.ts';

let odograph: BootedService;
let token: string;
beforeAll(async () => {
  odograph = await boot({ garageDays: 4 });
  token = await odograph.token({ scopes });
});
afterAll(() => odograph?.[Symbol.asyncDispose]());

const list = z.object({
  response: z.array(z.looseObject({ id: z.string().optional(), version: z.string().optional() })),
});

/** What is answered where only the garage is, and so no application at a maker. */
const withoutApplication = new Map([
  ['/api/account/maker-application', 404],
  ['/api/account/maker-accounts/:id/telemetry', 403],
]);

/** The first id, or version, of the list above a path such as `.../drives/:id/path`; null where the list is empty. */
async function firstOf(listPath: string, name: 'id' | 'version'): Promise<string | null> {
  const response = await odograph.get(listPath, token);
  return list.parse(await response.json()).response[0]?.[name] ?? null;
}

it('answers what the garage drove and charged as documented, on every route that reads', async () => {
  const vehicles = odograph.service.garage?.vehicles ?? [];
  expect(vehicles).toHaveLength(2);
  const to = new Date().toISOString();
  const from = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const empty = new Set<string>();
  for (const public_id of vehicles) {
    for (const endpoint of all.filter(({ route }) => route.method === 'GET' && !route.changes)) {
      const { path } = endpoint.route;
      const name = path.includes('/:version') ? 'version' : 'id';
      const [above = '', rest] = path.split(`/:${name}`);
      const id =
        rest === undefined ? '' : await firstOf(above.replace(':public_id', public_id), name);
      if (id === null) {
        empty.add(path);
        continue;
      }
      const query = path.endsWith('/positions') ? `?from=${from}&to=${to}` : '';
      const target = pathWith(endpoint, { public_id, [name]: id }) + query;
      const response = await odograph.get(target, token);
      const status = withoutApplication.get(path) ?? 200;
      expect([titleOf(endpoint), response.status]).toEqual([titleOf(endpoint), status]);
      expect([titleOf(endpoint), await violations(endpoint, response)]).toEqual([
        titleOf(endpoint),
        [],
      ]);
    }
  }
  // Nobody sends commands, sets tariffs or waits for calls yet.
  expect([...empty]).toEqual([
    '/api/vehicle/:public_id/commands/:id',
    '/api/account/tariffs/:id',
    '/api/account/webhooks/:id',
    '/api/account/webhooks/:id/deliveries',
  ]);
});

it('tells everything of a vehicle in the maker’s groups, with our fields in them', async () => {
  const [vehicle] = odograph.service.garage?.vehicles ?? [];
  const path = `/api/vehicle/${vehicle}`;
  const answered = async (target: string) =>
    z
      .object({ response: z.looseObject({}) })
      .parse(await (await odograph.get(target, token)).json());
  const { response } = await answered(`${path}/detailed`);
  const { response: plain } = await answered(path);
  expect(response).toMatchObject({
    public_id: vehicle,
    charge_state: { battery_level_pct: expect.any(Number), limit_pct: expect.any(Number) },
    climate_state: { outside_temp_c: expect.any(Number) },
    drive_state: { odometer_km: expect.any(Number) },
    vehicle_state: { closures: { locked: expect.any(Boolean) }, software: {}, tyres: {} },
    vehicle_config: { model_code: plain.model_code, capabilities: plain.capabilities },
  });
  const chosen = await answered(`${path}/detailed?fields=charge_state.battery_level_pct`);
  expect(chosen.response).toEqual({ charge_state: { battery_level_pct: expect.any(Number) } });
});
