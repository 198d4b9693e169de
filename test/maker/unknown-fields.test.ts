import { expect, test } from 'vitest';
import { fullAnswer } from './full-answer.ts';
import { read } from './read.ts';

test('keeps unknown fields raw under their path', () => {
  const answer = fullAnswer();
  const { raw } = read({
    ...answer,
    new_thing: [1, 'two'],
    newer_state: { level: 3 },
    charge_state: { ...answer.charge_state, new_thing: { deep: true } },
    vehicle_state: {
      ...answer.vehicle_state,
      media_info: { ...answer.vehicle_state.media_info, new_thing: null },
    },
  });
  expect(raw).toEqual({
    new_thing: [1, 'two'],
    newer_state: { level: 3 },
    'charge_state.new_thing': { deep: true },
    'vehicle_state.media_info.new_thing': null,
  });
});

test('keeps a whole section raw that is no object', () => {
  const answer = { ...fullAnswer(), charge_state: 'down' };
  expect(read(answer).raw).toEqual({ charge_state: 'down' });
});

test('keeps no secret raw, known or not', () => {
  const answer = {
    ...fullAnswer(),
    backseat_token: 'secret-three',
    streaming_token: 'secret-four',
  };
  expect(JSON.stringify(read(answer))).not.toContain('secret');
});

test('keeps what cannot be stored only as far as it can', () => {
  const deep: unknown = JSON.parse('['.repeat(2_000) + ']'.repeat(2_000));
  const wide = Array.from({ length: 1_000 }, (_, index) => index);
  const long = 'x\u0000'.repeat(10_000);
  const stored = JSON.stringify(read({ ...fullAnswer(), deep, wide, long, lone: '\udfff' }).raw);
  expect(stored.length).toBeLessThan(3_000);
  expect(stored).not.toContain('\\u0000');
  expect(stored).not.toContain('\\udfff');
});

test('keeps at most 500 values', () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`field_${i}`, i]));
  expect(Object.keys(read({ ...fullAnswer(), ...many }).raw)).toHaveLength(500);
});

test('takes a field called __proto__ for a field', () => {
  const { vin } = fullAnswer();
  const answer: unknown = JSON.parse(`{"vin":"${vin}","__proto__":{"polluted":true}}`);
  const { raw } = read(answer);
  expect(Object.keys(raw)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(raw)).toBe(Object.prototype);
});
