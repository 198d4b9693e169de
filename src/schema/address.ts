import DataLoader from 'dataloader';
import type { LocationPrecision } from '../auth/principal.ts';
import { type AddressKey, type FoundAddress, readAddresses } from '../store/addresses.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { type Context, perOperation } from './context.ts';

type Told = Pick<
  FoundAddress,
  | 'name'
  | 'road'
  | 'houseNumber'
  | 'postcode'
  | 'city'
  | 'county'
  | 'region'
  | 'countryCode'
  | 'display'
>;

const words = ({ vehicleId, latCell, lonCell }: AddressKey) => `${vehicleId} ${latCell} ${lonCell}`;

const addresses = perOperation(
  (context) =>
    new DataLoader<AddressKey, FoundAddress | null, string>(
      async (keys) => {
        const rows = await readAddresses(context.prisma, keys);
        const found = new Map(rows.map((row) => [words(row), row]));
        return keys.map((key) => found.get(words(key)) ?? null);
      },
      { cacheKeyFn: words },
    ),
);

/** Keeps addresses that were read anyway: of these keys there are no others. */
export function rememberAddresses(
  keys: readonly AddressKey[],
  rows: readonly FoundAddress[],
  context: Context,
): void {
  const found = new Map(rows.map((row) => [words(row), row]));
  for (const key of keys) addresses(context).prime(key, found.get(words(key)) ?? null);
}

/** The address of a position as exactly as it may be told: approximately, down to the city. */
export async function tellAddress(
  context: Context,
  key: AddressKey,
  precision: LocationPrecision,
): Promise<Told | null> {
  if (precision === 'HIDDEN') return null;
  const row = await addresses(context).load(key);
  if (row === null || precision === 'EXACT') return row;
  const { city, county, region, countryCode } = row;
  const nothing = { name: null, road: null, houseNumber: null, postcode: null, display: null };
  return { ...nothing, city, county, region, countryCode };
}

/** Where a position is, in words. */
export const Address = builder.objectRef<Told>('Address').implement({
  description: 'Where a position is, in words; approximate positions have it down to the city.',
  authScopes: vehicles,
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true, description: 'Name of what is there.' }),
    road: t.exposeString('road', { nullable: true, description: 'Street.' }),
    houseNumber: t.exposeString('houseNumber', { nullable: true, description: 'House number.' }),
    postcode: t.exposeString('postcode', { nullable: true, description: 'Postal code.' }),
    city: t.exposeString('city', { nullable: true, description: 'City, town or village.' }),
    county: t.exposeString('county', { nullable: true, description: 'County.' }),
    state: t.exposeString('region', { nullable: true, description: 'State or region.' }),
    countryCode: t.exposeString('countryCode', {
      nullable: true,
      description: 'Country, ISO 3166-1 alpha-2.',
    }),
    display: t.exposeString('display', { nullable: true, description: 'All of it in one line.' }),
  }),
});
