import { describe, expect, it, type TestContext } from 'vitest';
import { replay } from '../../src/ingest/replay.ts';
import { recordedText } from '../maker/recordings.ts';

function replayed(name: string, context: TestContext) {
  const recording = recordedText(`telemetry/${name}.jsonl`);
  if (!recording.found) return context.skip(recording.reason);
  const report = replay(recording.text.split('\n'));
  expect(report.rejected).toBeUndefined();
  expect(report.vehicles).toHaveLength(1);
  const [vehicle] = report.vehicles;
  if (vehicle === undefined) throw new Error('The recording has no vehicle.');
  expect(vehicle.rejected).toEqual([]);
  return vehicle;
}

const KM_PER_MILE = 1.609344;

describe('the recording of', () => {
  it('a drive without gear at its start is one drive over its hole and its reverse', (context) => {
    const { drives, charges, discarded } = replayed('DrivingBySpeed', context);
    expect({ charges, discarded }).toEqual({ charges: [], discarded: [] });
    expect(drives).toHaveLength(1);
    expect(drives[0]).toMatchObject({
      state: 'ENDED',
      started_at: '2025-01-03T14:54:03.325Z',
      ended_at: '2025-01-03T14:59:05.825Z',
      battery_start_pct: 84.692,
      battery_end_pct: 83.304,
      energy_used_kwh: null,
    });
    expect(drives[0]?.odometer_start_km).toBeCloseTo(46882.7228 * KM_PER_MILE, 2);
    expect(drives[0]?.odometer_end_km).toBeCloseTo(46884.5788 * KM_PER_MILE, 2);
    expect(drives[0]?.distance_km).toBeCloseTo((46884.5788 - 46882.72276) * KM_PER_MILE, 2);
    expect(drives[0]?.speed_max_kmh).toBeCloseTo(36, 3);
  });

  it('nine metres until P is a discarded drive', (context) => {
    const { drives, discarded } = replayed('DrivingBySpeed_typed', context);
    expect(drives).toEqual([]);
    expect(discarded).toEqual([
      {
        kind: 'drive',
        reason: 'under_10_m',
        started_at: '2025-01-31T16:34:20.181Z',
        ended_at: '2025-01-31T16:34:32.681Z',
      },
    ]);
  });

  it('five seconds in D is a discarded drive', (context) => {
    const { drives, discarded } = replayed('DrivingByGear_typed', context);
    expect(drives).toEqual([]);
    expect(discarded).toEqual([
      {
        kind: 'drive',
        reason: 'under_10_m',
        started_at: '2025-01-30T19:45:59.068Z',
        ended_at: '2025-01-30T19:46:04.067Z',
      },
    ]);
  });

  it('alternating current under way counts from its first sight and says that it is partial', (context) => {
    const { charges, drives } = replayed('ACCharging1', context);
    expect(drives).toEqual([]);
    expect(charges).toMatchObject([
      {
        state: 'ONGOING',
        kind: 'AC',
        started_at: '2025-01-02T18:05:53.233Z',
        ended_at: null,
        energy_added_kwh: 0.24,
        energy_partial: true,
        battery_end_pct: 72.609,
      },
    ]);
  });

  it('alternating current that heats first is charging from its start', (context) => {
    const { charges } = replayed('ACCharging2', context);
    expect(charges).toMatchObject([
      {
        kind: 'AC',
        started_at: '2025-01-19T10:55:02.539Z',
        energy_added_kwh: 0.08,
        energy_partial: false,
        battery_end_pct: 5.342,
        segments: [
          { started_at: '2025-01-19T10:55:03.539Z', ended_at: null, energy_added_kwh: 0.08 },
        ],
      },
    ]);
  });

  it('a fast charge counts from zero', (context) => {
    const { charges } = replayed('DCCharging2', context);
    expect(charges).toMatchObject([
      {
        kind: 'DC',
        started_at: '2024-12-30T11:11:31.032Z',
        energy_added_kwh: 10.4,
        energy_partial: false,
        battery_end_pct: 14.437,
        segments: [{ kind: 'DC', energy_added_kwh: 10.4 }],
      },
    ]);
    expect(charges[0]?.power_max_kw).toBeCloseTo(251.129, 3);
  });
});
