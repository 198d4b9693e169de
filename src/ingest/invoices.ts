import type { Clock } from '../base/clock.ts';
import { DAY_MS } from '../base/units.ts';
import type { Failure } from '../maker/answer.ts';
import type { MakerApi } from '../maker/api.ts';
import { type ChargingSession, sessionsIn } from '../maker/charging-history.ts';
import { chargingScope } from '../maker/grants.ts';
import type { CostMethod, Prisma, PrismaClient } from '../store/generated/prisma/client.ts';
import { inCommit } from './apply.ts';
import type { IngestCounts, IngestLog } from './backlog.ts';
import { costOfSession, isBillDue, LAST_ASKED_AFTER_MS, matchSessions } from './bill.ts';
import { tellCosts } from './cost-events.ts';
import { heedLimits, type MakerLimits } from './maker-gate.ts';
import { isRoundDue } from './particulars.ts';
import { type CostChange, storeCost } from './price-charges.ts';

/** How long an account is not asked again whose tokens do not reach that far. */
const REFUSED_MS = 7 * DAY_MS;
/** How far back charges are billed, however long nobody asked. */
const FURTHEST_MS = 60 * DAY_MS;

/** Costs that a bill may still change; a charge that is free now may be billed later. */
const open: readonly CostMethod[] = ['NONE', 'TARIFF', 'FREE'];

/** A vehicle, and until when the maker is not asked what its charges cost (epoch ms). */
export type Billed = {
  vehicle: {
    id: string;
    vin: string;
    simulated: boolean;
    billsAt: Date | null;
    makerAccount: { id: string };
  };
  invoicesRestUntil: number;
};

type Parts = {
  prisma: PrismaClient;
  clock: Clock;
  log: IngestLog;
  counts: IngestCounts;
  limits: Pick<MakerLimits, 'windows'>;
};

/**
 * Gives charges at the maker's fast chargers the cost that the maker billed, once a day. Bills are of the account and cost
 * nothing to ask for, so the vehicle need not be awake or be asked for anything itself. The maker is asked only where a bill
 * is due.
 */
export async function keepInvoices(
  billed: Billed,
  api: Pick<MakerApi, 'chargingHistory'>,
  parts: Parts,
): Promise<void> {
  const { id, vin, simulated, billsAt } = billed.vehicle;
  const { prisma, clock } = parts;
  const at = clock();
  if (at < billed.invoicesRestUntil || !isRoundDue(simulated, billsAt, at)) return;
  const since = billsAt?.getTime() ?? null;
  const earliest = Math.max(Math.min(since ?? at, at) - LAST_ASKED_AFTER_MS, at - FURTHEST_MS);
  const charges = await readCharges(prisma, id, earliest);
  const due = charges.find(
    ({ costMethod, endedAt }) => open.includes(costMethod) && isBillDue(endedAt, since, at),
  );
  const now = new Date(at);
  await prisma.vehicle.updateMany({ where: { id }, data: { billsAt: now } });
  billed.vehicle.billsAt = now;
  if (due === undefined) return;
  const fromMs = due.startedAt - DAY_MS;
  const answer = await api.chargingHistory({ vin, fromMs });
  if (answer.kind !== 'ok') return notTold(billed, answer, parts);
  const sessions = sessionsIn(answer.value, clock()).filter((session) => session.vin === vin);
  if (sessions.length > 0) await storeBills(id, sessions, { fromMs, parts });
}

/** The charges of a vehicle that the maker may have billed, ended after `since` (epoch ms), the oldest first. */
async function readCharges(tx: Prisma.TransactionClient, vehicleId: string, since: number) {
  const rows = await tx.charge.findMany({
    where: {
      vehicleId,
      // A stream does not always tell whose charger it is; the bill does.
      OR: [{ network: 'MAKER_FAST' }, { network: 'UNKNOWN', kind: 'DC' }],
      startedAt: { gt: new Date(since - DAY_MS) },
      endedAt: { gt: new Date(since) },
      state: { not: 'DISCARDED' },
      deletedAt: null,
      vehicle: {
        calculateCost: true,
        // None are noted of the garage.
        makerAccount: {
          OR: [{ grantedScopes: { has: chargingScope } }, { grantedScopes: { isEmpty: true } }],
        },
      },
    },
    orderBy: { startedAt: 'asc' },
  });
  return rows.flatMap((row) =>
    row.endedAt === null
      ? []
      : {
          row,
          costMethod: row.costMethod,
          startedAt: row.startedAt.getTime(),
          endedAt: row.endedAt.getTime(),
        },
  );
}

/** All charges of the time take part, so that no session goes to a second one; what a person said stays. */
async function storeBills(
  vehicleId: string,
  sessions: readonly ChargingSession[],
  { fromMs, parts: { prisma, clock } }: { fromMs: number; parts: Parts },
): Promise<void> {
  await inCommit(prisma, vehicleId, async (tx) => {
    const changes: CostChange[] = [];
    const charges = await readCharges(tx, vehicleId, fromMs);
    for (const { charge, session } of matchSessions(charges, sessions)) {
      if (charge.row.network === 'UNKNOWN') await atMakers(tx, charge.row.id);
      if (charge.costMethod === 'MANUAL') continue;
      const change = await storeCost(tx, charge.row, costOfSession(session));
      if (change !== null) changes.push(change);
    }
    if (changes.length === 0) return;
    const target = await tx.vehicle.findUniqueOrThrow({
      where: { id: vehicleId },
      select: { id: true, accountId: true, publicId: true },
    });
    await tellCosts(tx, target, changes, clock());
  });
}

async function atMakers(tx: Prisma.TransactionClient, id: string): Promise<void> {
  await tx.charge.update({ where: { id }, data: { network: 'MAKER_FAST' } });
}

function notTold(billed: Billed, answer: Failure, { clock, log, counts, limits }: Parts): void {
  const { id: vehicleId, makerAccount } = billed.vehicle;
  const { kind, status } = answer;
  counts.failures += 1;
  heedLimits(makerAccount.id, answer, limits.windows);
  if (kind === 'forbidden') billed.invoicesRestUntil = clock() + REFUSED_MS;
  log.warn({ vehicleId, failure: kind, status }, 'The maker did not tell what charges cost.');
}
