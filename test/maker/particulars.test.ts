import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alertsIn, driversIn, schedulesIn } from '../../src/maker/particulars.ts';

const receivedAt = Date.parse('2026-03-01T12:00:00Z');

describe('alerts of the maker', () => {
  it('are read with their time and whom they are for, whatever their names', () => {
    const recent_alerts = [
      {
        name: 'Never_Heard_Of',
        time: '2026-02-28T22:01:15.101+00:00',
        audience: ['service-fix', 'customer'],
        user_text: 'Look at it',
      },
      { name: 'bare' },
      { name: 'dirty', time: 'yesterday', audience: 'customer', user_text: '<invalid>' },
    ];
    expect(alertsIn({ recent_alerts }, receivedAt)).toEqual([
      {
        name: 'Never_Heard_Of',
        raisedAt: Date.parse('2026-02-28T22:01:15.101Z'),
        audiences: ['service-fix', 'customer'],
        text: 'Look at it',
      },
      { name: 'bare', raisedAt: null, audiences: [], text: null },
      { name: 'dirty', raisedAt: null, audiences: [], text: null },
    ]);
  });

  it('come once each, and none without a name', () => {
    const one = { name: 'A', time: '2026-02-28T22:00:00Z' };
    const other = { ...one, time: '2026-02-28T23:00:00Z' };
    const told = alertsIn(
      { recent_alerts: [one, other, one, { time: one.time }, null] },
      receivedAt,
    );
    expect(told?.map(({ raisedAt }) => raisedAt)).toEqual([
      Date.parse(one.time),
      Date.parse(other.time),
    ]);
  });
});

it('drivers are read by the maker’s own id', () => {
  const told = [
    { user_id: 800_001, user_id_s: '800001', driver_first_name: 'Ada', driver_last_name: ' ' },
    { user_id: 7 },
    { driver_first_name: 'Nobody' },
  ];
  expect(driversIn(told)).toEqual([
    { makerUserId: '800001', firstName: 'Ada', lastName: null },
    { makerUserId: '7', firstName: null, lastName: null },
  ]);
});

describe('plans', () => {
  const place = { latitude: 52.5, longitude: 13.4 };
  const told = { id: 1, name: 'Night', days_of_week: 62, one_time: false, enabled: true, ...place };

  it('are read from both sections, a time only where it is in force', () => {
    const data = {
      charge_schedule_data: {
        charge_schedules: [
          { ...told, start_enabled: true, start_time: 60, end_enabled: false, end_time: 300 },
        ],
      },
      preconditioning_schedule_data: {
        precondition_schedules: [{ ...told, id: 2, precondition_time: 480, name: '' }],
      },
    };
    const plan = { name: 'Night', days: 62, enabled: true, oneTime: false, ...place };
    expect(schedulesIn(data)).toEqual([
      { kind: 'CHARGE', number: 1, startMinute: 60, endMinute: null, ...plan },
      { kind: 'PRECONDITION', number: 2, startMinute: 480, endMinute: null, ...plan, name: null },
    ]);
  });

  it('are unknown, and not none, where the vehicle has no such sections', () => {
    expect(schedulesIn({ charge_state: {} })).toBeNull();
    expect(schedulesIn({ charge_schedule_data: { charge_schedules: [] } })).toEqual([]);
  });
});

it('nothing that the maker may answer breaks the reading', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (any, other) => {
      const data = {
        charge_schedule_data: { charge_schedules: [any, other] },
        preconditioning_schedule_data: any,
      };
      alertsIn(any, receivedAt);
      alertsIn({ recent_alerts: [any, { name: 'A', time: other, audience: any }] }, receivedAt);
      driversIn([any, { user_id: other, user_id_s: any }]);
      schedulesIn(data);
    }),
  );
});
