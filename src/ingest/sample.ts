import type { Sample } from '../contract/samples.ts';
import type { SignalValues } from '../contract/signals.ts';

/** The sample that the values of a vehicle make at `at`. */
export function sampleOf(at: number, values: SignalValues): Sample {
  return {
    at,
    latitude: values.latitude ?? null,
    longitude: values.longitude ?? null,
    headingDeg: values.headingDeg ?? null,
    speedKmh: values.speedKmh ?? null,
    powerKw: values.powerKw ?? null,
    batteryLevelPct: values.batteryLevelPct ?? null,
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
