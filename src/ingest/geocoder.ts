import { z } from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/units.ts';
import { type Exchange, exchange } from '../maker/exchange.ts';
import { retryAfterMs } from '../maker/retry-after.ts';

/** How long an answer may take. */
const TIMEOUT_MS = 10 * SECOND_MS;
/** An answer is a few kilobytes; more is somebody else's, and not read [bytes]. */
const LARGEST_ANSWER = 256 * 1024;

/** An address as it is kept; what the geocoder does not say is null. */
export type FoundAddress = {
  name: string | null;
  road: string | null;
  houseNumber: string | null;
  postcode: string | null;
  city: string | null;
  county: string | null;
  region: string | null;
  countryCode: string | null;
  display: string | null;
};

/** What came of a question; `waitMs` is how long to ask nothing at all. */
export type GeocoderAnswer =
  | { kind: 'found'; address: FoundAddress }
  | { kind: 'none' }
  | { kind: 'failed'; reason: string; waitMs: number };

const text = z.string().trim().min(1).max(500).nullish().catch(null);

const reply = z.object({
  error: z.unknown().optional(),
  name: text,
  display_name: text,
  address: z
    .object({
      road: text,
      pedestrian: text,
      house_number: text,
      postcode: text,
      city: text,
      town: text,
      village: text,
      hamlet: text,
      municipality: text,
      county: text,
      state: text,
      country_code: text,
    })
    .nullish()
    .catch(null),
});

/** Where and with what a geocoder is asked. */
export type Geocoder = {
  /** Base address of a service with Nominatim's `/reverse`. */
  baseUrl: string;
  userAgent: string;
  signal: AbortSignal;
  timeoutMs?: number;
};

/** Asks a geocoder for the address of a position (Nominatim documentation, "Reverse Geocoding"). Never throws. */
export async function askGeocoder(
  { baseUrl, userAgent, signal, timeoutMs = TIMEOUT_MS }: Geocoder,
  { latitude, longitude }: { latitude: number; longitude: number },
  now: number,
): Promise<GeocoderAnswer> {
  const query = new URLSearchParams({
    format: 'jsonv2',
    lat: String(latitude),
    lon: String(longitude),
    zoom: '18',
    addressdetails: '1',
  });
  const headers = { 'user-agent': userAgent, accept: 'application/json' };
  const limits = { timeoutMs, maxBytes: LARGEST_ANSWER, signal };
  // Positions go to the configured address and nowhere else: an exchange follows nobody.
  const answer = await exchange(`${baseUrl}/reverse?${query}`, { headers }, limits);
  if (answer.kind === 'answered') return answerOf(answer, now);
  return { kind: 'failed', reason: answer.kind, waitMs: MINUTE_MS };
}

type Answered = Extract<Exchange, { kind: 'answered' }>;

function answerOf({ status, headers, body }: Answered, now: number): GeocoderAnswer {
  const reason = `HTTP ${status}`;
  if (status === 429 || status === 503) {
    return { kind: 'failed', reason, waitMs: retryAfterMs(headers, '', now) };
  }
  if (status === 404) return { kind: 'none' };
  const passes = status >= 500 || (status >= 300 && status < 400);
  if (passes) return { kind: 'failed', reason, waitMs: MINUTE_MS };
  // A refusal does not go away by asking again soon.
  if (status !== 200) return { kind: 'failed', reason, waitMs: HOUR_MS };
  const read = reply.safeParse(parsed(body));
  if (!read.success) return { kind: 'failed', reason: 'no address in it', waitMs: MINUTE_MS };
  if (read.data.error !== undefined) return { kind: 'none' };
  return { kind: 'found', address: addressOf(read.data) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function addressOf({ name, display_name, address }: z.infer<typeof reply>): FoundAddress {
  const a = address ?? {};
  return {
    name: name ?? null,
    road: a.road ?? a.pedestrian ?? null,
    houseNumber: a.house_number ?? null,
    postcode: a.postcode ?? null,
    city: a.city ?? a.town ?? a.village ?? a.hamlet ?? a.municipality ?? null,
    county: a.county ?? null,
    region: a.state ?? null,
    countryCode: a.country_code?.toUpperCase() ?? null,
    display: display_name ?? null,
  };
}

/** How long a position waits after so many failures: a minute, twice as long each time, at most a day. */
export function backoffMs(attempts: number): number {
  return Math.min(DAY_MS, MINUTE_MS * 2 ** Math.max(0, attempts - 1));
}
