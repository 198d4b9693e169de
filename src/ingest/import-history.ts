import { DAY_MS } from '../base/units.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { applyEvents } from './apply.ts';
import type { IngestEvent } from './state.ts';
import { eventOfLine, type TraceLine } from './trace.ts';

/** Days of a trace that go into one transaction. */
const DAYS_PER_COMMIT = 10;

/**
 * Feeds a vehicle's trace, in time order, through the same reducer as live answers. It commits every few days, so a crash
 * loses at most the unfinished stretch, and starting over changes nothing that is there already.
 */
export async function importHistory(
  prisma: PrismaClient,
  vehicleId: string,
  lines: Iterable<TraceLine>,
): Promise<{ lines: number }> {
  let events: IngestEvent[] = [];
  let count = 0;
  let commitAt = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    count += 1;
    if (commitAt === Number.POSITIVE_INFINITY) commitAt = line.at + DAYS_PER_COMMIT * DAY_MS;
    if (line.at >= commitAt) {
      await applyEvents(prisma, vehicleId, events, { emitEvents: false });
      events = [];
      commitAt = line.at + DAYS_PER_COMMIT * DAY_MS;
    }
    const event = eventOfLine(line, 'POLL');
    if (event !== null) events.push(event);
  }
  if (events.length > 0) await applyEvents(prisma, vehicleId, events, { emitEvents: false });
  return { lines: count };
}
