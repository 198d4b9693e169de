import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/base/units.ts';
import { scenarios } from '../../src/simulator/scenarios.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { byLooks, byStream, expectDone, expectWhole, stateAt, within } from './held.ts';
import { type Played, played } from './playing.ts';
import { openWayIn, type WayIn } from './way-in.ts';
import { badRadio } from './weeks.ts';

const middleOf = ({ fromMs, untilMs }: { fromMs: number; untilMs: number }) =>
  (fromMs + untilMs) / 2;

const statesOf = (of: 'drives' | 'charges' | 'installations', { recorded, ledger }: Played) =>
  ledger[of].map((done) => stateAt(recorded, middleOf(done)));
const ended = ({ recorded }: Played) => recorded.drives.map(({ state }) => state);
const sumKm = (drives: readonly { km: number }[]) => drives.reduce((sum, { km }) => sum + km, 0);
const recordedKm = ({ recorded }: Played) =>
  sumKm(recorded.drives.map(({ distance_km: km }) => ({ km: km ?? 0 })));

/** Of a car that is sold, what its first owner did. */
const beforeSale = ({ ledger: { drives } }: Played) => ({
  drives: drives.slice(0, 1),
  charges: [],
});

function expectAsleep({ recorded, ledger }: Played): void {
  const asleep = ledger.sleeps.filter(({ fromMs, untilMs }) => untilMs - fromMs > MINUTE_MS);
  expect(asleep.map((slept) => stateAt(recorded, slept.untilMs - 1))).toEqual(
    asleep.map(() => 'asleep'),
  );
}

/** One session of three flows, each with its part of the energy. */
function expectThreeFlows({ recorded, ledger }: Played): void {
  expect(recorded.charges).toMatchObject([{ state: 'COMPLETE' }]);
  const flows = recorded.charges[0]?.segments.map(({ energy_added_kwh }) => energy_added_kwh ?? 0);
  expect(flows).toHaveLength(3);
  expect(flows?.reduce((kwh, one) => kwh + one, 0)).toEqual(
    within(ledger.charges[0]?.kwh ?? 0, 0.1),
  );
}

function expectInstalled({ recorded, ledger }: Played, offMs: number): void {
  const [done] = ledger.installations;
  expect(recorded.software.map(({ version }) => version)).toEqual(['2026.2.1', done?.version]);
  const installed = recorded.software[1];
  expect([
    installed?.state,
    Date.parse(installed?.started_at ?? ''),
    Date.parse(installed?.ended_at ?? ''),
  ]).toEqual(['INSTALLED', within(done?.fromMs ?? 0, offMs), within(done?.untilMs ?? 0, offMs)]);
  expect([recorded.drives, recorded.charges]).toEqual([[], []]);
}

/** It is followed no more since it was sold, and nothing of what its new owner does is kept. */
function expectSold(it: Played): void {
  expect(it.ledger.drives).toHaveLength(2);
  expect(it.vehicle.archivedAt?.getTime()).toEqual(
    within(scenarios.soldCar.turns(it.ledger)[0]?.atMs ?? 0, MINUTE_MS),
  );
  expect([it.account.status, it.other.archivedAt]).toEqual(['ACTIVE', null]);
}

let db: ScratchDatabase;
beforeAll(async () => {
  db = await scratchDatabase('embedded');
});
afterAll(() => db?.close());

