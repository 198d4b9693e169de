import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/base/units.ts';
import { forgetTold, keepTold, readTold } from '../../src/process/garage-told.ts';
import { advance } from '../../src/simulator/car.ts';
import { carryOut } from '../../src/simulator/command.ts';
import { openGarage } from '../../src/simulator/garage.ts';
import { recordCar } from '../../src/simulator/history.ts';
import type { Car } from '../../src/simulator/state.ts';
import { type ToldCommand, tellAgain } from '../../src/simulator/told.ts';

/** A Thursday, 03:00 local time. */
const NIGHT = Date.UTC(2026, 10, 19, 2);

const told: readonly ToldCommand[] = [
  { atMs: NIGHT + 10_300, name: 'set_sentry_mode', body: '{"on":true}' },
  { atMs: NIGHT + 20 * MINUTE_MS, name: 'set_charge_limit', body: '{"percent":66}' },
  { atMs: NIGHT + 2 * HOUR_MS + 700, name: 'door_unlock', body: '{}' },
];

function carAtNight(): Car {
  const [car] = openGarage({ seed: 'told', untilMs: NIGHT, days: 1, showings: [] });
  if (car === undefined) throw new Error('The garage is empty.');
  advance(car, NIGHT);
  return car;
}

describe('a car that moves along the same way once more', () => {
  it('is as it was when it was told, and as it would be had nobody stopped', () => {
    const first = carAtNight();
    for (const { atMs, name, body } of told) {
      advance(first, atMs);
      first.state.awake = true;
      expect(carryOut(first, name, { body, nowMs: atMs }).status).toBe(200);
    }
    const untilMs = NIGHT + 3 * HOUR_MS;
    const lines = [...recordCar(first, untilMs)];

    const again = carAtNight();
    const tell = tellAgain(told);
    tell(again);
    const repeated = [...recordCar(again, untilMs, told.at(-1)?.atMs, tell)];
    expect(again.state).toEqual(first.state);
    expect(again.state.charge.limitPct).toBe(66);
    expect(repeated.at(-1)).toEqual(lines.at(-1));
  });

  it('is not told again what its kept state holds already', () => {
    const car = carAtNight();
    advance(car, NIGHT + HOUR_MS);
    tellAgain(told.slice(0, 2))(car);
    expect(car.state.charge.limitPct).not.toBe(66);
  });
});

describe('what the cars of a data folder were told', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'odo-told-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is kept line by line, without PINs, whatever a kill left at the end', () => {
    expect(readTold(folder).size).toBe(0);
    for (const one of told) keepTold(folder, 'car', one);
    keepTold(folder, 'car', { atMs: NIGHT, name: 'set_pin_to_drive', body: '{"pin":"1234"}' });
    appendFileSync(join(folder, 'garage-commands.jsonl'), '{"car":"car","atMs":17');
    expect(readTold(folder)).toEqual(new Map([['car', told]]));
  });

  it('is forgotten once a kept state holds it', () => {
    forgetTold(folder, { car: { atMs: NIGHT + HOUR_MS } });
    expect(readTold(folder)).toEqual(new Map([['car', told.slice(2)]]));
  });
});
