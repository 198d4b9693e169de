import { MINUTE_MS, rounded } from '../base/units.ts';
import type { ChargeSegmentRow } from '../contract/effects.ts';
import { efficiencyOf, energyCounted } from './charge-figures.ts';
import type { OpenCharge } from './open-charge.ts';
import { withEnergy } from './parked.ts';
import type { MachineState, Moment } from './state.ts';
import { withMoreCharged } from './trip.ts';

/** How long after the cable is out a stream may still tell the last of the energy: it counts every half minute or so. */
const LATE_COUNTER_MS = MINUTE_MS;

/** The state that remembers a streamed charge whose cable was just pulled. */
export function withLastCharge(state: MachineState, lastCharge: OpenCharge): MachineState {
  return state.stream === null ? state : { ...state, stream: { ...state.stream, lastCharge } };
}

/** A charge that just ended, with the energy that its counter tells of late. */
export function withLateCounter(state: MachineState, moment: Moment): MachineState {
  const last = state.stream?.lastCharge ?? null;
  if (last === null || last.row.endedAt === null || last.counterKwh === null) return state;
  const nowKwh = moment.fresh[last.counter] ?? null;
  const late = nowKwh !== null && nowKwh > last.counterKwh;
  if (!late || moment.at - last.row.endedAt > LATE_COUNTER_MS) return state;
  const charge = { ...last, counterKwh: nowKwh };
  const addedKwh = energyCounted(charge) ?? 0;
  const moreKwh = rounded(addedKwh - (energyCounted(last) ?? 0), 3);
  if (last.row.state === 'DISCARDED' || moreKwh <= 0) return state;
  const { energyUsedKwh } = last.row;
  const row = {
    ...last.row,
    energyAddedKwh: rounded(addedKwh, 3),
    efficiencyPct: efficiencyOf(energyUsedKwh, addedKwh),
  };
  const segments = withMore(last.segments, moreKwh);
  moment.effects.push(
    { kind: 'charge', row, segments },
    {
      kind: 'event',
      type: 'charge.updated',
      occurredAt: moment.at,
      data: { chargeId: row.id, state: row.state },
    },
  );
  const known = withLastCharge(state, { ...charge, row, segments });
  return withEnergy(withMoreCharged(known, row.id, moreKwh, moment.effects), moreKwh, moment);
}

function withMore(segments: readonly ChargeSegmentRow[], kwh: number): ChargeSegmentRow[] {
  const last = segments.at(-1);
  if (last === undefined) return [];
  const energyAddedKwh = rounded((last.energyAddedKwh ?? 0) + kwh, 3);
  return [...segments.slice(0, -1), { ...last, energyAddedKwh }];
}
