import { Prisma } from '../store/generated/prisma/client.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { DrivePurpose, DriveState } from './enums.ts';
import { between, conditions, equal, oneOf, pointsTo, tagged, within } from './filters.ts';
import { isNear, isSeenExactly, type Near, NearInput } from './near.ts';

type Maybe<T> = T | null | undefined;

export type DriveFilterShape = {
  from?: Maybe<number>;
  to?: Maybe<number>;
  state?: Maybe<string[]>;
  minDistanceKm?: Maybe<number>;
  maxDistanceKm?: Maybe<number>;
  minDurationS?: Maybe<number>;
  maxDurationS?: Maybe<number>;
  startPlace?: Maybe<string>;
  endPlace?: Maybe<string>;
  near?: Maybe<Near>;
  nearWhich?: Maybe<'START' | 'END' | 'EITHER'>;
  tag?: Maybe<string>;
  notTag?: Maybe<string>;
  purpose?: Maybe<string>;
  driver?: Maybe<string>;
  trip?: Maybe<string>;
  selfDriving?: Maybe<boolean>;
  deleted?: Maybe<boolean>;
};

const WhichEnd = builder.enumType('WhichEnd', {
  description: 'Which end of a drive is meant.',
  values: {
    START: { description: 'Where it started.' },
    END: { description: 'Where it ended.' },
    EITHER: { description: 'One of the two.' },
  },
});

/** Which drives to list (contract §3). */
export const DriveFilter = builder.inputRef<DriveFilterShape>('DriveFilter').implement({
  description: 'Which drives to list; every given field must hold.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Started at or after.' }),
    to: t.field({ type: 'DateTime', description: 'Started before.' }),
    state: t.field({
      type: [DriveState],
      description: 'In one of the states; all but DISCARDED when it is left out.',
    }),
    minDistanceKm: t.float({ description: 'At least this long [km].' }),
    maxDistanceKm: t.float({ description: 'At most this long [km].' }),
    minDurationS: t.int({ description: 'At least this long [s].' }),
    maxDurationS: t.int({ description: 'At most this long [s].' }),
    startPlace: t.id({ description: 'Started at the place with this id.' }),
    endPlace: t.id({ description: 'Ended at the place with this id.' }),
    near: t.field({ type: NearInput, description: 'With an end in the circle.' }),
    nearWhich: t.field({
      type: WhichEnd,
      description: 'The end that `near` means; EITHER when left out.',
    }),
    tag: t.string({ description: 'With this tag.' }),
    notTag: t.string({ description: 'Without this tag.' }),
    purpose: t.field({ type: DrivePurpose, description: 'Made for this.' }),
    driver: t.string({ description: 'Driven by.' }),
    trip: t.id({ description: 'In the trip with this id.' }),
    selfDriving: t.boolean({ description: 'Whether the vehicle drove a part by itself.' }),
    deleted: t.boolean({ description: 'True lists the deleted ones instead.' }),
  }),
});

const start = { latitude: 'start_latitude', longitude: 'start_longitude' };
const end = { latitude: 'end_latitude', longitude: 'end_longitude' };

function nearEnds(filter: DriveFilterShape, context: Context): Prisma.Sql | null {
  const { near, nearWhich } = filter;
  if (near == null) return null;
  if (nearWhich === 'START') return isNear(context, near, start);
  if (nearWhich === 'END') return isNear(context, near, end);
  return Prisma.sql`(${isNear(context, near, start)} OR ${isNear(context, near, end)})`;
}

/** Whether the caller may learn a drive's tags and purpose: those of a place tell that it ended there. */
function wordsMayBeTold(context: Context): Prisma.Sql {
  return Prisma.sql`(NOT t.place_defaults OR ${isSeenExactly(context)})`;
}

/** The filter as conditions on drives. */
export function driveConditions(filter: DriveFilterShape | null, context: Context): Prisma.Sql[] {
  const f = filter ?? {};
  return conditions([
    f.state == null ? Prisma.sql`t.state <> 'DISCARDED'` : oneOf('state', f.state),
    f.deleted === true
      ? Prisma.sql`t.deleted_at IS NOT NULL AND t.replaced_by_id IS NULL`
      : Prisma.sql`t.deleted_at IS NULL`,
    between('started_at', f.from, f.to),
    within('distance_km', f.minDistanceKm, f.maxDistanceKm),
    within('duration_s', f.minDurationS, f.maxDurationS),
    pointsTo('start_place_id', 'Place', f.startPlace, 'startPlace'),
    pointsTo('end_place_id', 'Place', f.endPlace, 'endPlace'),
    f.startPlace == null && f.endPlace == null ? null : isSeenExactly(context),
    nearEnds(f, context),
    tagged(f.tag, f.notTag, wordsMayBeTold(context)),
    f.purpose == null
      ? null
      : Prisma.sql`(t.purpose::text = ${f.purpose} AND ${wordsMayBeTold(context)})`,
    equal('driver', f.driver),
    pointsTo('trip_id', 'Trip', f.trip, 'trip'),
    f.selfDriving == null
      ? null
      : Prisma.sql`(coalesce(t.self_driving_distance_km, 0) > 0) = ${f.selfDriving}`,
  ]);
}
