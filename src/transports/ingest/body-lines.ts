import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../base/errors.ts';

/** Most bytes of lines in one request, counted after `Content-Encoding` (issue 3: NDJSON up to 8 MiB a request). */
export const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** How a body is packed. */
export type Packing = 'identity' | 'gzip';

/**
 * The lines of a body, by chunk, as they arrive; the last one needs no end. Throws `payload_too_large` as soon as there is
 * more than the limit, and `invalid_request` for a body that ends early or is not packed as it says.
 */
export async function* bodyLines(body: Readable, packing: Packing): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let bytes = 0;
  // Pieces of the line that has not ended: joined once, or a body without line ends would be copied over and over.
  let begun: string[] = [];
  for await (const chunk of unpacked(body, packing)) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) throw tooLarge();
    const text = decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n');
    if (end === -1) {
      begun.push(text);
      continue;
    }
    yield (begun.join('') + text.slice(0, end)).split('\n');
    begun = [text.slice(end + 1)];
  }
  const last = begun.join('') + decoder.decode();
  if (last !== '') yield [last];
}

/** The refusal of a body that is too large. */
export function tooLarge(): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The body is larger than ${BODY_LIMIT_BYTES / 1024 / 1024} MiB; send it in several requests.`,
  );
}

async function* unpacked(body: Readable, packing: Packing): AsyncGenerator<Buffer> {
  // The pipeline ends both when one fails; what failed is told to whoever reads.
  const source = packing === 'gzip' ? pipeline(body, createGunzip(), () => {}) : body;
  try {
    for await (const chunk of source) if (Buffer.isBuffer(chunk)) yield chunk;
  } catch (cause) {
    const what = packing === 'gzip' ? 'The body is no whole gzip stream.' : 'The body ended early.';
    throw new ServiceError('invalid_request', what, { cause });
  }
}
