import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, kmFromMiles, MINUTE_MS } from '../../src/base/units.ts';
import { advance, carAt } from '../../src/simulator/car.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { distanceM } from '../../src/simulator/geometry.ts';
import { recordCar, recordGarage } from '../../src/simulator/history.ts';
import { type Car, levelPct } from '../../src/simulator/state.ts';
import { hasData, type Recording, recordings, SHOWN_AT, sectionsOf } from './recording.ts';

const DAYS = 28;
const month = recordings({ days: DAYS });

function each(check: (recording: Recording) => void): void {
  for (const recording of month) check(recording);
}

describe('the history of the simulated garage', () => {
  it('is the same for the same seed and end', () => {
    const [one, again] = [recordings({ days: 7 }), recordings({ days: 7 })];
    expect(JSON.stringify(again.map(({ lines }) => lines))).toBe(
      JSON.stringify(one.map(({ lines }) => lines)),
    );
  });

  it('is another for another seed', () => {
    const other = recordings({ seed: 'other', days: 3 });
    const same = recordings({ days: 3 });
    expect(JSON.stringify(other[0]?.lines)).not.toBe(JSON.stringify(same[0]?.lines));
  });

  it('ends where the live car goes on, however it is moved on', () => {
    const [recorded] = openGarage({ seed: 'test', untilMs: SHOWN_AT, days: 5 });
    const [live] = openGarage({ seed: 'test', untilMs: SHOWN_AT, days: 5 });
    if (!recorded || !live) throw new Error('the garage is empty');
    for (const _ of recordCar(recorded, SHOWN_AT));
    for (let at = live.state.atMs; at <= SHOWN_AT; at += 7 * MINUTE_MS + 1_234) advance(live, at);
    advance(live, SHOWN_AT);
    expect(live.state).toEqual(recorded.state);
  });

  it('answers for a later moment without moving the car', () => {
    each(({ car }) => {
      const before = structuredClone(car.state);
      const later = carAt(car, car.state.atMs + HOUR_MS);
      expect(later.state.atMs).toBeGreaterThanOrEqual(SHOWN_AT + HOUR_MS - 10_000);
      expect(car.state).toEqual(before);
    });
  });

  it('goes on in a later process exactly where an earlier one stopped', () => {
    const fromMs = SHOWN_AT - 6 * DAY_MS;
    const first = { atMs: SHOWN_AT, preparedFromMs: 0 };
    const stoppedMs = SHOWN_AT + 3 * HOUR_MS;
    const again = { atMs: SHOWN_AT + 27 * HOUR_MS, preparedFromMs: stoppedMs };
    const earlier = openGarage({ seed: 's', untilMs: SHOWN_AT, fromMs, showings: [first] });
    const options = { seed: 's', untilMs: again.atMs, fromMs, showings: [first, again] };
    const later = openGarage(options);
    for (const car of [...earlier, ...later]) advance(car, stoppedMs - 60_000);
    expect(later.map(({ state }) => state)).toEqual(earlier.map(({ state }) => state));
    for (const car of later) advance(car, again.atMs);
    expect(later[0]?.state.phase).toBe('driving');
    expect(later[1]?.state.charge.state).toBe('Charging');
  });

  it('goes on from how a car was days before with the same lines as from the beginning', () => {
    const fromMs = SHOWN_AT - 8 * DAY_MS;
    const keepFromMs = SHOWN_AT - 4 * DAY_MS;
    const seenMs = keepFromMs + 2 * DAY_MS;
    const options = { seed: 'kept', untilMs: SHOWN_AT, fromMs };
    for (const [index, car] of openGarage(options).entries()) {
      let json = '';
      const keep = ({ state }: Car) => {
        if (json === '' && state.atMs >= keepFromMs && state.run === null)
          json = JSON.stringify({ [car.spec.key]: state });
      };
      const lines = [...recordCar(car, SHOWN_AT, seenMs, keep)];
      const resumed = openGarage({ ...options, kept: JSON.parse(json) })[index];
      expect(resumed?.state.atMs).toBeGreaterThanOrEqual(keepFromMs);
      if (resumed === undefined) continue;
      expect([...recordCar(resumed, SHOWN_AT, seenMs)]).toEqual(lines);
      expect(lines.length).toBeGreaterThan(500);
    }
  });

  it.each([
    ['nothing', undefined],
    ['another form', { atMs: 1, charge: 'no' }],
    [
      'a field of another type',
      { ...openGarage({ seed: 'x', untilMs: SHOWN_AT })[0]?.state, lat: '47' },
    ],
  ])('begins anew where what was kept of a car is %s', (_what, kept) => {
    const options = { seed: 'x', untilMs: SHOWN_AT, days: 3 };
    const key = openGarage(options)[0]?.spec.key ?? '';
    expect(openGarage({ ...options, kept: { [key]: kept } })[0]?.state).toEqual(
      openGarage(options)[0]?.state,
    );
  });

  it('samples a moving car every 10 s and a charging one every 60 s', () => {
    each(({ lines }) => {
      let previous: { at: number; moving: boolean; charging: boolean } | null = null;
      for (const line of lines.filter(hasData)) {
        const { drive, charge } = sectionsOf(line);
        const moving = drive.speed !== null;
        const charging = charge.charging_state === 'Charging';
        if (previous?.moving && moving) expect(line.at - previous.at).toBeLessThanOrEqual(10_000);
        if (previous?.charging && charging && !moving) {
          expect(line.at - previous.at).toBeLessThanOrEqual(60_000);
        }
        previous = { at: line.at, moving, charging };
      }
    });
  });

  it('is in time order, and says nothing of a sleeping car but that it sleeps', () => {
    each(({ lines }) => {
      let at = 0;
      let asleep = false;
      for (const line of lines) {
        expect(line.at).toBeGreaterThanOrEqual(at);
        at = line.at;
        if (hasData(line)) expect(asleep).toBe(false);
        else asleep = line.body.response?.state === 'asleep';
      }
      expect(lines.filter((line) => line.body.response?.state === 'asleep').length).toBeGreaterThan(
        DAYS,
      );
    });
  });

  it('begins every online period with a full answer', () => {
    each(({ lines }) => {
      lines.forEach((line, index) => {
        if (hasData(line) || line.body.response?.state !== 'online') return;
        expect(lines[index + 1]?.body.response).toMatchObject({
          vehicle_config: { car_type: expect.any(String) },
          vehicle_state: { car_version: expect.any(String), tpms_pressure_fl: expect.any(Number) },
        });
      });
    });
  });

  it('never lets the odometer run back, and moves it as far as the positions go', () => {
    each(({ lines }) => {
      const data = lines.filter(hasData).map(sectionsOf);
      let [odometerKm, pathKm, drivenKm] = [0, 0, 0];
      let last: { lat: number; lon: number } | null = null;
      for (const { drive, vehicle } of data) {
        const km = kmFromMiles(Number(vehicle.odometer));
        const here = { lat: Number(drive.latitude), lon: Number(drive.longitude) };
        expect(km).toBeGreaterThanOrEqual(odometerKm);
        if (last) {
          drivenKm += km - odometerKm;
          pathKm += distanceM(last.lat, last.lon, here.lat, here.lon) / 1000;
        }
        [odometerKm, last] = [km, here];
      }
      expect(drivenKm).toBeGreaterThan(DAYS * 20);
      expect(Math.abs(pathKm / drivenKm - 1)).toBeLessThan(0.02);
    });
  });

  it('agrees with itself on speed and distance', () => {
    each(({ lines }) => {
      let last: { at: number; km: number; kmh: number } | null = null;
      for (const line of lines.filter(hasData)) {
        const { drive, vehicle } = sectionsOf(line);
        const now = {
          at: line.at,
          km: kmFromMiles(Number(vehicle.odometer)),
          kmh: kmFromMiles(Number(drive.speed ?? 0)),
        };
        if (last && now.at - last.at === 10_000) {
          const meanKmh = (now.km - last.km) * 360;
          const fastest = Math.max(last.kmh, now.kmh);
          expect(meanKmh).toBeLessThanOrEqual(fastest + 60);
          expect(now.kmh).toBeLessThan(130);
        }
        last = now;
      }
    });
  });

  it('keeps the battery between 5 and 100 %', () => {
    each(({ car, lines }) => {
      for (const line of lines.filter(hasData)) {
        const level = Number(sectionsOf(line).charge.battery_level);
        expect(level).toBeGreaterThanOrEqual(5);
        expect(level).toBeLessThanOrEqual(100);
      }
      expect(levelPct(car)).toBeGreaterThan(5);
    });
  });

  it('counts as much energy in each charge as the battery gains', () => {
    each(({ car, lines }) => {
      let start: { level: number } | null = null;
      let charges = 0;
      for (const line of lines.filter(hasData)) {
        const { charge } = sectionsOf(line);
        const level = Number(charge.battery_level);
        const addedKwh = Number(charge.charge_energy_added);
        if (charge.charging_state === 'Starting') {
          expect(addedKwh).toBe(0);
          start = { level };
        }
        if (
          start &&
          (charge.charging_state === 'Complete' || charge.charging_state === 'Stopped')
        ) {
          const gainKwh = ((level - start.level) * car.spec.capacityKwh) / 100;
          expect(Math.abs(addedKwh - gainKwh)).toBeLessThan(car.spec.capacityKwh * 0.011);
          charges += 1;
          start = null;
        }
      }
      expect(charges).toBeGreaterThan(8);
    });
  });

  it('uses a believable amount of energy per kilometre', () => {
    each(({ car, lines }) => {
      let [usedKwh, km] = [0, 0];
      let last: { at: number; km: number } | null = null;
      for (const line of lines.filter(hasData)) {
        const { drive, vehicle } = sectionsOf(line);
        const odometerKm = kmFromMiles(Number(vehicle.odometer));
        if (last && drive.speed !== null) {
          usedKwh += (Number(drive.power) * (line.at - last.at)) / HOUR_MS;
          km += odometerKm - last.km;
        }
        last = { at: line.at, km: odometerKm };
      }
      expect((usedKwh * 1000) / km, car.spec.name).toBeGreaterThan(120);
      expect((usedKwh * 1000) / km, car.spec.name).toBeLessThan(240);
    });
  });

  it('charges the mountain car fast on its weekly trip and the valley car on three phases at night', () => {
    const [valley, mountain] = month;
    const charging = (recording?: Recording) =>
      (recording?.lines ?? [])
        .filter(hasData)
        .map((line) => ({ at: line.at, ...sectionsOf(line).charge }))
        .filter((charge) => charge.charging_state === 'Charging');
    const fast = charging(mountain).filter((charge) => Number(charge.charger_power) > 40);
    expect(
      new Set(fast.map((charge) => Math.floor(charge.at / (2 * DAY_MS)))).size,
    ).toBeGreaterThan(2);
    expect(charging(valley).every((charge) => charge.charger_phases === 3)).toBe(true);
  });

  it('gives energy back to the battery down the mountain', () => {
    const powers = month[1]?.lines
      .filter(hasData)
      .map((line) => Number(sectionsOf(line).drive.power));
    expect(powers?.filter((kw) => kw < -8).length).toBeGreaterThan(500);
  });

  it('holds two to four drives on a usual working day', () => {
    each(({ lines }) => {
      let [drives, driving] = [0, false];
      for (const line of lines.filter(hasData)) {
        const moving = sectionsOf(line).drive.speed !== null;
        if (moving && !driving) drives += 1;
        driving = moving;
      }
      expect(drives / DAYS).toBeGreaterThan(1.5);
      expect(drives / DAYS).toBeLessThan(4.5);
    });
  });

  it('installs updates as available, downloading, scheduled, installing, then the new version', () => {
    const [car] = openGarage({ seed: 'test', untilMs: SHOWN_AT, days: 60 });
    if (!car) throw new Error('the garage is empty');
    const seen: string[] = [];
    for (const line of recordCar(car, SHOWN_AT)) {
      const { software_update: update, car_version: version } = sectionsOf(line).vehicle;
      if (!update) continue;
      const word = update.status
        ? `${update.status} ${update.version}`
        : String(version).split(' ')[0];
      if (word !== undefined && seen.at(-1) !== word) seen.push(word);
    }
    const installing = seen.findIndex((word) => word.startsWith('installing'));
    const target = seen[installing]?.split(' ')[1];
    expect(seen.slice(installing - 3, installing + 2)).toEqual([
      `available ${target}`,
      `downloading ${target}`,
      `scheduled ${target}`,
      `installing ${target}`,
      target,
    ]);
  });

  it('has 120 days of two cars ready at once', () => {
    const startedAt = performance.now();
    const cars = openGarage({ seed: 'speed', untilMs: SHOWN_AT });
    let lines = 0;
    for (const _ of recordGarage(cars, SHOWN_AT)) lines += 1;
    const tookMs = Math.round(performance.now() - startedAt);
    process.stdout.write(`120 days of ${cars.length} cars: ${lines} lines in ${tookMs} ms\n`);
    expect(lines).toBeGreaterThan(60_000);
    expect(
      cars.every((car) => car.state.atMs <= SHOWN_AT && car.state.atMs > SHOWN_AT - 60_001),
    ).toBe(true);
  });
});

