import type { LocationPrecision } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import { Prisma } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import { type Context, caller } from './context.ts';
import { APPROXIMATE_DECIMALS } from './precision.ts';

/** Mean radius of the earth (IUGG) [m]. */
const EARTH_RADIUS_M = 6_371_008.8;

/** Widest circle that can be asked for [m]. */
const LARGEST_RADIUS_M = 100_000;

export type Near = { latitude: number; longitude: number; radiusM: number };

/** A circle on the earth. */
export const NearInput = builder.inputRef<Near>('NearInput').implement({
  description: 'A circle on the earth.',
  fields: (t) => ({
    latitude: t.float({ required: true, description: 'Latitude of its centre, WGS 84 [°].' }),
    longitude: t.float({ required: true, description: 'Longitude of its centre, WGS 84 [°].' }),
    radiusM: t.float({
      required: true,
      description: `Its radius, up to ${LARGEST_RADIUS_M} [m].`,
    }),
  }),
});

function check(near: Near): void {
  const problems = {
    ...(Math.abs(near.latitude) <= 90 ? {} : { latitude: ['Give -90 to 90.'] }),
    ...(Math.abs(near.longitude) <= 180 ? {} : { longitude: ['Give -180 to 180.'] }),
    ...(near.radiusM > 0 && near.radiusM <= LARGEST_RADIUS_M
      ? {}
      : { radiusM: [`Give a number above 0 and up to ${LARGEST_RADIUS_M}.`] }),
  };
  if (Object.keys(problems).length === 0) return;
  throw new ServiceError('validation_failed', 'The circle is not on the earth.', {
    fields: problems,
  });
}

const setting = Prisma.sql`(SELECT v.location_precision::text FROM vehicle v WHERE v.id = t.vehicle_id)`;

/** A degree in a column as the caller may learn it: a filter must not tell more than an answer would. */
function told(column: string, own: LocationPrecision): Prisma.Sql {
  const exact = Prisma.raw(`t."${column}"`);
  const coarse = Prisma.sql`round(${exact}::numeric, ${Prisma.raw(String(APPROXIMATE_DECIMALS))})::float8`;
  if (own === 'HIDDEN') return Prisma.sql`NULL::float8`;
  const best = own === 'EXACT' ? exact : coarse;
  return Prisma.sql`CASE ${setting} WHEN 'EXACT' THEN ${best} WHEN 'APPROXIMATE' THEN ${coarse} END`;
}

/** Rows whose position in the two columns lies in the circle. Throws `validation_failed` for no circle on the earth. */
export function isNear(
  context: Context,
  near: Near,
  columns: { latitude: string; longitude: string },
): Prisma.Sql {
  check(near);
  const own = caller(context).locationPrecision;
  const latitude = told(columns.latitude, own);
  const longitude = told(columns.longitude, own);
  return Prisma.sql`${2 * EARTH_RADIUS_M}::float8 * asin(sqrt(least(1,
    power(sin(radians(${latitude} - ${near.latitude}::float8) / 2), 2)
    + cos(radians(${near.latitude}::float8)) * cos(radians(${latitude}))
    * power(sin(radians(${longitude} - ${near.longitude}::float8) / 2), 2)))) <= ${near.radiusM}::float8`;
}

/** Whether the caller may learn exactly where the vehicle of a row is, and with it what its places made of the row. */
export function isSeenExactly(context: Context): Prisma.Sql {
  return caller(context).locationPrecision === 'EXACT'
    ? Prisma.sql`${setting} = 'EXACT'`
    : Prisma.sql`false`;
}
