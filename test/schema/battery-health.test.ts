import { afterAll, beforeAll, expect, it } from 'vitest';
import { typeIdOf } from '../../src/base/ids.ts';
import { describeEachEngine, type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { aCharge, anAccount, aPrincipal, aVehicle } from '../support/rows.ts';
import { answer, at } from './ask.ts';

describeEachEngine('battery health', (engine) => {
  let db: ScratchDatabase;
  beforeAll(async () => {
    db = await scratchDatabase(engine);
  });
  afterAll(() => db.close());

  it('rests on ended charges of more than 20 %, counted from the start, and names them', async () => {
    const account = await anAccount(db.prisma);
    const vehicle = await aVehicle(db.prisma, account, { originalCapacityKwh: 80 });
    const of72 = { startBatteryLevelPct: 30, endBatteryLevelPct: 80, energyAddedKwh: 36 };
    const newest = await aCharge(db.prisma, vehicle, 1, of72);
    const older = await aCharge(db.prisma, vehicle, 3, { ...of72, energyAddedKwh: 35 });
    const of60 = { ...of72, energyAddedKwh: 30 };
    for (const data of [
      { state: 'ONGOING' as const },
      { state: 'DISCARDED' as const },
      { deletedAt: new Date() },
      { energyPartial: true },
      { endBatteryLevelPct: 50, energyAddedKwh: 12 },
      { endBatteryLevelPct: null },
    ]) {
      await aCharge(db.prisma, vehicle, 2, { ...of60, ...data });
    }
    const other = await aVehicle(db.prisma, account);
    await aCharge(db.prisma, other, 1, of60);
    const data = await answer(
      db.prisma,
      aPrincipal(account),
      `query ($id: ID!) { vehicle(publicId: $id) { batteryHealth { capacityKwh originalCapacityKwh degradationPct
        method confidence spreadPct sampleCount samples { chargeId at risePct energyAddedKwh capacityKwh } } } }`,
      { id: vehicle.publicId },
    );
    const sample = ({ id, startedAt }: typeof newest, energyAddedKwh: number) => ({
      chargeId: typeIdOf('Charge', id),
      at: startedAt.toISOString(),
      risePct: 50,
      energyAddedKwh,
      capacityKwh: energyAddedKwh * 2,
    });
    expect(at(data, 'vehicle.batteryHealth')).toEqual({
      capacityKwh: 71,
      originalCapacityKwh: 80,
      degradationPct: 11.3,
      method: 'MEDIAN_OF_CHARGES',
      confidence: 'LOW',
      spreadPct: 1.4,
      sampleCount: 2,
      samples: [sample(newest, 36), sample(older, 35)],
    });
  });
});
