import { derivedUuid } from '../base/ids.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { applyEvents } from './apply.ts';
import { replayId } from './replay.ts';
import { type ReplayReport, reportOf, type VehicleHistory } from './replay-report.ts';
import type { CollectedTrace } from './replay-trace.ts';
import type { IngestEvent } from './state.ts';

/** Events that go into one transaction. */
const EVENTS_PER_COMMIT = 2_000;

/** Replays a trace through the store, as live records go, and reports what the store holds then. The store is a scratch. */
export async function replayInStore(
  prisma: PrismaClient,
  trace: CollectedTrace,
): Promise<ReplayReport> {
  const accountId = derivedUuid(0, 'replay');
  await prisma.account.create({ data: { id: accountId, name: 'Replay' } });
  const histories: VehicleHistory[] = [];
  for (const [vin, events] of trace.events) {
    const id = replayId(vin);
    const publicId = `replay-${histories.length + 1}`;
    await prisma.vehicle.create({ data: { id, accountId, vin, publicId, maker: 'replay' } });
    await applyAll(prisma, id, events);
    histories.push(await storedHistory(prisma, id, vin));
  }
  return reportOf(histories, trace);
}

async function applyAll(
  prisma: PrismaClient,
  vehicleId: string,
  events: readonly IngestEvent[],
): Promise<void> {
  for (let from = 0; from < events.length; from += EVENTS_PER_COMMIT) {
    const part = events.slice(from, from + EVENTS_PER_COMMIT);
    await applyEvents(prisma, vehicleId, part);
  }
}

/** What the store holds of a vehicle. */
export async function storedHistory(
  prisma: PrismaClient,
  vehicleId: string,
  vin: string,
): Promise<VehicleHistory> {
  const where = { vehicleId };
  const drives = await prisma.drive.findMany({ where });
  const charges = await prisma.charge.findMany({ where, include: { segments: true } });
  const installations = await prisma.softwareInstallation.findMany({
    where,
    include: { softwareUpdate: { select: { version: true } } },
  });
  const spans = await prisma.stateSpan.findMany({ where });
  return {
    vin,
    drives: drives.map((row) => ({ ...row, ...timesOf(row) })),
    charges: charges.map((row) => ({
      ...row,
      ...timesOf(row),
      durationS: row.durationS ?? 0,
      segments: row.segments.map((segment) => ({ ...segment, ...timesOf(segment) })),
    })),
    installations: installations.map(({ softwareUpdate: { version }, state, ...row }) => ({
      version,
      state,
      seenAt: row.seenAt.getTime(),
      startedAt: row.startedAt?.getTime() ?? null,
      endedAt: row.endedAt?.getTime() ?? null,
    })),
    spans: spans.map((row) => ({ status: row.status, ...timesOf(row) })),
  };
}

function timesOf({ startedAt, endedAt }: { startedAt: Date; endedAt: Date | null }) {
  return { startedAt: startedAt.getTime(), endedAt: endedAt?.getTime() ?? null };
}
