import { derivedUuid } from '../base/ids.ts';
import type { ChargeRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import { type ChargerOwner, chargerOwner } from '../maker/charger.ts';
import { positionOf } from './geodesy.ts';
import { networkAt } from './keep-places.ts';
import type { EnergyCounter } from './open-charge.ts';
import { type PlaceShape, placeAt } from './places.ts';
import { levelOf } from './sample.ts';
import type { MachineState, Moment } from './state.ts';

/** Whether what is known says that a cable is in; null where it says nothing. */
export function isPluggedIn(values: SignalValues): boolean | null {
  if (values.chargeStatus != null && values.chargeStatus !== 'UNKNOWN') {
    return values.chargeStatus !== 'DISCONNECTED';
  }
  return values.pluggedIn ?? null;
}

/** A stream counts at the pack; that of a snapshot may be left from long ago. */
export function counterOf(values: SignalValues, { observation }: Moment): EnergyCounter {
  const atPack = observation.source === 'STREAM' && values.dcEnergyInKwh != null;
  return atPack ? 'dcEnergyInKwh' : 'chargeEnergyAddedKwh';
}

/** The row of a session at its first sight. */
export function emptyCharge(
  state: MachineState,
  moment: Moment,
  energyPartial: boolean,
): ChargeRow {
  const { values } = state;
  const position = positionOf(values.latitude, values.longitude);
  const place = placeAt(moment.context.places, position);
  return {
    id: derivedUuid(moment.at, moment.context.vehicleId, 'charge'),
    state: 'ONGOING',
    discardReason: null,
    startedAt: moment.at,
    endedAt: null,
    durationS: 0,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    placeId: place?.id ?? null,
    kind: null,
    network: networkOf(chargerOwner(values, moment.observation.source), place?.kind),
    startBatteryLevelPct: levelOf(values),
    endBatteryLevelPct: null,
    startRangeRatedKm: values.rangeRatedKm ?? null,
    endRangeRatedKm: null,
    energyAddedKwh: null,
    energyPartial,
    energyUsedKwh: null,
    efficiencyPct: null,
    powerMaxKw: null,
    powerAvgKw: null,
    odometerKm: values.odometerKm ?? null,
    outsideTempAvgC: null,
    idleMinutes: null,
    limitPct: values.chargeLimitPct ?? null,
    sampleCount: 0,
    source: moment.observation.source,
  };
}

function networkOf(
  owner: ChargerOwner,
  placeKind: PlaceShape['kind'] | undefined,
): ChargeRow['network'] {
  return owner === 'UNKNOWN' ? networkAt(placeKind) : owner;
}
