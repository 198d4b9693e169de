import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import type { PollProfile } from '../../src/ingest/cadence.ts';
import { cadenceOf } from '../../src/ingest/cadence.ts';
import { distanceKm } from '../../src/ingest/geodesy.ts';
import { lookAt } from '../../src/ingest/poll.ts';
import { recorderTo } from '../../src/ingest/record-answers.ts';
import { replay } from '../../src/ingest/replay.ts';
import { initialState } from '../../src/ingest/state.ts';
import { makerApi } from '../../src/maker/api.ts';
import { redactionWith } from '../../src/maker/redact-answer.ts';
import { isVin } from '../../src/maker/vehicle-identity.ts';
import { open } from '../maker/stand-in.ts';
import { startMaker } from '../simulator/maker.ts';
import { type Outcome, rows, run, situation } from '../support/trace.ts';

const secret = Buffer.alloc(32, 3);
const profile: PollProfile = {
  data: true,
  driving: 30 * SECOND_MS,
  chargingDc: MINUTE_MS,
  chargingAc: 10 * MINUTE_MS,
  idle: 5 * MINUTE_MS,
  list: 4 * MINUTE_MS,
  streaming: 4 * MINUTE_MS,
  settle: 0,
};

describe('a recording of what the maker answered', () => {
  it('of a day replays to the drives and charges of that day, and tells nothing else', async () => {
    await using maker = await startMaker();
    const [vin = ''] = maker.vins;
    const clock = maker.simulator.now;
    const token = async () => maker.simulator.seedTokens({ subject: 'recorded' }).accessToken;
    const lines: string[] = [];
    const recorder = recorderTo((line) => lines.push(line), {
      redaction: redactionWith(secret),
      clock,
    });
    const { baseUrl } = maker.simulator;
    const api = recorder(makerApi({ gate: open, baseUrl, token, clock }));
    const from = clock();
    let outcome: Outcome = { state: initialState, effects: [] };
    let lastDataAt: number | null = null;
    while (clock() < from + 18 * HOUR_MS) {
      const before = situation(outcome.state, { lastDataAt });
      const look = await lookAt(before, { api, vin, clock, profile });
      lastDataAt = look.lastDataAt;
      const next = run(look.events, { efficiencyWhPerKm: null }, outcome.state);
      outcome = { state: next.state, effects: [...outcome.effects, ...next.effects] };
      const after = situation(outcome.state, { lastDataAt });
      maker.turn(cadenceOf(after, clock(), profile).nextInMs);
    }
    const [vehicle, ...others] = replay(lines, { format: 'poll' }).vehicles;
    expect(others).toEqual([]);
    const figures = (list: readonly object[]) => list.map((row) => JSON.parse(JSON.stringify(row)));
    const drives = rows(outcome, 'drive').filter(({ state }) => state !== 'DISCARDED');
    expect(drives.length).toBeGreaterThan(1);
    expect(figures(vehicle?.drives ?? [])).toMatchObject(
      drives.map(({ state, startedAt, distanceKm: km, startBatteryLevelPct }) => ({
        ...{ started_at: new Date(startedAt).toISOString(), distance_km: km },
        ...(state === 'ONGOING' ? {} : { state, battery_start_pct: startBatteryLevelPct }),
      })),
    );
    const charges = rows(outcome, 'charge').filter(({ state }) => state !== 'DISCARDED');
    expect(vehicle?.charges.map(({ energy_added_kwh }) => energy_added_kwh)).toEqual(
      charges.map(({ energyAddedKwh }) => energyAddedKwh),
    );
    const text = lines.join('\n');
    const { spec, state } = maker.simulator.cars[0] ?? {};
    expect(vehicle?.vin).toBe(redactionWith(secret).vin(vin));
    for (const told of [vin, spec?.name, spec?.id.toString(), '0000000000000000'])
      expect(text).not.toContain(String(told));
    for (const told of [state?.lat, state?.lon])
      expect(text).not.toContain(String(told).slice(0, 6));
  });

  it('holds what failed as what failed', async () => {
    const lines: string[] = [];
    await using maker = await startMaker();
    const [vin = ''] = maker.vins;
    const { baseUrl, now: clock } = maker.simulator;
    const { accessToken } = maker.simulator.seedTokens({ subject: 'recorded' });
    const redaction = redactionWith(secret);
    const recorder = recorderTo((line) => lines.push(line), { redaction, clock });
    // Only who is never answered is waited for in vain: on a busy machine any answer may take longer than that.
    const ask = (timeoutMs?: number) =>
      recorder(
        makerApi({ gate: open, baseUrl, token: async () => accessToken, clock, timeoutMs }),
      ).vehicleData(vin, ['drive_state']);
    await ask();
    maker.simulator.fault({ kind: 'hang', times: 1 });
    await ask(300);
    maker.simulator.fault({ kind: 'closed', times: 1 });
    await ask();
    const path = `/api/1/vehicles/${redaction.vin(vin)}/vehicle_data`;
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { at: expect.any(String), path, status: 408, body: { response: null, error: 'asleep' } },
      { at: expect.any(String), path, error: 'timeout' },
      { at: expect.any(String), path, error: 'closed' },
    ]);
    expect(replay(lines).vehicles[0]?.rejected).toEqual([]);
  });
});

