import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, makeServer, type Server, type SubscribePayload } from 'graphql-ws';
import type { Authenticator } from '../../auth/authenticate.ts';
import { type CallerWatch, isCredentialOver } from '../../auth/caller-watch.ts';
import type { PresentedCredentials } from '../../auth/credential.ts';
import type { OpenSlots } from '../../auth/open-slots.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { SECOND_MS } from '../../base/units.ts';
import type { Answers } from '../../schema/answers.ts';
import type { Context } from '../../schema/context.ts';
import { formatError } from '../../schema/errors.ts';
import { execute, isSubscription } from '../../schema/execute.ts';
import { schema } from '../../schema/index.ts';
import { prepareOnce } from '../../schema/prepare-once.ts';
import { subscribe } from '../../schema/subscribe.ts';
import { pushed } from './pushed.ts';
import { presentedBySocket } from './socket-caller.ts';
import type { Wire } from './wire.ts';
import { resultWithoutStatus, withoutStatus } from './without-status.ts';

/** The close code of RFC 6455 for a service that cannot take a connection now. */
const TRY_AGAIN_LATER = 1013;

/** What a close reason may have in bytes (RFC 6455 5.5), cut at 120 characters of ASCII. */
const REASON_LENGTH = 120;

/** How long a caller is believed between events [ms]; one of ten thousand tokens each half second would cost more than they are told. */
const EVENT_MAX_AGE_MS = 5 * SECOND_MS;

/** What one socket may hold, and how long it may take (contract §14). */
export type SocketLimits = {
  subscriptions: number;
  /** Time until `connection_init` [ms]. */
  initMs: number;
};

/** What the protocol needs from the rest of the service. */
export type SocketServerParts = {
  authenticator: Authenticator;
  newContext: (call: Pick<Context, 'principal' | 'requestId' | 'log'>) => Context;
  log: Log;
  watch: CallerWatch;
  slots: OpenSlots;
  limits: SocketLimits;
};

/** A socket as the protocol sees it. */
export type Connection = {
  request: IncomingMessage;
  wire: Wire;
  close: (code: number, reason: string) => void;
  /** What is to be given back when the socket closes. */
  leaving: (() => void)[];
  presented: PresentedCredentials | null;
  /** Operations that are being started, those too that the client took back meanwhile. */
  starting: number;
  closed: boolean;
};

type Outcome = Answers | ExecutionResult;

/** The reason as a close frame may carry it. */
function closeReason(message: string): string {
  return message.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, REASON_LENGTH);
}

/** Closes the socket of a credential that has ended; says whether it was that. */
function closeIfOver({ close }: Connection, cause: unknown): boolean {
  if (!isCredentialOver(cause)) return false;
  close(CloseCode.Forbidden, closeReason(cause.message));
  return true;
}

/**
 * The graphql-transport-ws protocol over our own `execute` and `subscribe`: what the library would run by itself would
 * pass no limit and no mask (security §4.1). Results of operations are made in `onSubscribe` and only told by it.
 */
export function socketServer(parts: SocketServerParts): Server<Connection> {
  const { authenticator, log, watch, slots, limits } = parts;
  const outcomes = new WeakMap<ExecutionArgs, Outcome>();
  const outcomeOf = (args: ExecutionArgs): Outcome => outcomes.get(args) ?? { data: null };

  const identify = (presented: PresentedCredentials, maxAgeMs?: number) =>
    authenticator.identify(presented, { allowsApiKey: false, maxAgeMs });

  /** A fresh context; a credential that has ended closes the socket. `maxAgeMs` is that of `RouteRule`. */
  async function renew(
    connection: Connection,
    requestId: string,
    maxAgeMs?: number,
  ): Promise<Context> {
    const { presented } = connection;
    if (presented === null)
      throw new ServiceError('missing_token', 'The socket is not initialised.');
    try {
      return parts.newContext({ principal: await identify(presented, maxAgeMs), requestId, log });
    } catch (error) {
      closeIfOver(connection, error);
      throw error;
    }
  }

  async function admit(connection: Connection, payload: unknown): Promise<boolean> {
    const refuse = (code: number, reason: string) => {
      connection.close(code, closeReason(reason));
      return false;
    };
    const presented = presentedBySocket(connection.request, payload);
    try {
      const principal = await identify(presented);
      if (connection.closed) return false;
      const leave = slots.take(principal, presented.ip);
      if (leave === null) {
        return refuse(
          CloseCode.TooManyInitialisationRequests,
          'Too many connections are open with this token.',
        );
      }
      connection.presented = presented;
      connection.leaving.push(
        leave,
        watch.add(
          () => identify(presented),
          ({ message }) => connection.close(CloseCode.Forbidden, closeReason(message)),
        ),
      );
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500)
        return refuse(CloseCode.Forbidden, error.message);
      const { message } = formatError(error, { log, requestId: randomUUID() });
      return refuse(TRY_AGAIN_LATER, message);
    }
  }

  async function run(
    connection: Connection,
    operationId: string,
    { query, operationName, variables }: SubscribePayload,
  ): Promise<ExecutionArgs | GraphQLError[]> {
    const requestId = randomUUID();
    try {
      const context = await renew(connection, requestId);
      const prepared = prepareOnce(query);
      const asked = { operationName, variables, context };
      const live = isSubscription(prepared.document, operationName ?? null);
      const outcome: Outcome = live
        ? await subscribe(prepared, {
            ...asked,
            renew: () => renew(connection, requestId, EVENT_MAX_AGE_MS),
          })
        : await execute(prepared, asked);
      if (!('next' in outcome) && outcome.data === undefined) {
        return (outcome.errors ?? []).map(withoutStatus);
      }
      const args: ExecutionArgs = { schema, document: prepared.document, operationName };
      const told = () => {
        if (!('next' in outcome)) return resultWithoutStatus(outcome);
        if (outcome.shared === undefined) return toldBySocket(outcome);
        const ended = (cause: unknown) => closeIfOver(connection, cause);
        return pushed(outcome.shared, { wire: connection.wire, operationId, ended });
      };
      outcomes.set(args, told());
      return args;
    } catch (error) {
      return [withoutStatus(formatError(error, { log, requestId }))];
    }
  }

  return makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: limits.initMs,
    onConnect: ({ extra, connectionParams }) => admit(extra, connectionParams),
    onSubscribe: async ({ extra, subscriptions }, id, payload) => {
      const open = Object.keys(subscriptions).length;
      if (open <= limits.subscriptions && extra.starting < limits.subscriptions) {
        extra.starting += 1;
        return run(extra, id, payload).finally(() => {
          extra.starting -= 1;
        });
      }
      const message = `A socket takes ${limits.subscriptions} operations at a time.`;
      const error = new ServiceError('rate_limited', message);
      return [withoutStatus(formatError(error, { log, requestId: '' }))];
    },
    execute: outcomeOf,
    subscribe: outcomeOf,
  });
}

/** Answers without the HTTP statuses of their errors. */
function toldBySocket(answers: Answers): Answers {
  const told: Answers = {
    async next() {
      const result = await answers.next();
      return result.done === true
        ? result
        : { done: false, value: resultWithoutStatus(result.value) };
    },
    return: () => answers.return(),
    [Symbol.asyncIterator]: () => told,
  };
  return told;
}
