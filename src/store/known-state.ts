import { z } from 'zod';
import { copySignals, isSignalName, type SignalValues } from '../contract/signals.ts';
import type { Prisma } from './generated/prisma/client.ts';

/** What is known of a vehicle, and when each section was last observed (epoch ms). */
export type KnownState = { signals: SignalValues; seenAt: Readonly<Record<string, number>> };

const storedValues = z.custom<SignalValues>(
  (values) =>
    typeof values === 'object' && values !== null && Object.keys(values).every(isSignalName),
);

const storedSections = z.record(
  z.string(),
  z.object({ observedAt: z.number(), values: storedValues }),
);

/** The last known state of a vehicle; empty while nothing was observed. Only ingest writes it, so its values are signals. */
export async function readKnownState(
  db: Prisma.TransactionClient,
  vehicleId: string,
): Promise<KnownState> {
  const row = await db.vehicleState.findUnique({
    where: { vehicleId },
    select: { sections: true },
  });
  const sections = row === null ? {} : storedSections.parse(row.sections);
  const signals: SignalValues = {};
  const seenAt: Record<string, number> = {};
  for (const [section, { observedAt, values }] of Object.entries(sections)) {
    copySignals(values, signals);
    seenAt[section] = observedAt;
  }
  return { signals, seenAt };
}
