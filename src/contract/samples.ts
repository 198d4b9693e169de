/**
 * The columns of a sample of a drive or a charge, with the precision in which they are kept: values are stored as
 * whole multiples of `step` (performance.md §3). Their order is part of the stored form; new columns go to the end.
 */
export const sampleColumns = {
  latitude: { step: 1e-6, unit: '°' },
  longitude: { step: 1e-6, unit: '°' },
  headingDeg: { step: 1, unit: '°' },
  speedKmh: { step: 0.1, unit: 'km/h' },
  powerKw: { step: 0.1, unit: 'kW' },
  batteryLevelPct: { step: 0.1, unit: '%' },
  odometerKm: { step: 0.001, unit: 'km' },
  elevationM: { step: 1, unit: 'm' },
  rangeRatedKm: { step: 0.1, unit: 'km' },
  insideTempC: { step: 0.1, unit: '°C' },
  outsideTempC: { step: 0.1, unit: '°C' },
  chargerPowerKw: { step: 0.1, unit: 'kW' },
  chargerVoltageV: { step: 0.1, unit: 'V' },
  chargeActualCurrentA: { step: 0.1, unit: 'A' },
  chargerPhases: { step: 1, unit: '' },
  chargeEnergyAddedKwh: { step: 0.001, unit: 'kWh' },
  batteryHeaterOn: { step: 1, unit: '0 or 1' },
} as const satisfies Record<string, { step: number; unit: string }>;

export type SampleColumn = keyof typeof sampleColumns;

/** One sample: its event time in epoch milliseconds, and what was known then. */
export type Sample = { at: number } & { [C in SampleColumn]: number | null };
