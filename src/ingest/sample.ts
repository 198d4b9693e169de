import type { Sample } from '../contract/samples.ts';
import type { SignalValues } from '../contract/signals.ts';

/** The level as far as it is known [%]: a stream may give the usable level alone. */
export function levelOf(
  values: Pick<SignalValues, 'batteryLevelPct' | 'usableBatteryLevelPct'>,
): number | null {
  return values.batteryLevelPct ?? values.usableBatteryLevelPct ?? null;
}

/** The sample that the values of a vehicle make at `at`. */
export function sampleOf(at: number, values: SignalValues): Sample {
  return {
    at,
    latitude: values.latitude ?? null,
    longitude: values.longitude ?? null,
    headingDeg: values.headingDeg ?? null,
    speedKmh: values.speedKmh ?? null,
    powerKw: values.powerKw ?? null,
    batteryLevelPct: levelOf(values),
    odometerKm: values.odometerKm ?? null,
    elevationM: values.elevationM ?? null,
    rangeRatedKm: values.rangeRatedKm ?? null,
    insideTempC: values.insideTempC ?? null,
    outsideTempC: values.outsideTempC ?? null,
    chargerPowerKw: values.chargerPowerKw ?? null,
    chargerVoltageV: values.chargerVoltageV ?? null,
    chargeActualCurrentA: values.chargeActualCurrentA ?? null,
    chargerPhases: values.chargerPhases ?? null,
    chargeEnergyAddedKwh: values.chargeEnergyAddedKwh ?? null,
    batteryHeaterOn: values.batteryHeaterOn == null ? null : Number(values.batteryHeaterOn),
  };
}
