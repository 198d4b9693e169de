import { describe, expect, it } from 'vitest';
import { replay } from '../../src/ingest/replay.ts';
import {
  answer,
  atMinute,
  drivesOf,
  listed,
  miles,
  minutes,
  POLLED_VIN,
  replayed,
  type Told,
  traceLine,
} from '../support/poll-trace.ts';

const parkedAfter = (minute: number, mile: number, more: Told = {}) =>
  answer(minute, { gear: 'P', mile, ...more });

const failed = (minute: number, status: number | 'timeout') =>
  traceLine(minute, typeof status === 'number' ? { status, body: null } : { error: status });

/** Drives that are a mile a minute, from minute 1 to 10. */
const nine: readonly (readonly [string, readonly string[]])[] = [
  ['gear', [answer(0), ...miles(1, 9, { speed: null }), parkedAfter(10, 9)]],
  ['speed', [answer(0), ...miles(1, 9, { gear: null }), answer(10, { mile: 9 })]],
  [
    'an answer without drive_state in between',
    [
      answer(0),
      ...miles(1, 4),
      answer(5, { mile: 4, without: ['drive_state'] }),
      ...miles(1, 9).slice(5),
      parkedAfter(10, 9),
    ],
  ],
  [
    'failures in between',
    [
      answer(0),
      ...miles(1, 4),
      ...[408, 429, 503, 404, 421, 'timeout' as const].map((status, i) =>
        failed(4.1 + i / 10, status),
      ),
      ...miles(1, 9).slice(4),
      parkedAfter(10, 9),
    ],
  ],
  [
    'one time of the future',
    [
      answer(0),
      ...miles(1, 9).map((line, i) =>
        i === 2 ? answer(3, { gear: 'D', speed: 60, mile: 2, from: 600 }) : line,
      ),
      parkedAfter(10, 9),
    ],
  ],
  [
    'a clock that is an hour ahead',
    [
      answer(0, { from: 60 }),
      ...minutes(1, 9).map((i) => answer(i, { gear: 'D', speed: 60, mile: i - 1, from: 60 + i })),
      parkedAfter(10, 9, { from: 70 }),
    ],
  ],
  [
    'no times at all',
    [answer(0, { from: null }), ...miles(1, 9, { from: null }), parkedAfter(10, 9, { from: null })],
  ],
  [
    'an odometer that is zero for once',
    [
      answer(0),
      ...miles(1, 9).map((line, i) =>
        i === 4 ? answer(5, { gear: 'D', speed: 60, mile: 4, odometer: 0 }) : line,
      ),
      parkedAfter(10, 9),
      parkedAfter(20, 9, { odometer: 0 }),
      parkedAfter(30, 9),
    ],
  ],
  [
    'the body of before the drive at its end',
    [
      answer(0),
      ...miles(1, 9),
      parkedAfter(10, 9, { without: ['vehicle_state'] }),
      parkedAfter(11, 9),
    ],
  ],
  [
    'no body on the way',
    [
      answer(0),
      ...miles(1, 9, { without: ['vehicle_state'] }),
      parkedAfter(10, 9, { without: ['vehicle_state'] }),
      ...minutes(11, 20).map((minute) => parkedAfter(minute, 9)),
    ],
  ],
];

