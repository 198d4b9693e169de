import { tellCosts } from '../ingest/cost-events.ts';
import { columnsOf, priceCharges } from '../ingest/price-charges.ts';
import type { HistoryEdit } from '../store/generated/prisma/client.ts';
import type { AccountCall } from './account-call.ts';
import { chargeIn, editHistory, remember, vehicleOf, type Within } from './edit-history.ts';
import { readChargeChanges } from './edit-input.ts';

/**
 * Puts tags, a note or a cost on a charge; a cost that is taken off again is computed by the tariff. Throws `not_found`
 * and `validation_failed`.
 */
export async function updateCharge(
  call: AccountCall,
  { id, ...within }: Within & { id: string },
  input: unknown,
): Promise<HistoryEdit> {
  const { cost, ...plain } = readChargeChanges(input);
  const vehicleId = await vehicleOf(call, 'charge', { id, ...within });
  return editHistory(call, { kind: 'CHARGE_UPDATE', vehicleId }, async (course) => {
    const { tx, at, vehicle } = course;
    const charge = await chargeIn(course, id);
    const { tags, note, editedAt, costAmount, costCurrency, costMethod } = charge;
    const { tariffId, costBreakdown } = charge;
    const ofCost = { costAmount, costCurrency, costMethod, tariffId, costBreakdown };
    remember(course, 'charge', { id: charge.id, tags, note, editedAt, ...ofCost });
    const data = {
      ...plain,
      ...(cost === undefined ? {} : costData(cost)),
      editedAt: new Date(at),
    };
    await tx.charge.update({ where: { id: charge.id }, data });
    if (cost === null) await priceCharges(tx, vehicle, [charge.id]);
    const now = await tx.charge.findUniqueOrThrow({ where: { id: charge.id } });
    const [before, after] = [columnsOf(charge), columnsOf(now)];
    const { state } = charge;
    course.events.push({
      type: 'charge.updated',
      occurredAt: at,
      data: { chargeId: charge.id, state },
    });
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await tellCosts(tx, vehicle, [{ chargeId: charge.id, before, after }], at);
  });
}

function costData(cost: { amount: string; currency: string } | null) {
  return {
    costAmount: cost?.amount ?? null,
    costCurrency: cost?.currency ?? null,
    costMethod: cost === null ? 'NONE' : 'MANUAL',
    tariffId: null,
    costBreakdown: [],
  } as const;
}
