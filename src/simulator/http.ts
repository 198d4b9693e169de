import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Asked, type Desk, exchange, type Outcome } from './exchange.ts';
import { hashOf } from './random.ts';
import { failure, jsonOf } from './reply.ts';

const LARGEST_BODY = 64 * 1024;

/** The body as text, or null when it is larger than the stand-in reads. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    size += part.length;
    if (size > LARGEST_BODY) return null;
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString();
}

async function askedBy(request: IncomingMessage, baseUrl: string): Promise<Asked | null> {
  const target = `${baseUrl}${request.url ?? '/'}`;
  const body = await textOf(request);
  if (body === null || !URL.canParse(target)) return null;
  return {
    method: request.method ?? 'GET',
    url: new URL(target),
    authorization: request.headers.authorization ?? null,
    contentType: request.headers['content-type'] ?? null,
    body,
  };
}

function send(response: ServerResponse, outcome: Outcome, txid: string): void {
  const { reply, effects } = outcome;
  if (effects.some((effect) => effect.hang)) return;
  if (effects.some((effect) => effect.spoil === 'lost')) {
    response.destroy();
    return;
  }
  const plain = typeof reply.body === 'string';
  const text = reply.body === null ? '' : plain ? String(reply.body) : jsonOf(reply.body);
  const cut = effects.some((effect) => effect.spoil === 'cut');
  response.writeHead(reply.status, {
    'content-type': plain ? 'text/plain' : 'application/json; charset=utf-8',
    'x-txid': txid,
    ...reply.headers,
  });
  response.end(cut ? text.slice(0, text.length / 2) : text);
}

/** Answers requests; an answer that a fault holds back waits in `pending` for its time. Rejects when the request breaks off. */
export function answering(desk: Desk, advanceAll: () => void, pending: Set<NodeJS.Timeout>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = await askedBy(request, desk.garage.baseUrl());
    advanceAll();
    const outcome =
      asked === null
        ? { reply: failure(400, 'invalid_request'), effects: [] }
        : await exchange(desk, asked);
    const total = Object.values(desk.calls).reduce((sum, count) => sum + count, 0);
    const txid = hashOf('txid', total, desk.now()).toString(16).padStart(8, '0');
    const delayMs = Math.max(0, ...outcome.effects.map((effect) => effect.delayMs ?? 0));
    if (delayMs === 0) {
      send(response, outcome, txid);
      return;
    }
    const timer = setTimeout(() => {
      pending.delete(timer);
      send(response, outcome, txid);
    }, delayMs);
    pending.add(timer);
  };
}
