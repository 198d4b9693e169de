import { isToldExactly } from '../actions/hearing.ts';
import { type Section, sections } from '../contract/signals.ts';
import { newestOf } from '../store/newest.ts';
import type { StoredEvent } from '../store/outbox-read.ts';
import { builder } from './builder.ts';
import { Charge } from './charge.ts';
import { vehicles } from './connection.ts';
import type { Context } from './context.ts';
import { Drive } from './drive.ts';
import { chosenVehicles, follow, present, told, vehicleIdsOf } from './live.ts';
import { chargeById, driveById, vehicleById } from './loaders.ts';
import { seesExactly } from './precision.ts';
import { UntoldEvent } from './untold-event.ts';
import { Vehicle } from './vehicle.ts';

const VehicleSection = builder.enumType('VehicleSection', {
  description: 'A part of a vehicle’s state.',
  values: {
    CHARGE: { value: 'charge', description: 'The battery and its charging.' },
    CLIMATE: { value: 'climate', description: 'Heating and cooling.' },
    DRIVE: { value: 'drive', description: 'Motion and position.' },
    CLOSURES: { value: 'closures', description: 'Doors, windows, locks and guards.' },
    TYRES: { value: 'tyres', description: 'The tyres.' },
    SOFTWARE: { value: 'software', description: 'The software of the vehicle.' },
    MEDIA: { value: 'media', description: 'What plays in the vehicle.' },
  } as const satisfies {
    [S in Exclude<Section, 'config'> as Uppercase<S>]: { value: S; description: string };
  },
});

/** Whether an event tells of one of the sections. */
function touches({ type, data }: StoredEvent, wanted: readonly Section[]): boolean {
  if (type !== 'vehicle.state.updated' || typeof data !== 'object' || data === null) return false;
  const changed: unknown = Reflect.get(data, 'sections');
  return (
    Array.isArray(changed) && sections.some((one) => wanted.includes(one) && changed.includes(one))
  );
}

/** Stands before the id of what is told again only to those who see its vehicle's position exactly. */
const EXACTLY = '=';

/** Follows the newest drive or charge of each chosen vehicle. */
async function followStretches(
  context: Context,
  publicIds: readonly string[] | null | undefined,
  table: 'drive' | 'charge',
) {
  const chosen = await chosenVehicles(context, publicIds);
  return follow(context, {
    chosen,
    about: (event) => {
      if (!event.type.startsWith(`${table}.`) || !isChosen(event, chosen)) return null;
      const id = told(event, `${table}Id`);
      return id !== null && isToldExactly(event.type) ? EXACTLY + id : id;
    },
    current: async () => newestOf(context.prisma, table, await vehicleIdsOf(context, chosen)),
  });
}

/** The row of a drive or charge that something happened to. Throws UntoldEvent where the caller is not told. */
async function stretch<Row extends { vehicleId: string }>(
  id: string,
  rows: { load: (id: string) => Promise<Row | null> },
  context: Context,
): Promise<Row> {
  if (!id.startsWith(EXACTLY)) return present(rows.load(id));
  const row = await present(rows.load(id.slice(EXACTLY.length)));
  if (await seesExactly(context, row.vehicleId)) return row;
  // Being told the same again would tell that something happened which is not told.
  throw new UntoldEvent('What happened is told to those who see positions exactly.');
}

function isChosen({ vehicleId }: StoredEvent, chosen: ReadonlySet<string> | null): boolean {
  return vehicleId !== null && (chosen === null || chosen.has(vehicleId));
}

const which = 'Public ids of vehicles; all of yours when left out.';

builder.subscriptionFields((t) => ({
  vehicleUpdated: t.field({
    type: Vehicle,
    description: 'A vehicle: first each as it is, then each as it changes.',
    authScopes: vehicles,
    args: {
      publicIds: t.arg.idList({ description: which }),
      sections: t.arg({
        type: [VehicleSection],
        description:
          'Tell only of changes in these parts of the state; of every change when left out.',
      }),
    },
    subscribe: async (_root, { publicIds, sections: wanted }, context) => {
      const chosen = await chosenVehicles(context, publicIds);
      return follow(context, {
        chosen,
        about: (event) => {
          if (!event.type.startsWith('vehicle.') || !isChosen(event, chosen)) return null;
          return wanted == null || touches(event, wanted) ? event.vehicleId : null;
        },
        current: () => vehicleIdsOf(context, chosen),
      });
    },
    resolve: (id, _args, context) => present(vehicleById(context).load(id)),
  }),
  driveUpdated: t.field({
    type: Drive,
    description:
      'A drive: first the newest of each vehicle, under way or not, then each as it starts, goes on and ends.',
    authScopes: vehicles,
    args: { publicIds: t.arg.idList({ description: which }) },
    subscribe: (_root, { publicIds }, context) => followStretches(context, publicIds, 'drive'),
    resolve: (id, _args, context) => stretch(id, driveById(context), context),
  }),
  chargeUpdated: t.field({
    type: Charge,
    description:
      'A charge: first the newest of each vehicle, under way or not, then each as it starts, goes on and ends.',
    authScopes: vehicles,
    args: { publicIds: t.arg.idList({ description: which }) },
    subscribe: (_root, { publicIds }, context) => followStretches(context, publicIds, 'charge'),
    resolve: (id, _args, context) => stretch(id, chargeById(context), context),
  }),
}));
