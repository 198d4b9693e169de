import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/base/units.ts';
import { makerApi } from '../../src/maker/api.ts';
import { sessionsIn } from '../../src/maker/charging-history.ts';
import { startMaker } from '../simulator/maker.ts';
import { always, standIn } from './stand-in.ts';

const receivedAt = Date.parse('2026-03-03T12:00:00Z');

const fee = {
  ...{ feeType: 'CHARGING', currencyCode: 'EUR', uom: 'kwh', isPaid: true, status: 'PAID' },
  ...{ rateBase: 0.45, usageBase: '30.5', totalDue: 13.73, netDue: 13.73 },
};
const item = {
  sessionId: 7,
  vin: 'VIN',
  siteLocationName: 'Somewhere',
  chargeStartDateTime: '2026-03-01T12:00:00+01:00',
  chargeStopDateTime: '2026-03-01T11:30:00Z',
  countryCode: 'AT',
  billingType: 'IMMEDIATE',
  fees: [fee],
};
const startedAt = Date.parse('2026-03-01T11:00:00Z');

describe('sessions of the charging history', () => {
  it('are read with their fees, whatever their kinds', () => {
    const fees = [
      fee,
      { ...fee, feeType: 'PARKING', uom: 'min', rateBase: 0.5, usageBase: 4, netDue: 2 },
      { ...fee, feeType: 'CONGESTION', uom: 'min', rateBase: 1, usageBase: 1, netDue: 1 },
      { ...fee, feeType: 'NEW_ONE', rateBase: 'x', netDue: undefined, totalDue: 3 },
    ];
    expect(sessionsIn([{ ...item, fees, more: {} }], receivedAt)).toEqual([
      {
        ...{ vin: 'VIN', startedAt, endedAt: startedAt + 30 * MINUTE_MS, currency: 'EUR' },
        fees: [
          { kind: 'ENERGY', rate: 0.45, usage: 30.5, due: 13.73 },
          { kind: 'IDLE', rate: 0.5, usage: 4, due: 2 },
          { kind: 'TIME', rate: 1, usage: 1, due: 1 },
          { kind: 'OTHER', rate: null, usage: 30.5, due: 3 },
        ],
      },
    ]);
  });

  it('are told once, however often they come', () => {
    const again = { ...item, fees: [{ ...fee, netDue: 1 }] };
    const [session, ...others] = sessionsIn([item, again], receivedAt);
    expect([session?.fees[0]?.due, others]).toEqual([1, []]);
  });

  it.each([
    ['no fees yet', { fees: [] }],
    ['no list of fees', { fees: null }],
    ['an amount that is none', { fees: [fee, { ...fee, netDue: 'much', totalDue: null }] }],
    ['a currency that is none', { fees: [{ ...fee, currencyCode: 'coins' }] }],
    ['two currencies', { fees: [fee, { ...fee, currencyCode: 'CHF' }] }],
    ['a fee that is none', { fees: [fee, 'free'] }],
    ['no end', { chargeStopDateTime: null }],
    ['an end before its start', { chargeStopDateTime: '2026-03-01T10:00:00Z' }],
    ['a time without a zone', { chargeStartDateTime: '2026-03-01T11:00:00' }],
    ['no vehicle', { vin: '' }],
  ])('are left out with %s', (_what, wrong) => {
    expect(sessionsIn([{ ...item, ...wrong }], receivedAt)).toEqual([]);
  });

  it('never throw, whatever is told', () => {
    const strange = fc.oneof(
      fc.jsonValue(),
      fc.record({ fees: fc.jsonValue() }).map((given) => ({ ...item, ...given })),
      fc.jsonValue().map((given) => ({ ...item, fees: [{ ...fee, netDue: given }] })),
    );
    fc.assert(
      fc.property(fc.array(strange), (items) => {
        expect(Array.isArray(sessionsIn(items, receivedAt))).toBe(true);
      }),
    );
  });
});

describe('the charging history', () => {
  const apiAt = (baseUrl: string, accessToken: string) =>
    makerApi({ baseUrl, token: async () => accessToken, clock: () => receivedAt });

  it('is read over all its pages, of one car and since a time', async () => {
    await using maker = await startMaker();
    const { cars, baseUrl, now, seedTokens } = maker.simulator;
    const [car, other] = cars;
    const end = now() - 40 * MINUTE_MS;
    const stays = Array.from({ length: 70 }, (_, index) => {
      const untilMs = end - index * 60 * MINUTE_MS;
      const times = { fromMs: untilMs - 20 * MINUTE_MS, untilMs, unpluggedMs: untilMs };
      return { site: 'Fast', ...times, kwh: 20 };
    });
    for (const each of [car, other]) if (each) each.state.fastCharges = [...stays];
    const api = apiAt(baseUrl, seedTokens({ subject: 'person' }).accessToken);
    const vin = car?.spec.vin ?? '';
    const all = await api.chargingHistory({ vin, fromMs: 0 });
    const told = all.kind === 'ok' ? sessionsIn(all.value, now()) : [];
    expect(told).toHaveLength(70);
    expect(new Set(told.map((each) => each.vin))).toEqual(new Set([vin]));
    expect(maker.simulator.calls.charging).toBe(2);
    const some = await api.chargingHistory({ vin, fromMs: stays[9]?.fromMs ?? 0 });
    expect(some.kind === 'ok' && some.value.length).toBe(10);
  });

  it('is refused without the scope of charging', async () => {
    await using maker = await startMaker();
    const { baseUrl, seedTokens } = maker.simulator;
    const token = seedTokens({ subject: 'person', scopes: ['vehicle_device_data'] }).accessToken;
    const answer = await apiAt(baseUrl, token).chargingHistory({ vin: 'VIN', fromMs: 0 });
    expect(answer.kind).toBe('forbidden');
  });

  it('is also read from the maker’s usual envelope', async () => {
    const { baseUrl } = await standIn(always(200, { response: { data: [item] } }));
    const answer = await apiAt(baseUrl, 'token').chargingHistory({ vin: 'VIN', fromMs: 0 });
    expect(answer).toMatchObject({ kind: 'ok', value: [item] });
  });

  it('is not read for ever', async () => {
    const { baseUrl, seen } = await standIn(always(200, { data: [item], hasMoreData: true }));
    const answer = await apiAt(baseUrl, 'token').chargingHistory({ vin: 'VIN', fromMs: 0 });
    expect([answer.kind, seen.length]).toEqual(['malformed', 20]);
  });
});