describe('a vehicle that is followed by looks', { timeout: 300_000 }, () => {
  it('commutes, and sleeps between its drives', async () => {
    const it = await played(db.prisma, scenarios.commute);
    expectWhole(it.recorded, it.ledger, byLooks);
    expect(statesOf('drives', it)).toEqual(['driving', 'driving']);
    expectAsleep(it);
    expect([it.account.status, it.recorded.charges, it.counts.failures]).toEqual(['ACTIVE', [], 0]);
  });

  it('charges fast where it is out of reach, and loses neither kilometre nor kilowatt-hour', async () => {
    const it = await played(db.prisma, scenarios.fastChargeOutOfReach);
    const { drives, charges } = it.ledger;
    expect([drives.length, charges.length]).toEqual([2, 1]);
    // Two kilometres of the way are driven unseen, and the car is heard again minutes after it left.
    expectDone(
      { ...it.recorded, charges: [] },
      { drives, charges: [] },
      { ...byLooks, startS: 5 * 60, endS: 2 * 60, km: 2 },
    );
    expect(recordedKm(it)).toEqual(within(sumKm(drives), 0.05));
    expect(it.recorded.charges).toMatchObject([
      { state: 'INCOMPLETE', energy_added_kwh: within(charges[0]?.kwh ?? 0, 0.1) },
    ]);
    expect(ended(it)).toEqual(['INCOMPLETE', 'ENDED']);
  });

  it('vanishes in an underground garage, and has driven until it was last heard', async () => {
    const it = await played(db.prisma, scenarios.undergroundGarage);
    expectDone(it.recorded, it.ledger, { ...byLooks, endS: 2 * 60, km: 1 });
    expect(recordedKm(it)).toEqual(within(sumKm(it.ledger.drives), 0.05));
    expect(ended(it)).toEqual(['INCOMPLETE', 'ENDED']);
    expect(it.counts.failures).toBe(0);
  });

  it('charges overnight with pauses: one session with a segment for each flow', async () => {
    const it = await played(db.prisma, scenarios.overnightWithPauses);
    expectWhole(it.recorded, it.ledger, byLooks);
    expectThreeFlows(it);
  });

  it('installs software by night', async () => {
    const it = await played(db.prisma, scenarios.softwareUpdate);
    expectInstalled(it, 5 * MINUTE_MS);
    expect(statesOf('installations', it)).toEqual(['updating']);
  });

  it('is sold: it is followed no more, and what it did stays', async () => {
    const it = await played(db.prisma, scenarios.soldCar);
    expectWhole(it.recorded, beforeSale(it), byLooks);
    expectSold(it);
  });

  it('moves to another region in mid-drive, and stays on the same drive', async () => {
    const it = await played(db.prisma, scenarios.regionMove);
    expectWhole(it.recorded, it.ledger, byLooks);
    expect(it.account.status).toBe('ACTIVE');
    expect(it.account.baseUrl).not.toBe(it.linkedTo);
  });

  it('is lost with its account’s tokens, and told of again once somebody signs in', async () => {
    const it = await played(db.prisma, scenarios.tokenLoss);
    const { drives } = it.ledger;
    expect(it.recorded.drives.map(({ state, distance_km }) => [state, distance_km])).toEqual(
      ['ENDED', 'INCOMPLETE', 'ENDED'].map((state, index) => [
        state,
        within(drives[index]?.km ?? 0, byLooks.km),
      ]),
    );
    // Of the one that nobody saw, the bounds are known.
    const [, unseen] = it.recorded.drives;
    expect(Date.parse(unseen?.started_at ?? '')).toBeGreaterThan(drives[0]?.untilMs ?? 0);
    expect(Date.parse(unseen?.ended_at ?? '')).toBeGreaterThanOrEqual(drives[1]?.untilMs ?? 0);
    expect(it.account.status).toBe('ACTIVE');
    expect(it.statuses).toEqual(['NEEDS_REAUTH', 'ACTIVE']);
  });
});

describe('a vehicle whose telemetry comes in over HTTP', { timeout: 300_000 }, () => {
  let wayIn: WayIn;
  beforeAll(async () => {
    wayIn = await openWayIn(db.prisma);
  });
  afterAll(() => wayIn?.[Symbol.asyncDispose]());
  const streamed = (scenario: (typeof scenarios)[keyof typeof scenarios]) =>
    played(db.prisma, scenario, { ...badRadio, wayIn });

  it('commutes, and sleeps between its drives', async () => {
    const it = await streamed(scenarios.commute);
    expectWhole(it.recorded, it.ledger, byStream);
    expect(statesOf('drives', it)).toEqual(['driving', 'driving']);
    expectAsleep(it);
    expect([it.account.status, it.recorded.charges, it.counts.failures]).toEqual(['ACTIVE', [], 0]);
  });

  it('charges fast where it is out of reach, and tells of it afterwards as it was', async () => {
    const it = await streamed(scenarios.fastChargeOutOfReach);
    expectWhole(it.recorded, it.ledger, byStream);
    expect(it.recorded.charges).toMatchObject([{ state: 'STOPPED', kind: 'DC' }]);
  });

  it('vanishes in an underground garage, and tells afterwards when it came to rest', async () => {
    const it = await streamed(scenarios.undergroundGarage);
    expectWhole(it.recorded, it.ledger, byStream);
    expect([it.recorded.charges, it.counts.failures]).toEqual([[], 0]);
  });

  it('charges overnight with pauses: one session with a segment for each flow', async () => {
    const it = await streamed(scenarios.overnightWithPauses);
    expectWhole(it.recorded, it.ledger, byStream);
    expectThreeFlows(it);
  });

  it('installs software by night', async () => {
    const it = await streamed(scenarios.softwareUpdate);
    expectInstalled(it, 5 * MINUTE_MS);
    expect(statesOf('installations', it)).toEqual(['updating']);
  });

  it('is sold: what it streams for its new owner is not kept', async () => {
    const it = await streamed(scenarios.soldCar);
    expectWhole(it.recorded, beforeSale(it), byStream);
    expectSold(it);
  });

  it('moves to another region in mid-drive, and stays on the same drive', async () => {
    const it = await streamed(scenarios.regionMove);
    expectWhole(it.recorded, it.ledger, byStream);
    expect(it.account.status).toBe('ACTIVE');
    expect(it.account.baseUrl).not.toBe(it.linkedTo);
  });

  it('streams on while its account’s tokens are lost', async () => {
    const it = await streamed(scenarios.tokenLoss);
    expectWhole(it.recorded, it.ledger, byStream);
    expect(it.account.status).toBe('ACTIVE');
    expect(it.statuses).toEqual(['NEEDS_REAUTH', 'ACTIVE']);
  });
});
