import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { EventFeed } from '../../actions/event-feed.ts';
import type { Authenticator } from '../../auth/authenticate.ts';
import type { CallerWatch } from '../../auth/caller-watch.ts';
import { presentedIn } from '../../auth/credential.ts';
import type { Principal } from '../../auth/principal.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Answers } from '../../schema/answers.ts';
import type { Context } from '../../schema/context.ts';
import { formatError } from '../../schema/errors.ts';
import { schema, schemaText } from '../../schema/index.ts';
import { yogaPlugin } from '../../schema/yoga.ts';
import { graphqlErrorAnswerer } from './answer-error.ts';
import { challengesPlugin, type ServerContext } from './challenges.ts';
import { goesOn, liveAnswers } from './live-answer.ts';

/** What GraphQL over HTTP needs from the rest of the service. */
export type GraphqlParts = {
  authenticator: Authenticator;
  /** A fresh context for one operation. */
  newContext: (call: Pick<Context, 'principal' | 'requestId' | 'log'>) => Context;
  log: Log;
  watch: CallerWatch;
  feed: EventFeed;
};

/**
 * `/graphql` by the GraphQL-over-HTTP specification, subscriptions as server-sent events there and at `/graphql/stream`
 * (graphql-sse, distinct connections), and the contract as text beside it. Without a credential only
 * public fields answer; one that is presented and wrong is refused before anything is parsed (contract §0).
 */
export function graphqlPlugin(parts: GraphqlParts) {
  return async (app: FastifyInstance): Promise<void> => {
    const yoga = newYoga(parts);
    app.setErrorHandler(graphqlErrorAnswerer(parts.log));
    // Yoga reads every content type the specification knows; here the text is only taken, within the limit.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );

    const live = liveAnswers(parts.feed);
    for (const url of ['/graphql', '/graphql/stream']) {
      app.route({
        method: ['GET', 'POST'],
        url,
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          reply.header('Cache-Control', 'no-store');
          if (isVisit(request)) return reply.redirect('/graphiql', 302);
          const { context, leaving } = await contextOf(request, parts);
          const leave = () => {
            for (const each of leaving) each();
          };
          const answer = await Promise.resolve(
            yoga.handleNodeRequestAndResponse(request, reply, context),
          ).catch((error: unknown) => {
            leave();
            throw error;
          });
          if (goesOn(answer)) {
            try {
              leaving.push(live.place(context.principal, request.ip));
            } catch (error) {
              leave();
              throw error;
            }
            return live.send(reply, answer, leave);
          }
          leave();
          reply.code(answer.status).headers(Object.fromEntries(answer.headers));
          if (context.challenge !== null) reply.header('WWW-Authenticate', context.challenge);
          return reply.send(await answer.text());
        },
      });
    }

    let contract: string | null = null;
    app.get('/graphql/schema.graphql', async (_request, reply) => {
      reply.type('text/plain; charset=utf-8').header('Cache-Control', 'no-cache');
      // Few ask, and no start waits for it.
      contract ??= schemaText();
      return contract;
    });
  };
}

function newYoga({ log }: GraphqlParts) {
  return createYoga<ServerContext>({
    schema,
    graphqlEndpoint: '/graphql{/stream}?',
    plugins: [yogaPlugin(), challengesPlugin()],
    maskedErrors: {
      maskError: (error) => formatError(malformed(error) ?? error, { log, requestId: '' }),
    },
    batching: false,
    multipart: false,
    // The HTTP side has done these.
    cors: false,
    maxRequestBodySize: false,
    graphiql: false,
    landingPage: false,
    logging: false,
  });
}

/**
 * What a request that is no GraphQL request at all fails with, before there is an operation or a context; null for other
 * errors. Its status holds whatever media type the client accepts (GraphQL over HTTP 6.4.1).
 */
function malformed(error: unknown): ServiceError | null {
  const marked = error instanceof GraphQLError && 'originalError' in error.extensions;
  if (marked) return new ServiceError('invalid_request', error.message, { cause: error });
  if (!(error instanceof SyntaxError)) return null;
  return new ServiceError('invalid_request', 'The variables or extensions are not valid JSON.', {
    cause: error,
  });
}

/** A person who typed the address into a browser, not a program that asks. */
function isVisit({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && !url.includes('?') && headers.accept?.includes('text/html') === true;
}

/** The context of a request, and what ends the watch over its caller. */
async function contextOf(
  request: FastifyRequest,
  parts: GraphqlParts,
): Promise<{ context: ServerContext; leaving: (() => void)[] }> {
  const { rawHeaders, url = '' } = request.raw;
  const presented = presentedIn({ rawHeaders, url, ip: request.ip });
  const identify = () => parts.authenticator.identify(presented, { allowsApiKey: false });
  const newContext = (principal: Principal | null) =>
    parts.newContext({ principal, requestId: request.id, log: parts.log });
  const leaving: (() => void)[] = [];
  const context = {
    ...newContext(await identify()),
    challenge: null,
    renew: async () => newContext(await identify()),
    onEnd: (ended: (reason: unknown) => void) => {
      leaving.push(parts.watch.add(identify, ended));
    },
    opened: (answers: Answers) => {
      leaving.push(() => void answers.return());
    },
  };
  return { context, leaving };
}
