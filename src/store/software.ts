import { newUuid } from '../base/ids.ts';
import type { InstallationRow } from '../contract/effects.ts';
import type { Prisma } from './generated/prisma/client.ts';
import { upsertRows } from './upsert.ts';

/** Writes a vehicle's installations, and the versions among them that the catalogue does not hold yet (contract §10). */
export async function writeInstallations(
  tx: Prisma.TransactionClient,
  target: { id: string; simulated: boolean },
  rows: readonly InstallationRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const idByVersion = await catalogued(tx, rows);
  const records = rows.map(({ version, commit: _commit, ...row }) => ({
    ...row,
    vehicleId: target.id,
    simulated: target.simulated,
    softwareUpdateId: idByVersion.get(version),
  }));
  await upsertRows(tx, 'software_installation', records);
}

async function catalogued(
  tx: Prisma.TransactionClient,
  rows: readonly InstallationRow[],
): Promise<Map<string, string>> {
  for (const row of rows) {
    const seenAt = new Date(row.endedAt ?? row.startedAt ?? row.seenAt).toISOString();
    const { year, week, major, minor } = numbersOf(row.version);
    // One statement per version: two vehicles may bring the same version at the same time.
    await tx.$executeRawUnsafe(
      `INSERT INTO software_update (id, version, commit, year, week, major, minor, first_seen_at, last_seen_at)
       VALUES ($1::uuid, $2, $3, $4, $5, $6, $7, $8::timestamptz, $9::timestamptz)
       ON CONFLICT (version) DO UPDATE SET
         commit = coalesce(software_update.commit, EXCLUDED.commit),
         first_seen_at = least(software_update.first_seen_at, EXCLUDED.first_seen_at),
         last_seen_at = greatest(software_update.last_seen_at, EXCLUDED.last_seen_at)`,
      newUuid(),
      row.version,
      row.commit,
      year,
      week,
      major,
      minor,
      new Date(row.seenAt).toISOString(),
      seenAt,
    );
  }
  const updates = await tx.softwareUpdate.findMany({
    where: { version: { in: rows.map((row) => row.version) } },
    select: { id: true, version: true },
  });
  return new Map(updates.map((update) => [update.version, update.id]));
}

/** `2026.38.4.2` is year, week and two further numbers; what does not fit is null. */
function numbersOf(version: string): {
  year: number | null;
  week: number | null;
  major: number | null;
  minor: number | null;
} {
  const [year, week, major, minor] = version.split('.').map(Number);
  return { year: whole(year), week: whole(week), major: whole(major), minor: whole(minor) };
}

function whole(value: number | undefined): number | null {
  return value !== undefined && Number.isSafeInteger(value) ? value : null;
}
