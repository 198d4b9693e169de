import { expect, test } from 'vitest';
import {
  observationOfListItem,
  observationOfVehicleData,
} from '../../src/maker/parse-vehicle-data.ts';
import { identityOfVehicle } from '../../src/maker/vehicle-identity.ts';

const item = {
  id: 1492931365719407,
  id_s: '1492931365719407',
  vehicle_id: 1234567890,
  vin: 'LRW3E7FS0NC000042',
  display_name: 'Blue',
  access_type: 'OWNER',
  tokens: ['secret-one', 'secret-two'],
  state: 'asleep',
  in_service: false,
};
const reception = { receivedAt: Date.UTC(2024, 4, 6), source: 'POLL' } as const;

test('knows a vehicle by VIN, text id, name, access and link', () => {
  expect(identityOfVehicle(item)).toEqual({
    ok: true,
    value: {
      vin: 'LRW3E7FS0NC000042',
      makerVehicleId: '1492931365719407',
      displayName: 'Blue',
      accessType: 'OWNER',
      inService: false,
      connectivity: 'asleep',
    },
  });
});

test.each([
  ['the text id', { id_s: '12345678901234567', id: 12345678901234568 }, '12345678901234567'],
  ['a small number', { id_s: null, id: 1234 }, '1234'],
  ['a number in text', { id_s: undefined, id: '12345678901234567' }, '12345678901234567'],
  ['a text id that came as a number', { id_s: 1234, id: null }, '1234'],
  ['nothing, where the number has lost digits', { id_s: null, id: 2 ** 53 }, null],
  ['nothing', { id_s: '', id: null }, null],
])('identifies a vehicle at the maker by %s', (_by, ids, expected) => {
  const parsed = identityOfVehicle({ ...item, ...ids });
  expect(parsed.ok && parsed.value.makerVehicleId).toBe(expected);
});

test.each([
  ['online', 'online'],
  ['offline', 'offline'],
  ['waking', null],
  ['', null],
  [null, null],
  [3, null],
])('takes the state %j for %j', (state, connectivity) => {
  const parsed = observationOfListItem({ ...item, state }, reception);
  expect(parsed.ok && parsed.value.connectivity).toBe(connectivity);
});

test('keeps an unknown state and access type raw', () => {
  const parsed = observationOfListItem({ ...item, state: 'waking', access_type: 'PET' }, reception);
  expect(parsed.ok && parsed.value.raw).toEqual({ state: 'waking', access_type: 'PET' });
});

test.each([
  ['DRIVER', 'DRIVER'],
  ['GUEST', 'GUEST'],
  ['PET', null],
  [null, null],
])('takes the access type %j for %j', (access_type, expected) => {
  const parsed = identityOfVehicle({ ...item, access_type });
  expect(parsed.ok && parsed.value.accessType).toBe(expected);
});

test('observes an item of the list at the time of its reception', () => {
  expect(observationOfListItem(item, reception)).toEqual({
    ok: true,
    value: {
      vin: 'LRW3E7FS0NC000042',
      at: reception.receivedAt,
      receivedAt: reception.receivedAt,
      source: 'POLL',
      connectivity: 'asleep',
      inService: false,
      signals: { vehicleName: 'Blue' },
      sectionAt: { config: reception.receivedAt },
      raw: {},
    },
  });
});

test('says nothing of the name where the list has none', () => {
  const parsed = observationOfListItem({ ...item, display_name: null }, reception);
  expect(parsed.ok && parsed.value.signals).toEqual({});
});

test.each([
  ['not_an_object', null],
  ['not_an_object', 'down for maintenance'],
  ['not_an_object', [item]],
  ['not_an_object', { response: 'ok' }],
  ['no_response', { response: null, error: 'not_found' }],
  ['no_vin', {}],
  ['no_vin', { ...item, vin: null }],
  ['no_vin', { ...item, vin: '<invalid>' }],
  ['no_vin', { ...item, vin: 'LRW3E7FS0NC00004' }],
  ['no_vin', { ...item, vin: 'LRW3E7FS0NC00/042' }],
])('refuses with %s the answer %j', (reason, body) => {
  expect(observationOfVehicleData(body, reception)).toEqual({ ok: false, reason });
  expect(observationOfListItem(body, reception)).toEqual({ ok: false, reason });
  expect(identityOfVehicle(body)).toEqual({ ok: false, reason });
});
