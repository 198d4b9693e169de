import { Readable } from 'node:stream';

/** One event as it stands in a stream (WHATWG HTML 9.2); `data` is told as JSON. */
export function eventText({
  id,
  event,
  data,
}: {
  id: string;
  event: string;
  data: unknown;
}): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** What a stream of events is made of. */
export type StreamParts = {
  first: string;
  /** The next event; null when there is no more. It is asked only as fast as the stream is read. */
  next: () => Promise<string | null>;
  /** Called with what `next` failed with; the stream ends then, and its client asks again. */
  failed: (error: unknown) => void;
  /** Called once, when the stream has ended or its reader has gone. */
  left: () => void;
  heartbeatMs: number;
};

/** A stream of events, with a comment now and then that keeps connections from being taken for dead. */
export function eventStream({ first, next, failed, left, heartbeatMs }: StreamParts): Readable {
  let asked = false;
  const stream = new Readable({
    read() {
      if (asked) return;
      asked = true;
      next().then(
        (text) => {
          asked = false;
          stream.push(text);
        },
        (error: unknown) => {
          failed(error);
          stream.push(null);
        },
      );
    },
    destroy(error, done) {
      clearInterval(beat);
      left();
      done(error);
    },
  });
  const beat = setInterval(() => {
    if (stream.readableLength === 0) stream.push(': heartbeat\n\n');
  }, heartbeatMs);
  stream.push(first);
  return stream;
}
