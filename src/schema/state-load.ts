import DataLoader from 'dataloader';
import { z } from 'zod';
import { MINUTE_MS } from '../base/units.ts';
import type { Section } from '../contract/signals.ts';
import type { Vehicle } from '../store/generated/prisma/client.ts';
import { type Context, perOperation } from './context.ts';
import type { SectionReading } from './state-fields.ts';

/** Age from which a value of a vehicle that is awake counts as stale. */
const STALE_AFTER_MS = 10 * MINUTE_MS;

const awake: ReadonlySet<string> = new Set(['ONLINE', 'DRIVING', 'CHARGING']);

const storedSections = z.record(
  z.string(),
  z.object({
    observedAt: z.number(),
    receivedAt: z.number(),
    source: z.enum(['STREAM', 'POLL', 'COMMAND', 'IMPORT']),
    values: z.record(z.string(), z.unknown()),
  }),
);

type Stored = z.infer<typeof storedSections>;

const sectionsOf = perOperation(
  (context) =>
    new DataLoader<string, Stored>(async (ids) => {
      const rows = await context.prisma.vehicleState.findMany({
        where: { vehicleId: { in: [...ids] } },
        select: { vehicleId: true, sections: true },
      });
      const found = new Map(rows.map((row) => [row.vehicleId, storedSections.parse(row.sections)]));
      return ids.map((id) => found.get(id) ?? {});
    }),
);

/** The last known values of a section; null while nothing was observed of it. */
export async function readSection(
  context: Context,
  vehicle: Vehicle,
  section: Section,
): Promise<SectionReading | null> {
  const stored = (await sectionsOf(context).load(vehicle.id))[section];
  return stored === undefined ? null : { ...stored, vehicleId: vehicle.id, status: vehicle.status };
}

/**
 * Whether the values are too old to be trusted: older than ten minutes while the vehicle is online, driving or charging.
 * Those of a vehicle that sleeps, is left alone to fall asleep or is out of reach are the last there are.
 */
export function isStale({ status, observedAt }: SectionReading, now: number): boolean {
  return awake.has(status) && now - observedAt > STALE_AFTER_MS;
}
