import { z } from 'zod';
import type { HistoryEdit, Prisma } from './generated/prisma/client.ts';

/** What a person may do to history. */
export const editKinds = [
  'DRIVE_UPDATE',
  'DRIVE_MERGE',
  'DRIVE_SPLIT',
  'DRIVE_CLOSE',
  'DRIVE_DELETE',
  'CHARGE_UPDATE',
  'TRIP_CREATE',
  'TRIP_UPDATE',
  'TRIP_MERGE',
  'TRIP_SPLIT',
  'TRIP_CLOSE',
  'TRIP_DELETE',
] as const;

export type EditKind = (typeof editKinds)[number];

const columns = z.record(z.string(), z.record(z.string(), z.unknown()));
const undoing = z.object({
  /** Columns of rows as they were, by table and id. */
  before: z.object({ drive: columns, charge: columns, trip: columns }),
  /** Rows that the edit made. */
  made: z.object({ drive: z.array(z.string()), trip: z.array(z.string()) }),
  /** Where a drive was cut, or what was closed ended (epoch ms). */
  at: z.number().nullable(),
});

/** What it takes to undo an edit, or to do it again. */
export type Undoing = z.infer<typeof undoing>;

/** Nothing yet to undo. */
export function nothingToUndo(): Undoing {
  return {
    before: { drive: {}, charge: {}, trip: {} },
    made: { drive: [], trip: [] },
    at: null,
  };
}

/** What a stored edit holds for its undoing. */
export function undoingOf({ undoing: stored }: HistoryEdit): Undoing {
  return undoing.parse(stored);
}

/** The newest edit of any of these rows that came after `edit` and still holds; null when there is none. */
export function laterEdit(
  tx: Prisma.TransactionClient,
  edit: HistoryEdit,
): Promise<HistoryEdit | null> {
  return tx.historyEdit.findFirst({
    where: {
      vehicleId: edit.vehicleId,
      ordinal: { gt: edit.ordinal },
      undoneAt: null,
      subjects: { hasSome: edit.subjects },
    },
    orderBy: { ordinal: 'desc' },
  });
}

/** Lets edits of a row that fell away be those of the row that took its place. */
export async function renameSubject(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE history_edit SET subjects = array_replace(subjects, ${from}::uuid, ${to}::uuid),
      undoing = replace(undoing::text, ${from}, ${to})::jsonb
    WHERE vehicle_id = ${vehicleId}::uuid AND ${from}::uuid = ANY(subjects)`;
}
