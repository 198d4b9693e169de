import { Prisma } from './generated/prisma/client.ts';
import type { PlaceStage } from './place-work.ts';

/** Columns of each table that follow from the places, with their types. */
const columns = {
  drive: { start_place_id: 'uuid', end_place_id: 'uuid' },
  charge: { place_id: 'uuid', network: 'charge_network' },
  parked_span: { place_id: 'uuid' },
  trip: { start_place_id: 'uuid', end_place_id: 'uuid' },
} as const satisfies Record<PlaceStage, Record<string, string>>;

/** Writes what follows from the places into rows of a table; every row has its id and all of the columns. */
export async function writePlaceColumns(
  tx: Prisma.TransactionClient,
  stage: PlaceStage,
  rows: readonly Record<string, string | null>[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.entries(columns[stage]);
  const set = names.map(([name]) => `${name} = news.${name}`).join(', ');
  const record = names.map(([name, type]) => `${name} ${type}`).join(', ');
  const stamp = stage === 'parked_span' ? '' : ', updated_at = now()';
  await tx.$executeRaw`UPDATE ${Prisma.raw(`"${stage}" SET ${set}${stamp}`)}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS news(id uuid, ${Prisma.raw(record)})
    WHERE ${Prisma.raw(`"${stage}"`)}.id = news.id`;
}

/**
 * Puts the tags and the purpose of the place a drive ended at on the drive, once: what a person takes off again stays
 * off, and what a person chose stays.
 */
export async function applyPlaceDefaults(
  tx: Prisma.TransactionClient,
  driveIds: readonly string[],
  mostTags: number,
): Promise<void> {
  if (driveIds.length === 0) return;
  await tx.$executeRaw`
    UPDATE drive d SET place_defaults = true, purpose = coalesce(d.purpose, p.purpose_default),
      tags = (d.tags || ARRAY(SELECT tag FROM unnest(p.auto_tags) AS tag WHERE tag <> ALL (d.tags)))[1:${mostTags}]
    FROM place p
    WHERE d.id = ANY(${[...driveIds]}::uuid[]) AND p.id = d.end_place_id AND NOT d.place_defaults
      AND d.edited_at IS NULL AND d.state IN ('ENDED', 'INCOMPLETE')
      AND (p.auto_tags <> '{}' OR p.purpose_default IS NOT NULL)`;
}
