import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { pageNumber } from './page-number.ts';
import type { Reply } from './reply.ts';
import type { Car, FastCharge } from './state.ts';

const PAGE_SIZE = 50;
/** How long after the cable came out the maker tells of it; observed to be late. */
const TOLD_AFTER_MS = 30 * MINUTE_MS;
const EUR_PER_KWH = 0.45;
const EUR_PER_IDLE_MIN = 0.5;
/** Time after the last energy that costs nothing. */
const GRACE_MS = 5 * MINUTE_MS;

type Asked = { url: URL; nowMs: number; freeVins: ReadonlySet<string> };

/** A page of what fast charges of some cars cost, the newest first; of one car or since a time where the query says so. */
export function chargingHistory(cars: readonly Car[], asked: Asked): Reply {
  const { url, nowMs } = asked;
  const vin = url.searchParams.get('vin');
  const sinceMs = Date.parse(url.searchParams.get('startTime') ?? '');
  const sessions = cars
    .filter(({ spec }) => vin === null || spec.vin === vin)
    .flatMap((car) => car.state.fastCharges.map((stay) => ({ car, stay })))
    .filter(({ stay }) => stay.unpluggedMs !== null && stay.unpluggedMs + TOLD_AFTER_MS <= nowMs)
    .filter(({ stay }) => Number.isNaN(sinceMs) || stay.fromMs >= sinceMs)
    .sort((a, b) => b.stay.fromMs - a.stay.fromMs);
  const size = pageNumber(url, 'pageSize', PAGE_SIZE);
  const page = pageNumber(url, 'pageNo', 1);
  const data = sessions
    .slice((page - 1) * size, page * size)
    .map(({ car, stay }) => sessionTold(car, stay, asked.freeVins.has(car.spec.vin)));
  const hasMoreData = page * size < sessions.length;
  // Observed: these answers stand in no envelope.
  return { status: 200, body: { data, totalResults: sessions.length, hasMoreData } };
}

function sessionTold({ spec }: Car, stay: FastCharge, free: boolean) {
  const { fromMs, untilMs, unpluggedMs, kwh, site } = stay;
  const idleMs = (unpluggedMs ?? untilMs) - untilMs - GRACE_MS;
  const idleMin = Math.max(0, Math.ceil(idleMs / MINUTE_MS));
  return {
    sessionId: Math.round(fromMs / SECOND_MS),
    vin: spec.vin,
    siteLocationName: site,
    chargeStartDateTime: new Date(fromMs).toISOString(),
    chargeStopDateTime: new Date(untilMs).toISOString(),
    unlatchDateTime: new Date(unpluggedMs ?? untilMs).toISOString(),
    countryCode: 'AT',
    billingType: 'IMMEDIATE',
    fees: [
      fee({ feeType: 'CHARGING', uom: 'kwh', rate: EUR_PER_KWH, usage: kwh, free }),
      fee({ feeType: 'PARKING', uom: 'min', rate: EUR_PER_IDLE_MIN, usage: idleMin, free }),
    ],
    invoices: [],
  };
}

type Fee = { feeType: string; uom: string; rate: number; usage: number; free: boolean };

function fee({ feeType, uom, rate, usage, free }: Fee) {
  const usageBase = Math.round(usage * 1_000) / 1_000;
  const totalDue = Math.round(usageBase * rate * 100) / 100;
  const netDue = free ? 0 : totalDue;
  const settled = { isPaid: true, status: 'PAID' };
  return {
    feeType,
    currencyCode: 'EUR',
    rateBase: rate,
    usageBase,
    totalDue,
    netDue,
    uom,
    ...settled,
  };
}
