import type { ExecutionResult } from 'graphql';

/** Frames of one answer that are kept; clients that count their operations share them. */
const MOST_FRAMES = 8;

/** The first byte of a text message in one frame (RFC 6455 5.2). */
const WHOLE_TEXT = 0x81;

type Serialised = { end: Buffer; frames: Map<string, Buffer> };

const serialised = new WeakMap<ExecutionResult, Serialised>();

/**
 * The frame that tells an answer of an operation to a client, with the header of a server (no mask). An answer is
 * serialised once however many are told; only the id differs.
 */
export function frameOf(answer: ExecutionResult, operationId: string): Buffer {
  const { end, frames } = serialise(answer);
  const known = frames.get(operationId);
  if (known !== undefined) return known;
  const begin = `{"id":${JSON.stringify(operationId)},"type":"next","payload":`;
  const beginBytes = Buffer.byteLength(begin);
  const head = headerOf(beginBytes + end.length);
  const frame = Buffer.allocUnsafe(head.length + beginBytes + end.length);
  head.copy(frame);
  frame.write(begin, head.length);
  end.copy(frame, head.length + beginBytes);
  if (frames.size < MOST_FRAMES) frames.set(operationId, frame);
  return frame;
}

function serialise(answer: ExecutionResult): Serialised {
  const known = serialised.get(answer);
  if (known !== undefined) return known;
  const made = { end: Buffer.from(`${JSON.stringify(answer)}}`), frames: new Map() };
  serialised.set(answer, made);
  return made;
}

/** The header of a frame whose payload has so many bytes (RFC 6455 5.2). */
function headerOf(bytes: number): Buffer {
  if (bytes < 126) return Buffer.from([WHOLE_TEXT, bytes]);
  if (bytes < 65_536) return Buffer.from([WHOLE_TEXT, 126, bytes >> 8, bytes & 255]);
  const head = Buffer.alloc(10);
  head[0] = WHOLE_TEXT;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
}
