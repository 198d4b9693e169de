import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../auth/principal.ts';
import { baseUrlOf } from '../../base/base-url.ts';
import { ServiceError } from '../../base/errors.ts';
import { logFailure } from '../../base/failure-log.ts';
import { quotasLeft } from '../../schema/command-quotas.ts';
import { preferred } from './accept.ts';
import { callerOf, deprecationHeaders } from './access.ts';
import { ask } from './asking.ts';
import { callbackPolicy, failedPage, linkedPage } from './callback-page.ts';
import { type CommandAnswer, commandAnswer, makerAnswer, makerRefusal } from './command-answer.ts';
import { readCommand } from './command-request.ts';
import { entityTag, namesTag } from './conditional.ts';
import { type DocumentChooser, documentsOf } from './documents.ts';
import { type Endpoint, endpoints, isCommand, isSending } from './endpoint.ts';
import { envelopeOf } from './envelope.ts';
import { isExport, sendExport } from './export.ts';
import { type FormatName, formatTypes } from './formats/format.ts';
import { fileNameOf, formFor, pathText, rowWriter } from './forms.ts';
import { addLive } from './live/live.ts';
import { openApiText } from './openapi/document.ts';
import { linkHeader } from './paging.ts';
import type { RestParts } from './parts.ts';
import { rateLimitHeaders } from './rate-limits.ts';
import { readBody } from './read-body.ts';
import { readPath, readQuery } from './read-query.ts';
import { reads } from './route.ts';
import { valueAt } from './telling.ts';
import { wantedFields } from './wanted.ts';

/**
 * Every row of the route table under `/api`, and `/api/openapi.json`. Registering it fails for a row that does not fit
 * the schema. What it throws is for the error handler around it (contract §12).
 */
export function restPlugin(parts: RestParts) {
  return async (app: FastifyInstance): Promise<void> => {
    const all = endpoints();
    let contract: string | null = null;
    app.decorateRequest('principal', null);
    // A body that is no JSON is 415; the text parser would take it.
    app.removeContentTypeParser('text/plain');
    for (const endpoint of all) addEndpoint(app, endpoint, parts);
    addLive(app, all, parts);
    app.get('/api/openapi.json', (request, reply) => {
      // Few ask, and no start waits for it.
      contract ??= openApiText(all);
      return send(request, reply, { form: 'json', text: contract });
    });
  };
}

function addEndpoint(app: FastifyInstance, endpoint: Endpoint, parts: RestParts): void {
  const documents = documentsOf(endpoint);
  const { method, path } = endpoint.route;
  app.route({
    method,
    // A HEAD would use up what only a GET may.
    exposeHeadRoute: reads(endpoint.route),
    url: path,
    // Who calls is settled before anything of the request is read.
    onRequest: async (request, reply) => {
      const { rawHeaders, url = '' } = request.raw;
      const caller = { rawHeaders, url, ip: request.ip };
      const principal = await callerOf(endpoint, caller, parts.authenticator);
      request.setDecorator('principal', principal);
      reply.headers(deprecationHeaders(principal));
    },
    handler: (request, reply) => {
      const service = { endpoint, documents, parts };
      if (isCommand(endpoint.route)) return handleCommand(request, reply, service);
      const wantsPage = endpoint.route.page && likesPages(request.headers.accept);
      return wantsPage ? handlePage(request, reply, service) : handle(request, reply, service);
    },
  });
}

function likesPages(accept: string | undefined): boolean {
  return preferred(accept, ['application/json', 'text/html']) === 'text/html';
}

type Service = { endpoint: Endpoint; documents: DocumentChooser; parts: RestParts };