describe('a redaction', () => {
  const redaction = redactionWith(secret);

  it('gives a VIN the same stand-in everywhere, and another one with another secret', () => {
    const vin = 'TEST0000000000001';
    const standIn = redaction.vin(vin);
    expect(isVin(standIn)).toBe(true);
    expect(redaction.path(`/api/1/vehicles/${vin}/vehicle_data?endpoints=a`)).toBe(
      `/api/1/vehicles/${standIn}/vehicle_data`,
    );
    expect(redaction.body({ vin, car_version: `2026.8 ${vin}` })).toEqual({
      vin: standIn,
      car_version: null,
    });
    expect(redactionWith(Buffer.alloc(32, 4)).vin(vin)).not.toBe(standIn);
    expect(redaction.vin('TEST0000000000002')).not.toBe(standIn);
  });

  it('moves positions far away and keeps the distances and headings between them', () => {
    const at = (latitude: number, longitude: number, heading = 0) => {
      const told = redaction.body({ latitude, longitude, heading });
      return Object(told) as { latitude: number; longitude: number; heading: number };
    };
    const [from, to] = [
      { latitude: 47.0664, longitude: 9.5032 },
      { latitude: 47.1664, longitude: 9.6032 },
    ];
    const [there, ahead] = [at(47.0664, 9.5032, 34), at(47.1664, 9.6032)];
    expect(distanceKm(there, ahead)).toBeCloseTo(distanceKm(from, to), 3);
    expect(distanceKm(there, from)).toBeGreaterThan(200);
    const near = at(47.0664 + 0.000_83, 9.5032 + 0.000_82);
    const degrees =
      (Math.atan2(
        (near.longitude - there.longitude) * Math.cos((there.latitude * Math.PI) / 180),
        near.latitude - there.latitude,
      ) *
        180) /
      Math.PI;
    expect(Math.abs(((there.heading - degrees + 540) % 360) - 180)).toBeLessThan(2);
  });

  it('leaves out every number that it does not know, wherever it stands', () => {
    const [latitude, longitude] = [47.0664, 9.5032];
    const unknown = { lat: latitude, lng: longitude, speed: latitude, battery_level: 470_664 };
    const body = redaction.body({
      charge_state: { battery_level: 80, charger_lat: latitude, near: { odometer: latitude } },
      drive_state: { speed: 30, heading: 120, last_fix: [latitude, longitude], at: unknown },
      closures_state: unknown,
      charge_schedule_data: { charge_schedules: [{ latitude, longitude, zone: 470_664, id: 7 }] },
      home: latitude,
      in_service: false,
      located_at_home: true,
    });
    const nothing = { lat: null, lng: null, speed: null, battery_level: null };
    expect(body).toEqual({
      charge_state: { battery_level: 80, charger_lat: null, near: { odometer: null } },
      drive_state: { speed: 30, heading: null, last_fix: [null, null], at: nothing },
      closures_state: nothing,
      charge_schedule_data: {
        charge_schedules: [
          { latitude: expect.any(Number), longitude: expect.any(Number), zone: null },
        ],
      },
      home: null,
      in_service: false,
      located_at_home: null,
    });
    expect(JSON.stringify(body)).not.toMatch(/47\.0664|9\.5032|470664/);
  });

  it('keeps what the vehicle is and does, and hides every text that it does not know', () => {
    expect(
      redaction.body({
        charge_state: { charging_state: 'Charging', battery_level: 80, secret_word: 'abc' },
        drive_state: { active_route_destination: 'Home of Ada', shift_state: 'D', speed: null },
        ...{ id: 5, id_s: '5', display_name: 'Ada', tokens: ['a'], in_service: false },
      }),
    ).toEqual({
      charge_state: { charging_state: 'Charging', battery_level: 80, secret_word: null },
      drive_state: { active_route_destination: null, shift_state: 'D', speed: null },
      in_service: false,
    });
  });
});
