import type { Clock } from '../base/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/units.ts';
import type { Particulars, ScheduleTold } from '../contract/particulars.ts';
import type { Answer } from '../maker/answer.ts';
import type { MakerApi } from '../maker/api.ts';
import { alertsIn, driversIn } from '../maker/particulars.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { storeParticulars } from '../store/particulars.ts';
import { inCommit } from './apply.ts';
import type { IngestLog } from './backlog.ts';

/** How often the maker is asked, where every call costs; in the garage somebody watches. */
const EVERY_MS = { maker: DAY_MS, garage: 5 * MINUTE_MS } as const;

/** Pause after the maker did not answer. */
const RETRY_MS = HOUR_MS;

/** A vehicle, with what is remembered about the asking. */
export type Asked = {
  vehicle: { id: string; vin: string; simulated: boolean; particularsAt: Date | null };
  /** Until when the maker is left alone after a failure, epoch ms. */
  restsUntil: number;
  /** The plans that were stored last, as text. */
  schedules: string | null;
};

type Parts = { prisma: PrismaClient; clock: Clock; log: IngestLog };

/**
 * Keeps a vehicle's alerts, drivers and plans. Call it right after the vehicle answered for its data, so that nothing is
 * asked of one that sleeps or is to fall asleep: the plans came with that answer, the rest is asked for once a day, or
 * sooner where `particularsAt` was taken back.
 */
export async function keepParticulars(
  asked: Asked,
  api: Pick<MakerApi, 'recentAlerts' | 'drivers'>,
  schedules: ScheduleTold[] | null,
  { prisma, clock, log }: Parts,
): Promise<void> {
  const { vehicle } = asked;
  const at = clock();
  const { simulated, particularsAt } = vehicle;
  const due = at >= asked.restsUntil && isRoundDue(simulated, particularsAt, at);
  const text = schedules === null ? asked.schedules : JSON.stringify(schedules);
  const news = text !== asked.schedules;
  const rest = due ? await askFor(vehicle, api, { clock, log }) : null;
  const particulars: Particulars = {
    alerts: rest?.alerts ?? null,
    drivers: rest?.drivers ?? null,
    schedules: news ? schedules : null,
  };
  const answered = particulars.alerts !== null;
  if (due && !answered) asked.restsUntil = at + RETRY_MS;
  if (!news && !answered && particulars.drivers === null) return;
  await inCommit(prisma, vehicle.id, async (tx) => {
    const target = await tx.vehicle.update({
      where: { id: vehicle.id },
      data: answered ? { particularsAt: new Date(at) } : {},
      select: { id: true, accountId: true, publicId: true, simulated: true },
    });
    await storeParticulars(tx, target, particulars, at);
  });
  if (answered) vehicle.particularsAt = new Date(at);
  asked.schedules = text;
}

/** Whether a daily round of a vehicle is due at `at` (epoch ms), the last having been at `last`. */
export function isRoundDue(simulated: boolean, last: Date | null, at: number): boolean {
  const everyMs = simulated ? EVERY_MS.garage : EVERY_MS.maker;
  return last === null || at - last.getTime() >= everyMs;
}

/** Drivers are told to the owner alone, so the refusal of that list is nothing to stop for. */
async function askFor(
  { id, vin }: Asked['vehicle'],
  api: Pick<MakerApi, 'recentAlerts' | 'drivers'>,
  { clock, log }: Pick<Parts, 'clock' | 'log'>,
): Promise<Pick<Particulars, 'alerts' | 'drivers'>> {
  const told = (what: string, answer: Answer<unknown>): unknown => {
    if (answer.kind === 'ok') return answer.value;
    // What our own limits hold back was not sent.
    if (answer.kind !== 'forbidden' && answer.kind !== 'held_back') {
      const { kind, status } = answer;
      log.warn({ vehicleId: id, what, failure: kind, status }, 'The maker did not tell it.');
    }
    return null;
  };
  const alerts = alertsIn(told('alerts', await api.recentAlerts(vin)), clock());
  if (alerts === null) return { alerts, drivers: null };
  return { alerts, drivers: driversIn(told('drivers', await api.drivers(vin))) };
}
