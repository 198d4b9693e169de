import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { EventFeed } from '../../actions/event-feed.ts';
import { createOpenSlots } from '../../auth/open-slots.ts';
import type { Principal } from '../../auth/principal.ts';
import { ServiceError } from '../../base/errors.ts';

/** Streams of events that one token, and one address without a token, may hold open. */
const STREAMS = { credential: 50, address: 50 } as const;

/** An answer that goes on: Yoga's, in server-sent events. */
type Going = { status: number; headers: Headers; body: ReadableStream<Uint8Array> | null };

/** Who asked for it, and what is to be given back when it is over. */
type Asker = { principal: Principal | null; address: string; leaving: readonly (() => void)[] };

/** Whether an answer is one that goes on. */
export function goesOn({ headers }: { headers: Headers }): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/**
 * Sends answers that go on, as fast as they are read. When the service stops they are cut: a client that was told that
 * they are complete would not come again.
 */
export function liveAnswers(feed: Pick<EventFeed, 'whenClosed'>) {
  const slots = createOpenSlots(STREAMS);
  const going = new Set<Readable>();
  feed.whenClosed(() => {
    for (const stream of going) stream.destroy();
  });
  return (
    reply: FastifyReply,
    answer: Going,
    { principal, address, leaving }: Asker,
  ): FastifyReply => {
    const leave = slots.take(principal, address);
    const stream = Readable.from(answer.body ?? [], { objectMode: false });
    stream.once('close', () => {
      going.delete(stream);
      for (const each of leaving) each();
      leave?.();
    });
    if (leave === null) {
      stream.destroy();
      throw new ServiceError(
        'rate_limited',
        `A token holds ${STREAMS.credential} streams at most.`,
      );
    }
    going.add(stream);
    reply.code(answer.status).headers(Object.fromEntries(answer.headers));
    // A proxy that gathers answers would hold events back.
    reply.header('Cache-Control', 'no-store').header('X-Accel-Buffering', 'no');
    return reply.send(stream);
  };
}
