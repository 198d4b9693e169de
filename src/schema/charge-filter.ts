import {
  type CostMethod,
  CostMethod as CostMethods,
  Prisma,
} from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { ChargeKind, ChargeNetwork, ChargeState } from './enums.ts';
import { between, conditions, oneOf, pointsTo, tagged, within } from './filters.ts';
import { isNear, isSeenExactly, type Near, NearInput } from './near.ts';

type Maybe<T> = T | null | undefined;

export type ChargeFilterShape = {
  from?: Maybe<number>;
  to?: Maybe<number>;
  state?: Maybe<string[]>;
  kind?: Maybe<string>;
  network?: Maybe<string[]>;
  place?: Maybe<string>;
  near?: Maybe<Near>;
  minEnergyKwh?: Maybe<number>;
  tag?: Maybe<string>;
  notTag?: Maybe<string>;
  hasCost?: Maybe<boolean>;
  trip?: Maybe<string>;
  deleted?: Maybe<boolean>;
};

/** Which charges to list (contract §4). */
export const ChargeFilter = builder.inputRef<ChargeFilterShape>('ChargeFilter').implement({
  description: 'Which charges to list; every given field must hold.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Started at or after.' }),
    to: t.field({ type: 'DateTime', description: 'Started before.' }),
    state: t.field({
      type: [ChargeState],
      description: 'In one of the states; all but DISCARDED when it is left out.',
    }),
    kind: t.field({ type: ChargeKind, description: 'By this kind of current.' }),
    network: t.field({ type: [ChargeNetwork], description: 'At a charger of one of these.' }),
    place: t.id({ description: 'At the place with this id.' }),
    near: t.field({ type: NearInput, description: 'In the circle.' }),
    minEnergyKwh: t.float({ description: 'At least this much energy added [kWh].' }),
    tag: t.string({ description: 'With this tag.' }),
    notTag: t.string({ description: 'Without this tag.' }),
    hasCost: t.boolean({ description: 'Whether its cost is known.' }),
    trip: t.id({ description: 'In the trip with this id.' }),
    deleted: t.boolean({ description: 'True lists the deleted ones instead.' }),
  }),
});

const position = { latitude: 'latitude', longitude: 'longitude' };

/** Networks that a place of the person gives to a charge. */
const ofPlaces: readonly string[] = ['HOME', 'WORK'];

/** A charge's network as it may be told to whoever does not see positions exactly. */
export function coarseNetwork<N extends string>(network: N): N | 'UNKNOWN' {
  return ofPlaces.includes(network) ? 'UNKNOWN' : network;
}

function toldNetwork(context: Context): Prisma.Sql {
  return Prisma.sql`(CASE WHEN t.network::text = ANY(${[...ofPlaces]}::text[]) AND NOT ${isSeenExactly(context)}
    THEN 'UNKNOWN' ELSE t.network::text END)`;
}

/**
 * Whether a cost says nothing of where the charge was. Tariffs hold at places; what the maker billed has the currency of a
 * country and the price of a site, which anybody can look up. What a person said is theirs to say.
 */
export function isToldAnywhere(method: CostMethod): boolean {
  return method === 'MANUAL';
}

function hasToldCost(context: Context): Prisma.Sql {
  const anywhere = Object.values(CostMethods).filter(isToldAnywhere);
  return Prisma.sql`(t.cost_method <> 'NONE' AND (t.cost_method::text = ANY(${anywhere}::text[]) OR ${isSeenExactly(context)}))`;
}

/** The filter as conditions on charges. */
export function chargeConditions(filter: ChargeFilterShape | null, context: Context): Prisma.Sql[] {
  const f = filter ?? {};
  return conditions([
    f.state == null ? Prisma.sql`t.state <> 'DISCARDED'` : oneOf('state', f.state),
    f.deleted === true ? Prisma.sql`t.deleted_at IS NOT NULL` : Prisma.sql`t.deleted_at IS NULL`,
    between('started_at', f.from, f.to),
    oneOf('kind', f.kind == null ? null : [f.kind]),
    f.network == null ? null : Prisma.sql`${toldNetwork(context)} = ANY(${f.network}::text[])`,
    pointsTo('place_id', 'Place', f.place, 'place'),
    f.place == null ? null : isSeenExactly(context),
    f.near == null ? null : isNear(context, f.near, position),
    within('energy_added_kwh', f.minEnergyKwh, null),
    tagged(f.tag, f.notTag),
    f.hasCost == null ? null : Prisma.sql`${hasToldCost(context)} = ${f.hasCost}`,
    pointsTo('trip_id', 'Trip', f.trip, 'trip'),
  ]);
}
