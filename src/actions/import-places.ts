import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import { placeLimits } from '../contract/places.ts';
import { shapeOf } from '../ingest/read-places.ts';
import type { Place } from '../store/generated/prisma/client.ts';
import { type AccountCall, factOf } from './account-call.ts';
import { addPlaces } from './manage-places.ts';
import { placesInFile } from './place-files.ts';
import { type NewPlace, readNewPlaces } from './place-input.ts';
import { readInput } from './read-input.ts';

/** What an import came to: what was made, and how many were there already. */
export type PlaceImport = { places: Place[]; unchanged: number };

const request = z.strictObject({ format: z.enum(['GEOJSON', 'CSV']), data: z.string() });

/**
 * Makes the places of a file, all or none. One that is there already, with its name and shape, is left as it is, so that
 * the same file may come again, also twice at once. Throws `validation_failed` with what is wrong, under the place's number
 * from 0, and `setting_forbids`.
 */
export async function importPlaces(call: AccountCall, input: unknown): Promise<PlaceImport> {
  const { format, data } = readInput(request, input, 'The file cannot be read.');
  const drafts = placesInFile(format, data);
  if (drafts.length > placeLimits.count) {
    const message = `A file has at most ${placeLimits.count} places.`;
    throw new ServiceError('validation_failed', message, { fields: { data: [message] } });
  }
  const wanted = readNewPlaces(drafts);
  const { accountId } = call.principal;
  const places = await addPlaces(call, {
    // Of who sees positions exactly only: what is left out would tell whoever guesses.
    choose: async (tx) => {
      const rows = await tx.place.findMany({ where: { accountId } });
      const known = new Set(rows.map((row) => keyOf({ name: row.name, ...shapeOf(row) })));
      return wanted.filter((place) => {
        const key = keyOf(place);
        const fresh = !known.has(key);
        known.add(key);
        return fresh;
      });
    },
    factFor: (made) => factOf(call, 'place.import', null, { places: made.length }),
  });
  return { places, unchanged: wanted.length - places.length };
}

function keyOf({
  name,
  latitude,
  longitude,
  radiusM,
  polygon,
}: Pick<NewPlace, 'name' | 'latitude' | 'longitude' | 'radiusM' | 'polygon'>): string {
  return JSON.stringify([name, latitude, longitude, radiusM, polygon]);
}
