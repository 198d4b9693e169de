import { SECOND_MS } from '../base/units.ts';
import { randomOf } from './random.ts';
import type { TelemetryRecord } from './telemetry.ts';

/** How records come in that go over a radio: some late, some twice, some in a bunch after a silence. */
export type Radio = {
  seed: string;
  /** Longest way of a record [ms]. */
  delayMs: number;
  /** Share of the records that are sent again, 0 to 1. */
  resent: number;
  /** Share of the records that get lost at first and arrive `lostMs` later, as a resend. */
  lost?: { share: number; lostMs: number };
  /** Stretches without a link, epoch ms: what is made in them arrives after them, or at `arrivesMs`. */
  silences?: readonly { fromMs: number; untilMs: number; arrivesMs?: number }[];
};

/** The records in the order in which they arrive, with when they do (epoch ms). */
export function overRadio(
  records: readonly TelemetryRecord[],
  { seed, delayMs, resent, lost, silences = [] }: Radio,
): TelemetryRecord[] {
  const random = randomOf(seed, 'radio');
  const arrived = records.flatMap(({ at, record }) => {
    const silence = silences.find(({ fromMs, untilMs }) => at >= fromMs && at < untilMs);
    const sentMs = silence === undefined ? at : (silence.arrivesMs ?? silence.untilMs);
    const first = { at: sentMs + random() * delayMs, record };
    if (lost !== undefined && random() < lost.share) {
      return [{ at: first.at + lost.lostMs, record: { ...record, isResend: true } }];
    }
    if (random() >= resent) return [first];
    const again = { at: first.at + random() * delayMs, record: { ...record, isResend: true } };
    return [first, again];
  });
  return arrived.sort((a, b) => a.at - b.at);
}

/** Brings arrived records to the service's way in for telemetry, `perRequest` at a time; throws where it is not answered with 200. */
export async function sendTelemetry(
  records: readonly TelemetryRecord[],
  to: { url: string; token: string; perRequest?: number },
): Promise<void> {
  const { url, token, perRequest = 500 } = to;
  for (let from = 0; from < records.length; from += perRequest) {
    const body = records
      .slice(from, from + perRequest)
      .map(({ record }) => JSON.stringify(record))
      .join('\n');
    const response = await fetch(`${url}/ingest/telemetry`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` },
      body,
      signal: AbortSignal.timeout(60 * SECOND_MS),
    });
    if (!response.ok) throw new Error(`Telemetry was answered with ${response.status}.`);
    await response.body?.cancel();
  }
}
