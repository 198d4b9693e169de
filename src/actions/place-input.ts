import { z } from 'zod';
import { placeLimits, tagLimits } from '../contract/places.ts';
import {
  type Corners,
  centreOf,
  crossesItself,
  polygonAreaM2,
  polygonSpanM,
} from '../ingest/polygon.ts';
import { readInput } from './read-input.ts';

const { radiusM, corners } = placeLimits;

const latitude = z.number().min(-90, 'Give -90 to 90.').max(90, 'Give -90 to 90.');
const longitude = z.number().min(-180, 'Give -180 to 180.').max(180, 'Give -180 to 180.');

/** Words that a person puts on something: without blanks around them, each once. */
export const tags = z
  .array(
    z
      .string()
      .trim()
      .min(1, 'Give at least one character.')
      .max(tagLimits.length, `Give at most ${tagLimits.length} characters.`),
  )
  .transform((words) => [...new Set(words)])
  .refine((words) => words.length <= tagLimits.count, `Give at most ${tagLimits.count} tags.`);

/** Why drives are made. */
export const purpose = z.enum(['PERSONAL', 'BUSINESS', 'COMMUTE'], {
  error: 'Give PERSONAL, BUSINESS or COMMUTE.',
});

const fields = {
  name: z
    .string()
    .trim()
    .min(1, 'Give at least one character.')
    .max(100, 'Give at most 100 characters.'),
  kind: z.enum(['HOME', 'WORK', 'FAVORITE', 'CHARGER', 'OTHER'], {
    error: 'Give HOME, WORK, FAVORITE, CHARGER or OTHER.',
  }),
  latitude: latitude.nullable(),
  longitude: longitude.nullable(),
  radiusM: z
    .number()
    .min(radiusM.min, `Give ${radiusM.min} to ${radiusM.max} m.`)
    .max(radiusM.max, `Give ${radiusM.min} to ${radiusM.max} m.`)
    .nullable(),
  polygon: z
    .array(z.strictObject({ latitude, longitude }))
    .min(corners.min, `Give at least ${corners.min} corners.`)
    .max(corners.max, `Give at most ${corners.max} corners.`)
    .transform((given) => ringOf(given.map((at) => [at.longitude, at.latitude])))
    .superRefine(checkRing)
    .nullable(),
  autoTags: tags,
  purposeDefault: purpose.nullable(),
  notifyEnter: z.boolean(),
  notifyExit: z.boolean(),
  hideOnShare: z.boolean(),
  tariffId: z.string().nullable(),
};

/** Corners of a ring, each once: the last one may be the first again, as in GeoJSON. */
function ringOf(given: readonly (readonly [number, number])[]): Corners {
  const kept = given.filter((corner, index) => !same(corner, given[index - 1]));
  return kept.length > 1 && same(kept[0], kept.at(-1)) ? kept.slice(0, -1) : kept;
}

function same(a?: readonly [number, number], b?: readonly [number, number]): boolean {
  return a !== undefined && b !== undefined && a[0] === b[0] && a[1] === b[1];
}

function checkRing(ring: Corners, context: z.RefinementCtx): void {
  const message = problemOf(ring);
  if (message !== null) context.addIssue({ code: 'custom', message });
}

function problemOf(ring: Corners): string | null {
  const { spanM, areaM2 } = placeLimits;
  if (ring.length < corners.min) return `Give at least ${corners.min} different corners.`;
  if (polygonSpanM(ring) > spanM) return `A polygon is at most ${spanM / 1000} km long.`;
  if (crossesItself(ring)) return 'The edges of a polygon must not cross.';
  return polygonAreaM2(ring) < areaM2 ? `A polygon has at least ${areaM2} m².` : null;
}

const place = z.strictObject(fields).partial();

/** What was given of a place; what is absent stays, or is as usual. */
type Given = z.infer<typeof place>;

/** The shape of a place: a circle, or a polygon with its middle. */
type Shape = {
  latitude: number;
  longitude: number;
  radiusM: number | null;
  polygon: Corners | null;
};

/** A new place, complete. */
export type NewPlace = Shape & {
  [F in Exclude<keyof Given, keyof Shape>]-?: Exclude<Given[F], undefined>;
};

/** What is to change of a place. */
export type PlaceChanges = Partial<NewPlace>;

const newPlace = place.transform((given, context): NewPlace => {
  const { name, kind } = given;
  if (name === undefined) miss(context, 'name', 'Give a name.');
  const shape = shapeGiven(given, null, context);
  return {
    name: name ?? '',
    kind: kind ?? 'OTHER',
    autoTags: given.autoTags ?? [],
    purposeDefault: given.purposeDefault ?? null,
    notifyEnter: given.notifyEnter ?? false,
    notifyExit: given.notifyExit ?? false,
    hideOnShare: given.hideOnShare ?? false,
    tariffId: given.tariffId ?? null,
    ...(shape ?? { latitude: 0, longitude: 0, radiusM: null, polygon: null }),
  };
});

function miss(context: z.RefinementCtx, field: keyof Given, message: string): void {
  context.addIssue({ code: 'custom', path: [field], message });
}

/** The shape that was given, over the one before; null, with what is wrong, where the two make none. */
function shapeGiven(given: Given, before: Shape | null, context: z.RefinementCtx): Shape | null {
  const { polygon } = given;
  const circular = (['latitude', 'longitude', 'radiusM'] as const).filter((f) => given[f] != null);
  if (polygon != null) {
    for (const field of circular) miss(context, field, 'Give either a circle or a polygon.');
    return { ...centreOf(polygon), radiusM: null, polygon };
  }
  const from = before?.polygon === null ? before : null;
  const circle = {
    latitude: given.latitude ?? from?.latitude ?? null,
    longitude: given.longitude ?? from?.longitude ?? null,
    radiusM: given.radiusM ?? from?.radiusM ?? null,
  };
  const { latitude, longitude, radiusM } = circle;
  if (latitude !== null && longitude !== null && radiusM !== null) {
    return { latitude, longitude, radiusM, polygon: null };
  }
  const absent = (['latitude', 'longitude', 'radiusM'] as const).filter((f) => circle[f] === null);
  for (const field of absent) miss(context, field, 'A place is a circle or a polygon: give this.');
  return null;
}

/** A place as a caller gave it. Throws `validation_failed` with what is wrong with each field. */
export function readNewPlace(input: unknown): NewPlace {
  return readInput(newPlace, input, 'The place cannot be like that.');
}

/** Many places at once, such as those of a file. Throws `validation_failed`; fields stand under the place's number. */
export function readNewPlaces(inputs: readonly unknown[]): NewPlace[] {
  return readInput(z.array(newPlace), inputs, 'The places cannot be like that.');
}

/** Changes of a place as a caller gave them. Throws `validation_failed` with what is wrong with each field. */
export function readPlaceChanges(input: unknown, before: Shape): PlaceChanges {
  const changes = place.transform((given, context): PlaceChanges => {
    const { latitude, longitude, radiusM, polygon, ...rest } = given;
    const reshaped = [latitude, longitude, radiusM, polygon].some((one) => one != null);
    return reshaped ? { ...rest, ...(shapeGiven(given, before, context) ?? {}) } : rest;
  });
  return readInput(changes, input, 'The place cannot be changed like that.');
}