describe('the garage when somebody looks', () => {
  const moments = Array.from({ length: 28 }, (_, index) => SHOWN_AT + index * 7.3 * HOUR_MS);

  it('has one car on the road that moves within 10 s, and one charging, at any hour of any day', () => {
    for (const atMs of moments) {
      const [road, charger] = openGarage({ seed: 'look', untilMs: atMs, days: 2 });
      if (!road || !charger) throw new Error('the garage is empty');
      advance(road, atMs);
      advance(charger, atMs);
      expect(charger.state.charge.state).toBe('Charging');
      expect(road.state.phase).toBe('driving');
      const before = road.state.odometerKm;
      advance(road, atMs + 10_000);
      expect(road.state.odometerKm).toBeGreaterThan(before);
    }
  });

  it('keeps the one driving and the other charging for a while', () => {
    for (const atMs of moments.slice(0, 10)) {
      const [road, charger] = openGarage({ seed: 'look', untilMs: atMs, days: 2 });
      if (!road || !charger) throw new Error('the garage is empty');
      advance(road, atMs);
      advance(charger, atMs + 25 * MINUTE_MS);
      expect(charger.state.charge.state).toBe('Charging');
      const before = road.state.odometerKm;
      advance(road, atMs + 3 * HOUR_MS);
      expect(road.state.odometerKm - before).toBeGreaterThan(90);
    }
  });
});
