import { expect, test } from 'vitest';
import { fullAnswer, fullAnswerAt } from './full-answer.ts';
import { read, receivedAt } from './read.ts';

const dayMs = 86_400_000;

function answerAt(charge: unknown, drive: unknown) {
  const { charge_state, drive_state, vin } = fullAnswer();
  return {
    vin,
    charge_state: { ...charge_state, timestamp: charge },
    drive_state: { ...drive_state, timestamp: drive },
  };
}

test('takes the newest section for the time of the answer', () => {
  const { at, sectionAt } = read(answerAt(fullAnswerAt - 5_000, fullAnswerAt));
  expect(at).toBe(fullAnswerAt);
  expect(sectionAt).toEqual({ charge: fullAnswerAt - 5_000, drive: fullAnswerAt });
});

test.each([
  ['seconds', Math.floor(fullAnswerAt / 1000), Math.floor(fullAnswerAt / 1000) * 1000],
  ['text', String(fullAnswerAt), fullAnswerAt],
  ['a date', new Date(fullAnswerAt).toISOString(), fullAnswerAt],
  ['a clock a little ahead', receivedAt + 60_000, receivedAt + 60_000],
  ['a clock further ahead, which is not believed', receivedAt + 60_001, receivedAt],
  ['a clock an hour ahead', receivedAt + 3_600_000, receivedAt],
])('understands a time as %s', (_form, timestamp, expected) => {
  expect(read(answerAt(timestamp, null))).toMatchObject({
    at: expected,
    sectionAt: { charge: expected, drive: expected },
  });
});

test.each([
  ['null', null],
  ['missing', undefined],
  ['blank', ' '],
  ['no time', 'yesterday'],
  ['zero', 0],
  ['before 2012', Date.UTC(2011, 11, 31)],
  ['more than a day ahead', receivedAt + dayMs + 1],
  ['negative', -fullAnswerAt],
  ['infinite', Number.POSITIVE_INFINITY],
])('takes the time of reception where every time is %s', (_form, timestamp) => {
  const observed = read(answerAt(timestamp, timestamp));
  expect(observed.at).toBe(receivedAt);
  expect(observed.sectionAt).toEqual({ charge: receivedAt, drive: receivedAt });
  expect(observed.signals.batteryLevelPct).toBe(64);
});

test('dates a section that has no time by the newest of the others', () => {
  const { at, sectionAt } = read(answerAt(null, fullAnswerAt));
  expect(at).toBe(fullAnswerAt);
  expect(sectionAt).toEqual({ charge: fullAnswerAt, drive: fullAnswerAt });
});

test('repeats the old times of a cached answer, so that it can be dropped', () => {
  const { at } = read(answerAt(fullAnswerAt - dayMs, fullAnswerAt - dayMs));
  expect(at).toBe(fullAnswerAt - dayMs);
});

test('drops an odometer that is older than the drive it would be told with', () => {
  const { vehicle_state, ...answer } = fullAnswer();
  const cached = { ...vehicle_state, timestamp: fullAnswerAt - 61_000 };
  expect(read({ ...answer, vehicle_state: cached }).signals).not.toHaveProperty('odometerKm');
  const close = { ...vehicle_state, timestamp: fullAnswerAt - 59_000 };
  expect(read({ ...answer, vehicle_state: close }).signals).toHaveProperty('odometerKm');
});

test('dates the odometer by the body where the answer has no drive', () => {
  const { drive_state, ...answer } = fullAnswer();
  expect(drive_state.timestamp).toBe(fullAnswerAt);
  const { sectionAt, signals } = read(answer);
  expect(signals.odometerKm).toBeDefined();
  expect(sectionAt.drive).toBe(fullAnswerAt);
});
