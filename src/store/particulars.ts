import { derivedUuid } from '../base/ids.ts';
import type { AlertTold, DriverTold, Particulars, ScheduleTold } from '../contract/particulars.ts';
import type { Prisma } from './generated/prisma/client.ts';
import { type OutboxEvent, writeEvents } from './outbox.ts';

type Target = { id: string; accountId: string; publicId: string; simulated: boolean };

/**
 * Stores what was learned of a vehicle at `at` (epoch ms), with the events of its alerts. Call it under the vehicle's lock;
 * what was not learned stays as it is.
 */
export async function storeParticulars(
  tx: Prisma.TransactionClient,
  target: Target,
  { alerts, drivers, schedules }: Particulars,
  at: number,
): Promise<void> {
  if (drivers !== null) await replaceDrivers(tx, target.id, drivers, at);
  if (schedules !== null) await replaceSchedules(tx, target.id, schedules, at);
  if (alerts !== null) await writeEvents(tx, target, await storeAlerts(tx, target, alerts, at));
}

async function replaceDrivers(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  drivers: readonly DriverTold[],
  at: number,
): Promise<void> {
  await tx.vehicleDriver.deleteMany({ where: { vehicleId } });
  const observedAt = new Date(at);
  await tx.vehicleDriver.createMany({
    data: drivers.map((driver) => ({ ...driver, vehicleId, observedAt })),
  });
}

async function replaceSchedules(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  schedules: readonly ScheduleTold[],
  at: number,
): Promise<void> {
  await tx.vehicleSchedule.deleteMany({ where: { vehicleId } });
  const observedAt = new Date(at);
  await tx.vehicleSchedule.createMany({
    data: schedules.map((schedule) => ({ ...schedule, vehicleId, observedAt })),
    skipDuplicates: true,
  });
}

/**
 * An alert is its name and time: told again it is the same, told no more it is cleared, and once cleared it stays so. One
 * without a time is the open one of its name.
 */
async function storeAlerts(
  tx: Prisma.TransactionClient,
  { id: vehicleId, simulated }: Target,
  told: readonly AlertTold[],
  at: number,
): Promise<OutboxEvent[]> {
  const open = await tx.alert.findMany({ where: { vehicleId, clearedAt: null } });
  const openByName = new Map(open.map((alert) => [alert.name, alert.id]));
  const rows = told.map(({ raisedAt, ...alert }) => {
    const since = raisedAt ?? at;
    const same = raisedAt === null ? openByName.get(alert.name) : undefined;
    const id = same ?? derivedUuid(since, vehicleId, 'alert', alert.name);
    return { ...alert, id, vehicleId, simulated, raisedAt: new Date(since) };
  });
  const stored = await tx.alert.findMany({
    where: { id: { in: rows.map(({ id }) => id) } },
    select: { id: true },
  });
  const known = new Set(stored.map(({ id }) => id));
  const raised = rows.filter(({ id }) => !known.has(id));
  const present = new Set(rows.map(({ id }) => id));
  const cleared = open.filter(({ id }) => !present.has(id));
  await tx.alert.createMany({ data: raised });
  await tx.alert.updateMany({
    where: { id: { in: cleared.map(({ id }) => id) } },
    data: { clearedAt: new Date(at) },
  });
  const eventOf =
    (type: 'alert.raised' | 'alert.cleared', occurredAt: (raisedAt: Date) => number) =>
    ({ id, name, raisedAt }: { id: string; name: string; raisedAt: Date }): OutboxEvent => ({
      type,
      occurredAt: occurredAt(raisedAt),
      data: { alertId: id, name },
    });
  return [
    ...raised.map(eventOf('alert.raised', (raisedAt) => raisedAt.getTime())),
    ...cleared.map(eventOf('alert.cleared', () => at)),
  ];
}