describe('a polled drive', () => {
  it.each(nine)('is one, with its times and its distance, by %s', (_by, lines) => {
    const vehicle = replayed(lines);
    expect(drivesOf(vehicle)).toEqual([[1, 10, expect.closeTo(9, 1)]]);
    expect(vehicle).toMatchObject({ discarded: [], rejected: [] });
  });

  it('is one where nothing but the odometer tells of it, however often it is looked at', () => {
    for (const without of [[], ['drive_state']]) {
      for (const step of [0.25, 1, 5]) {
        const moving = minutes(0, 40).map((i) =>
          answer(i * step, { mile: i * step * 0.5, without }),
        );
        const end = 40 * step;
        const rest = [1, 2, 3].map((i) => answer(end + i * step, { mile: end * 0.5, without }));
        const [drive, ...others] = drivesOf(replayed([...moving, ...rest]));
        expect(others).toEqual([]);
        expect(drive?.[1]).toBe(end);
        expect(drive?.[2]).toBeGreaterThan((end - 1.25) * 0.5);
      }
    }
  });

  it('is none where a look shows the rest of a streamed drive', () => {
    const streamed = (minute: number, data: Readonly<Record<string, unknown>>) =>
      JSON.stringify({
        ...{ vin: POLLED_VIN, createdAt: new Date(atMinute(minute)).toISOString() },
        data: Object.entries(data).map(([key, value]) => ({ key, value })),
      });
    const gear = (name: string) => ({ shiftStateValue: `ShiftState${name}` });
    const { vehicles } = replay([
      streamed(0, { Gear: gear('P'), Odometer: { doubleValue: 1000 } }),
      streamed(1, { Gear: gear('D'), VehicleSpeed: { doubleValue: 60 } }),
      streamed(10, { Odometer: { doubleValue: 1009 } }),
      streamed(10.5, { Gear: gear('P'), VehicleSpeed: { doubleValue: 0 } }),
      answer(15, { mile: 9.05 }),
      answer(20, { mile: 9.05 }),
    ]);
    expect(vehicles).toMatchObject([{ drives: [{}], discarded: [] }]);
  });

  it('ends with its last movement where a vehicle without speed vanishes', () => {
    const lines = [answer(0), ...miles(1, 5, { speed: null }), failed(6, 408), parkedAfter(305, 4)];
    expect(drivesOf(replayed(lines))).toEqual([[1, 5, 4]]);
  });

  it('keeps the kilometres of its odometer, and goes on by its speed, where the last answer has neither odometer nor place', () => {
    const dark = { latitude: null };
    const lines = [
      answer(0, dark),
      ...miles(1, 9, dark),
      parkedAfter(10, 9, { ...dark, without: ['vehicle_state'] }),
      parkedAfter(40, 9, dark),
    ];
    expect(drivesOf(replayed(lines))).toEqual([[1, 10, 8.5]]);
  });

  it('is none where the odometer jumped farther than a vehicle can drive', () => {
    const lines = [answer(0), answer(5, { odometer: 9000 }), answer(10), answer(15)];
    expect(replayed(lines)).toMatchObject({ drives: [], discarded: [] });
  });

  it('is read whichever way the vehicle is named in the path', () => {
    const lines = [answer(0), ...miles(1, 9), parkedAfter(10, 9)];
    const named = [
      lines.map((line) => line.replace(`/${POLLED_VIN}/`, '/1492931365719407/')),
      lines.map((line) => line.replace(`"vin":"${POLLED_VIN}",`, '')),
      lines.map((line) =>
        line
          .replace('/api/1', 'https://maker.test/api/1')
          .replace('vehicle_data', 'vehicle_data?endpoints=drive_state%3Bcharge_state'),
      ),
    ];
    for (const trace of named) {
      const vehicle = replayed(trace);
      expect(drivesOf(vehicle)).toEqual([[1, 10, 9]]);
      expect(vehicle.rejected).toEqual([]);
    }
  });

  it('is the same from lines that are shuffled, doubled, with CRLF or a byte order mark', () => {
    const lines = [answer(0), ...miles(1, 9), listed(9.5, 'online'), parkedAfter(10, 9)];
    const whole = replayed(lines);
    const first = `\uFEFF${lines[0]}`;
    for (const trace of [
      lines.toReversed(),
      [...lines, ...lines],
      [first, ...lines.slice(1)].map((line) => `${line}\r`),
    ])
      expect(replayed(trace)).toEqual(whole);
  });
});

describe('a line of a poll trace', () => {
  const reasonOf = (line: string) => replayed([answer(0), line]).rejected[0]?.reason;
  const timed = (at: unknown) => JSON.stringify({ ...JSON.parse(answer(1)), at });

  it.each([
    ['a time without a zone', timed('2026-03-01T08:01:00')],
    ['a date', timed('2026-03-01')],
    ['a time that does not exist', timed('2026-03-01T25:00:00Z')],
    ['a number for a time', timed(1772352060000)],
  ])('is refused for %s', (_what, line) => {
    expect(reasonOf(line)).toBe('no_time');
  });

  it('may have an offset, and a leap second', () => {
    expect(reasonOf(timed('2026-03-01t09:01:00.5+01:00'))).toBeUndefined();
    expect(reasonOf(timed('2026-03-01T08:01:60Z'))).toBeUndefined();
  });

  it.each([
    ['not_json', '{'],
    ['not_an_object', '[]'],
    ['unknown_path', traceLine(1, { status: 200, path: '/api/1/users/region', body: {} })],
    ['no_status', traceLine(1, { status: '200', body: {} })],
    ['no_response', traceLine(1, { status: 200, body: { response: null } })],
    ['not_an_object', traceLine(1, { status: 200, body: 'text' })],
  ])('is refused as %s', (reason, line) => {
    expect(reasonOf(line)).toBe(reason);
  });
});
