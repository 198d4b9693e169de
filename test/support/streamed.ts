import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { createIntake, type IntakeOutcome } from '../../src/ingest/intake.ts';
import { type PumpCounts, reduceDue } from '../../src/ingest/pump.ts';
import { readRecordLine } from '../../src/ingest/record-line.ts';
import { storedHistory } from '../../src/ingest/replay-in-store.ts';
import { type ReplayReport, reportOf } from '../../src/ingest/replay-report.ts';
import type { PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { newAccount } from '../auth/household.ts';

/** A vehicle of a new account, or of the given one. */
export async function newStreamed(
  prisma: PrismaClient,
  vin: string,
  accountId?: string,
): Promise<{ id: string; vin: string; accountId: string }> {
  const id = newUuid();
  const owner = accountId ?? (await newAccount(prisma));
  const publicId = `car-${id.slice(-10)}`;
  await prisma.vehicle.create({ data: { id, accountId: owner, publicId, vin, maker: 'maker' } });
  return { id, vin, accountId: owner };
}

/** The ingest of streams over a database, at times that the test says (epoch ms). */
export function streamIngest(prisma: PrismaClient, startAt: number) {
  const clock = Object.assign(() => clock.at, { at: startAt });
  const intake = createIntake({ prisma, clock });
  const counts: PumpCounts = {
    reduced: 0,
    again: 0,
    refused: 0,
    failures: 0,
    putAside: 0,
    swept: 0,
  };
  const reduce = async () => {
    await reduceDue({ prisma, clock, log: silentLog }, counts, new AbortController().signal);
    if (counts.failures > 0) throw new Error('A journal could not be reduced.');
  };
  return {
    clock,
    counts,
    reduce,
    /** Brings lines in, as one request does. */
    take: (lines: readonly string[]): Promise<IntakeOutcome> =>
      intake.take(
        lines.map((line) => {
          const read = readRecordLine(line, clock.at);
          if (!read.ok) throw new Error(`The line is no record: ${read.reason}`);
          return read.record;
        }),
      ),
    /** Lets so much time pass, in steps, that nothing waits any more. */
    settle: async () => {
      for (const minutes of [2, 200]) {
        clock.at += minutes * 60_000;
        await reduce();
      }
    },
  };
}

/** What the store holds of a vehicle, as `replay` reports it. */
export async function storedReport(
  prisma: PrismaClient,
  vehicle: { id: string; vin: string },
): Promise<ReplayReport> {
  const history = await storedHistory(prisma, vehicle.id, vehicle.vin);
  return reportOf([history], { events: new Map(), rejected: new Map(), unnamed: [] });
}
