import { DAY_MS } from '../base/units.ts';
import { type Answer, malformed } from './answer.ts';
import { isObject } from './json.ts';
import { finiteNumber, numberWithin, text, word } from './readers.ts';
import { observedTime } from './times.ts';

/** Which sessions to ask for: of one vehicle, begun at or after `fromMs` (epoch ms). */
export type HistoryWish = { vin: string; fromMs: number };

/** A part of what a session costs; `due` and `rate` in major units of the session's currency. */
export type SessionFee = {
  kind: 'ENERGY' | 'TIME' | 'IDLE' | 'OTHER';
  /** For each kWh or minute of `usage`; null where either was not told. */
  rate: number | null;
  usage: number | null;
  due: number;
};

/** A session at one of the maker's fast chargers with what it costs; times in epoch ms. */
export type ChargingSession = {
  vin: string;
  startedAt: number;
  endedAt: number;
  /** ISO 4217; null where nothing is due and none was told. */
  currency: string | null;
  fees: SessionFee[];
};

type Fields = Readonly<Record<string, unknown>>;

const perPage = 50;
const mostPages = 20;
const mostFees = 50;
const longestMs = 3 * DAY_MS;

/**
 * Every session of a wish, over all pages, the newest first; a failure on any page is the failure of all. Observed: these
 * answers stand in no envelope, so both forms are read.
 */
export async function everySession(
  ask: (path: string) => Promise<Answer<Fields>>,
  { vin, fromMs }: HistoryWish,
): Promise<Answer<readonly unknown[]>> {
  const sessions: unknown[] = [];
  const wish = { vin, startTime: new Date(fromMs).toISOString(), pageSize: String(perPage) };
  const order = { sortBy: 'chargeStartDateTime', sortOrder: 'DESC' };
  for (let page = 1; page <= mostPages; page += 1) {
    const query = new URLSearchParams({ ...wish, ...order, pageNo: String(page) });
    const answer = await ask(`/api/1/dx/charging/history?${query}`);
    if (answer.kind !== 'ok') return answer;
    const { response } = answer.value;
    const { data, hasMoreData } = isObject(response) ? response : answer.value;
    if (!Array.isArray(data)) return malformed('no_response', answer.status);
    for (const item of data) sessions.push(item);
    if (data.length === 0 || hasMoreData !== true) {
      return { kind: 'ok', status: answer.status, value: sessions };
    }
  }
  return malformed('endless', null);
}

/** The sessions among items of the history; one whose times or amounts are not understood is left out whole. */
export function sessionsIn(items: readonly unknown[], receivedAt: number): ChargingSession[] {
  const byId = new Map<string, ChargingSession>();
  for (const item of items) {
    const session = isObject(item) ? sessionOf(item, receivedAt) : null;
    if (session === null || !isObject(item)) continue;
    const id = text(item.sessionId, receivedAt) ?? finiteNumber(item.sessionId);
    byId.set(String(id ?? `${session.vin} ${session.startedAt}`), session);
  }
  return [...byId.values()];
}

function sessionOf(item: Fields, receivedAt: number): ChargingSession | null {
  const vin = text(item.vin, receivedAt);
  const startedAt = instant(item.chargeStartDateTime, receivedAt);
  const endedAt = instant(item.chargeStopDateTime, receivedAt);
  if (vin == null || startedAt === null || endedAt === null) return null;
  if (endedAt <= startedAt || endedAt - startedAt > longestMs) return null;
  const bill = billIn(item.fees);
  return bill === null ? null : { vin, startedAt, endedAt, ...bill };
}

/** Without a zone a time may be anywhere in a day. */
function instant(value: unknown, receivedAt: number): number | null {
  const zoned = typeof value !== 'string' || /(?:Z|[+-]\d{2}:?\d{2})$/i.test(value.trim());
  return zoned ? (observedTime(value, receivedAt) ?? null) : null;
}

const amount = numberWithin(-100_000, 100_000);
const rateOf = numberWithin(0, 10_000);
const usageOf = numberWithin(0, 100_000);
const unit = word<'KWH' | 'MIN'>({ kwh: 'KWH', min: 'MIN', minute: 'MIN', minutes: 'MIN' });
const feeType = word<'CHARGING' | 'PARKING' | 'CONGESTION'>({
  charging: 'CHARGING',
  parking: 'PARKING',
  congestion: 'CONGESTION',
});

/** A sum without one of its parts would be wrong, so a fee that is not understood spoils the bill; so do two currencies. */
function billIn(value: unknown): Pick<ChargingSession, 'currency' | 'fees'> | null {
  // A list without fees is a bill that was not made yet.
  if (!Array.isArray(value) || value.length === 0 || value.length > mostFees) return null;
  const currencies = new Set<string>();
  const fees: SessionFee[] = [];
  for (const item of value) {
    if (!isObject(item)) return null;
    const due = amount(item.netDue, 0) ?? amount(item.totalDue, 0);
    const currency = text(item.currencyCode, 0)?.toUpperCase();
    const isCurrency = currency !== undefined && /^[A-Z]{3}$/.test(currency);
    if (due == null || (due !== 0 && !isCurrency)) return null;
    if (isCurrency) currencies.add(currency);
    const [rate, usage] = [rateOf(item.rateBase, 0) ?? null, usageOf(item.usageBase, 0) ?? null];
    fees.push({ kind: kindOf(item), rate, usage, due });
  }
  if (currencies.size > 1) return null;
  return { currency: [...currencies][0] ?? null, fees };
}

function kindOf(item: Fields): SessionFee['kind'] {
  const [what, by] = [feeType(item.feeType, 0), unit(item.uom, 0)];
  if (what === 'CHARGING' && by === 'KWH') return 'ENERGY';
  if (by !== 'MIN') return 'OTHER';
  if (what === 'PARKING') return 'IDLE';
  return what === 'CHARGING' || what === 'CONGESTION' ? 'TIME' : 'OTHER';
}
