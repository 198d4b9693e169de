import type { ChargeRow, ChargeSegmentRow } from '../contract/effects.ts';
import type { Mean } from './mean.ts';

/** The signals that count the energy of a charge. */
export type EnergyCounter = 'chargeEnergyAddedKwh' | 'dcEnergyInKwh';

/** A plug-in session: its row so far, and the segment in which energy flows, if any. */
export type OpenCharge = {
  row: ChargeRow;
  segments: ChargeSegmentRow[];
  lastAt: number;
  /** Whether energy flowed at the last sample, and at what power [kW]. */
  flowing: boolean;
  lastPowerKw: number | null;
  /** The counter that is followed: that of snapshots, or the pack's, which a stream gives. */
  counter: EnergyCounter;
  /** Whether no energy flowed yet when the session was first seen. */
  startSeen: boolean;
  /** Counter at which the present run began, and its newest value [kWh]. */
  baseKwh: number | null;
  counterKwh: number | null;
  /** Energy of the runs before a counter reset [kWh]. */
  finishedRunsKwh: number;
  /** Energy left in the pack when it was first heard of, and the most it gained since [kWh]; for sessions without a counter. */
  packBaseKwh?: number | null;
  packGainKwh?: number | null;
  /** The counter at an alternating-current charger, and what it gained in the session [kWh]. */
  meter?: { lastKwh: number; gainedKwh: number };
  /** Whether the vehicle said that it was full when the current ended last. */
  complete?: boolean;
  flowMs: number;
  usedKwh: number;
  outsideTemp: Mean;
};
