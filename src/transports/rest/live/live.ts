import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { eventBody } from '../../../actions/event-body.ts';
import { eventCursorOf, replayPosition } from '../../../actions/event-cursor.ts';
import { type EventLog, openEventLog } from '../../../actions/event-log.ts';
import { eventView } from '../../../actions/event-view.ts';
import { isCredentialOver } from '../../../auth/caller-watch.ts';
import { createOpenSlots } from '../../../auth/open-slots.ts';
import type { Principal } from '../../../auth/principal.ts';
import { ServiceError } from '../../../base/errors.ts';
import { uuidOf } from '../../../base/ids.ts';
import { SECOND_MS } from '../../../base/units.ts';
import { eventTable } from '../../../contract/events.ts';
import { effectiveGrants } from '../../../contract/scopes.ts';
import type { Context } from '../../../schema/context.ts';
import { isToldWhere } from '../../../schema/event.ts';
import { preferred } from '../accept.ts';
import { callerOf } from '../access.ts';
import { ask } from '../asking.ts';
import { documentsOf } from '../documents.ts';
import type { Endpoint } from '../endpoint.ts';
import { envelopeOf } from '../envelope.ts';
import type { RestParts } from '../parts.ts';
import { type Given, readPath, readQuery } from '../read-query.ts';
import { valueAt } from '../telling.ts';
import { eventStream, eventText } from './event-stream.ts';
import { liveRoute, liveScopes, snapshotIn } from './live-route.ts';

/** Streams that one token may hold open. */
const STREAMS_PER_TOKEN = 50;

/** How often a stream says that it is there; proxies give up connections that are silent for a minute. */
const HEARTBEAT_MS = 15 * SECOND_MS;

/** When a client that lost the stream asks again. */
const RETRY_MS = 2 * SECOND_MS;

const mediaType = 'text/event-stream';

type Live = RestParts & { snapshot: Endpoint; document: ReturnType<typeof documentsOf> };

/** `GET /api/vehicle/:public_id/live`: the events of a vehicle as server-sent events (contract §16). */
export function addLive(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  parts: RestParts,
): void {
  const slots = createOpenSlots({ credential: STREAMS_PER_TOKEN, address: 0 });
  const snapshot = snapshotIn(endpoints);
  const live = { ...parts, snapshot, document: documentsOf(snapshot) };
  app.route({
    method: liveRoute.method,
    url: liveRoute.path,
    exposeHeadRoute: false,
    onRequest: async (request) => {
      request.setDecorator('principal', await identified(request, parts));
    },
    handler: async (request, reply) => {
      const principal = request.getDecorator<Principal>('principal');
      const leave = slots.take(principal, null);
      if (leave === null) {
        const message = `At most ${STREAMS_PER_TOKEN} streams are open at a time with one token.`;
        throw new ServiceError('rate_limited', message, { retryAfterS: 60 });
      }
      try {
        return await answer(request, reply, { live, principal, leave });
      } catch (error) {
        leave();
        throw error;
      }
    },
  });
}

async function identified(
  request: FastifyRequest,
  { authenticator }: RestParts,
): Promise<Principal> {
  const { rawHeaders, url = '' } = request.raw;
  const caller = { rawHeaders, url, ip: request.ip };
  const principal = await callerOf({ route: {}, scopes: liveScopes }, caller, authenticator);
  if (principal === null) throw new ServiceError('missing_token', 'This needs a token.');
  return principal;
}

type Asked = { live: Live; principal: Principal; leave: () => void };

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { live, principal, leave }: Asked,
): Promise<FastifyReply> {
  const { id: requestId, headers, url } = request;
  const { parameters } = live.snapshot;
  const given = new Map([...readPath(request.params, parameters), ...readQuery(url, [])]);
  if (preferred(headers.accept, [mediaType]) === null) {
    throw new ServiceError(
      'not_acceptable',
      `The answer is ${mediaType}, which Accept leaves out.`,
    );
  }
  const context = live.newContext({ principal, requestId, log: live.log });
  const after = await lastEventOf(request, context, principal);
  const { log, first } = await opened(live, { context, given, after }, principal);

  const ended: (() => void)[] = [leave, () => void log.return()];
  const stream = eventStream({
    first,
    heartbeatMs: live.heartbeatMs ?? HEARTBEAT_MS,
    next: async () => {
      for (;;) {
        const { done, value } = await log.next();
        if (done === true) return null;
        // Who calls is looked up anew for every event; the look-up is remembered for a moment.
        const now = { principal: await identified(request, live), requestId, log: live.log };
        if (!(await isToldWhere(live.newContext(now), value))) continue;
        const view = eventView(value);
        return eventText({ id: view.cursor, event: view.type, data: eventBody(view) });
      }
    },
    failed: (error) => {
      if (isCredentialOver(error)) return;
      live.log.warn({ err: error, requestId }, 'A stream of events was broken off.');
    },
    left: () => {
      for (const end of ended) end();
    },
  });
  // What was told is still read; then the stream is over, and its client learns the reason when it asks again.
  const end = () => void log.return();
  ended.push(live.watch.add(() => identified(request, live), end));
  reply.type(mediaType).header('Cache-Control', 'no-store').header('X-Accel-Buffering', 'no');
  return reply.send(stream);
}

/** The position that the client has by `Last-Event-ID`; null where it begins anew. */
async function lastEventOf(
  { headers }: FastifyRequest,
  { prisma, clock }: Context,
  { accountId }: Principal,
): Promise<number | null> {
  const cursor = headers['last-event-id'];
  if (typeof cursor !== 'string' || cursor === '') return null;
  return replayPosition(prisma, { accountId, cursor, name: 'Last-Event-ID', now: clock() });
}

type Opening = { context: Context; given: Given; after: number | null };

/** Follows the account first and reads the vehicle then, so that nothing falls in between. */
async function opened(
  { snapshot, document }: Live,
  { context, given, after }: Opening,
  principal: Principal,
): Promise<{ log: EventLog; first: string }> {
  const { accountId, scopes } = principal;
  const granted = effectiveGrants(scopes, 'api');
  let vehicleId: string | null = null;
  const log = await openEventLog(context, {
    accountId,
    after,
    wants: ({ type, vehicleId: about }) =>
      about === vehicleId && granted.has(eventTable[type].scope),
  });
  try {
    const asked = { given, input: null };
    const data = await ask(snapshot, asked, { prepared: document(null), context });
    const { response } = envelopeOf(snapshot, data, { given, wanted: null });
    vehicleId = uuidOf('Vehicle', String(valueAt(response, ['id'])));
    const retry = `retry: ${RETRY_MS}\n\n`;
    if (after !== null) return { log, first: retry };
    const id = eventCursorOf(accountId, log.from);
    return { log, first: retry + eventText({ id, event: 'vehicle', data: response }) };
  } catch (error) {
    await log.return();
    throw error;
  }
}