async function handle(
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint, documents, parts }: Service,
): Promise<FastifyReply> {
  const { route, parameters, body } = endpoint;
  const { id: requestId, url, headers } = request;
  const query = readQuery(url, parameters, route);
  const given = new Map([...readPath(request.params, parameters), ...query]);
  const form = formFor(route, given, headers.accept);
  const wanted = wantedFields(endpoint, given);
  const input = body === null ? null : readBody(body, request.body);

  const principal = request.getDecorator<Principal | null>('principal');
  const newContext = () => parts.newContext({ principal, requestId, log: parts.log });
  const prepared = documents(wanted);
  const all = isExport(route, form, given);
  const data = all
    ? null
    : await ask(endpoint, { given, input }, { prepared, context: newContext() });

  if (route.formats !== undefined) varyByAccept(reply);
  if (form !== 'json') {
    const fileName = fileNameOf(form, route, given);
    reply.header('Content-Disposition', `attachment; filename="${fileName}"`);
  }
  if (all) {
    const name = String(given.get('id') ?? given.get('public_id'));
    const writer = rowWriter(form, { columns: wanted ?? endpoint.answer.fields ?? [], name });
    const asked = { given, prepared, newContext, writer };
    return sendExport(request, reply, { endpoint, asked, form });
  }
  if (form !== 'json') {
    return send(request, reply, { form, text: pathText(endpoint, data, { form, given }) });
  }
  const envelope = envelopeOf(endpoint, data, { given, wanted });
  if (envelope.pagination !== undefined) {
    const here = new URL(baseUrlOf(parts.baseUrl, request) + url);
    reply.header('Link', linkHeader(here, envelope.pagination));
  }
  return send(request, reply, { form, text: JSON.stringify(envelope), once: !reads(route) });
}

/** What a browser sees that the maker sent back; an error that is ours stays with the error handler. */
async function handlePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint, documents, parts }: Service,
): Promise<FastifyReply> {
  const { parameters, route } = endpoint;
  varyByAccept(reply);
  reply.header('Cache-Control', 'no-store').header('Content-Security-Policy', callbackPolicy);
  reply.type('text/html; charset=utf-8');
  try {
    const given = readQuery(request.url, parameters, route);
    const principal = request.getDecorator<Principal | null>('principal');
    const context = parts.newContext({ principal, requestId: request.id, log: parts.log });
    const asked = { given, input: null };
    const data = await ask(endpoint, asked, { prepared: documents(null), context });
    return reply.send(linkedPage(valueAt(data, endpoint.at)));
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown;
    if (thrown.status >= 500) {
      logFailure(parts.log, thrown.cause ?? thrown, { requestId: request.id });
    }
    return reply.code(thrown.status).send(failedPage(thrown, request.id));
  }
}

/** A command: its answer has the status of what became of it, and for the pass-through the maker's shape. */
async function handleCommand(
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint, documents, parts }: Service,
): Promise<FastifyReply> {
  const { id: requestId, url, headers, body } = request;
  const ofMaker = endpoint.route.answer.kind === 'maker';
  const principal = request.getDecorator<Principal | null>('principal');
  const context = parts.newContext({ principal, requestId, log: parts.log });
  const tellLimits = async () => {
    if (isSending(endpoint.route)) reply.headers(rateLimitHeaders(await quotasLeft(context)));
  };
  try {
    const { given, variables } = readCommand(endpoint, { url, body, headers });
    const all = new Map([...readPath(request.params, endpoint.parameters), ...given]);
    const asked = { given: all, input: null, more: variables };
    const data = await ask(endpoint, asked, { prepared: documents(null), context });
    await tellLimits();
    const [path = ''] = (baseUrlOf(parts.baseUrl, request) + url).split('?');
    const told = { endpoint, data, requestId, path, at: context.clock() };
    return sendCommandAnswer(reply, ofMaker ? makerAnswer(told) : commandAnswer(told));
  } catch (thrown) {
    await tellLimits();
    const refusal = ofMaker ? makerRefusal(thrown) : null;
    if (refusal === null) throw thrown;
    return sendCommandAnswer(reply, refusal);
  }
}

function sendCommandAnswer(reply: FastifyReply, answer: CommandAnswer): FastifyReply {
  return reply
    .code(answer.status)
    .headers({ ...answer.headers, 'Cache-Control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answer.body));
}

/** Adds to what is there already, such as the origin of CORS. */
function varyByAccept(reply: FastifyReply): void {
  const present = reply.getHeader('Vary');
  reply.header('Vary', present === undefined ? 'Accept' : `${present}, Accept`);
}

/** Sends a text with its tag, or 304 where the caller has it (RFC 9110 15.4.5); what is told `once` has none. */
function send(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  { form, text, once = false }: { form: FormatName; text: string; once?: boolean },
): FastifyReply {
  reply.header('Cache-Control', once ? 'no-store' : 'private, no-cache');
  if (!once && (method === 'GET' || method === 'HEAD')) {
    const tag = entityTag(text);
    reply.header('ETag', tag);
    if (namesTag(headers['if-none-match'], tag)) return reply.code(304).send();
  }
  return reply.type(`${formatTypes[form]}; charset=utf-8`).send(text);
}
