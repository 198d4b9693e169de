import { z } from 'zod';
import { MOST_LEFT_OPEN_MINUTES, packKwh, settingDefaults } from '../contract/vehicle-settings.ts';
import { slugProblem } from '../contract/vehicle-slugs.ts';
import { Prisma, type Vehicle } from '../store/generated/prisma/client.ts';
import { moneyLimit } from './budget-input.ts';
import { readInput } from './read-input.ts';

type Settings = Pick<Vehicle, keyof typeof settingDefaults>;

/** What is to change of a vehicle, by its columns; what is absent stays. */
export type VehicleChanges = Partial<
  Pick<Vehicle, 'name' | 'publicId' | 'originalCapacityKwh'> & Settings
>;

const truth = z.boolean({ error: 'Give true or false.' });

/** Null takes a setting back to what it is at first. */
function orFirst<T>(schema: z.ZodType<T>, first: T) {
  return schema.nullable().transform((given) => given ?? first);
}

const {
  logging,
  sleepAware,
  pollProfile,
  allowUnlock,
  allowControls,
  calculateCost,
  locationPrecision,
  leftOpenMinutes,
} = settingDefaults;

const leftOpen = `Give 0 for never, or 1 to ${MOST_LEFT_OPEN_MINUTES} minutes.`;

const settings = z
  .strictObject({
    logging: orFirst(truth, logging),
    sleepAware: orFirst(truth, sleepAware),
    pollProfile: orFirst<Settings['pollProfile']>(
      z.enum(['NORMAL', 'SPARING', 'LIST_ONLY'], { error: 'Give NORMAL, SPARING or LIST_ONLY.' }),
      pollProfile,
    ),
    budget: moneyLimit.transform((text) => (text === null ? null : new Prisma.Decimal(text))),
    allowUnlock: orFirst(truth, allowUnlock),
    allowControls: orFirst(truth, allowControls),
    calculateCost: orFirst(truth, calculateCost),
    locationPrecision: orFirst<Settings['locationPrecision']>(
      z.enum(['EXACT', 'APPROXIMATE', 'HIDDEN'], { error: 'Give EXACT, APPROXIMATE or HIDDEN.' }),
      locationPrecision,
    ),
    leftOpenMinutes: orFirst<number>(
      z.int({ error: leftOpen }).min(0, leftOpen).max(MOST_LEFT_OPEN_MINUTES, leftOpen),
      leftOpenMinutes,
    ),
  })
  .partial();

const capacity = z
  .number()
  .min(packKwh.least, `Give ${packKwh.least} to ${packKwh.most} kWh.`)
  .max(packKwh.most, `Give ${packKwh.least} to ${packKwh.most} kWh.`);

const slug = z
  .string({ error: 'A vehicle always has a slug.' })
  .trim()
  .toLowerCase()
  .superRefine((given, context) => {
    const message = slugProblem(given, null);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

const vehicle = z
  .strictObject({
    name: z
      .string()
      .trim()
      .max(100, 'Give at most 100 characters.')
      .transform((given) => (given === '' ? null : given))
      .nullable(),
    slug,
    battery: z.strictObject({ originalCapacityKwh: capacity.nullable() }).partial().nullable(),
    settings: settings.nullable(),
  })
  .partial()
  .transform(({ name, slug: publicId, battery, settings: chosen }): VehicleChanges => {
    const columns = { name, publicId, ...battery, ...chosen };
    return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
  });

/** Changes of a vehicle as a caller gave them. Throws `validation_failed` with what is wrong with each field. */
export function readVehicleChanges(input: unknown): VehicleChanges {
  return readInput(vehicle, input, 'The vehicle cannot be changed like that.');
}
