import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { EventFeed } from '../../actions/event-feed.ts';
import { createOpenSlots } from '../../auth/open-slots.ts';
import type { Principal } from '../../auth/principal.ts';
import { ServiceError } from '../../base/errors.ts';

/** The media type of server-sent events. */
export const EVENTS = 'text/event-stream';

/** Streams of events that one token, and one address without a token, may hold open. */
const STREAMS = { credential: 50, address: 50 } as const;

/** An answer that goes on: Yoga's, in server-sent events. */
type Going = { headers: Headers; body: ReadableStream<Uint8Array> | null };

/** Whether an answer is one that goes on. */
export function goesOn({ headers }: { headers: Headers }): boolean {
  return headers.get('content-type')?.startsWith(EVENTS) === true;
}

/** Sends answers that go on. */
export type LiveAnswers = {
  /** Takes the place of a stream; returns how to give it back. Throws `rate_limited` where there is none. */
  place: (principal: Principal | null, address: string) => () => void;
  /** Sends an answer as fast as it is read, and calls `leave` when it is over. */
  send: (reply: FastifyReply, answer: Going, leave: () => void) => FastifyReply;
};

/** When the service stops the streams are cut: a client that was told that they are complete would not come again. */
export function liveAnswers(feed: Pick<EventFeed, 'whenClosed'>): LiveAnswers {
  const slots = createOpenSlots(STREAMS);
  const going = new Set<FastifyReply['raw']>();
  feed.whenClosed(() => {
    for (const response of going) response.destroy();
  });
  return {
    place(principal, address) {
      const leave = slots.take(principal, address);
      if (leave !== null) return leave;
      const message = `At most ${STREAMS.credential} streams are open at a time with one token.`;
      throw new ServiceError('rate_limited', message, { retryAfterS: 60 });
    },
    send(reply, answer, leave) {
      const stream = Readable.from(answer.body ?? [], { objectMode: false });
      going.add(reply.raw);
      stream.once('close', () => {
        going.delete(reply.raw);
        leave();
      });
      // What is wrong with an operation is told in the stream (graphql-sse, distinct connections): its clients take any
      // other status for a broken network, keep the reason from who asked, and ask again.
      reply.code(200).headers(Object.fromEntries(answer.headers));
      // A proxy that gathers answers would hold events back.
      reply.header('Cache-Control', 'no-store').header('X-Accel-Buffering', 'no');
      return reply.send(stream);
    },
  };
}
