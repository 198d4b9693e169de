import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../schema/context.ts';
import type { PreparedOperation } from '../../schema/execute.ts';
import { LARGEST_PAGE_SIZE } from '../../schema/page.ts';
import { ask } from './asking.ts';
import type { Endpoint } from './endpoint.ts';
import { type FormatName, formatTypes } from './formats/format.ts';
import type { RowWriter } from './formats/row-writer.ts';
import { type Given, refusal } from './read-query.ts';
import type { Route } from './route.ts';
import { isRecord, valueAt } from './telling.ts';

/** Parameters of a page that make no sense for all of its list. */
const ofPages = ['limit', 'cursor', 'include_total'];

/**
 * Whether an answer is all of a list, sent as it is read. Throws `validation_failed` where a page of it was asked for as well.
 */
export function isExport({ streams, answer }: Route, form: FormatName, given: Given): boolean {
  if (streams !== undefined) return true;
  if (form === 'json' || answer.kind !== 'page') return false;
  const wrong = ofPages.filter((name) => given.has(name));
  const sentence = 'This form holds every row; leave it out.';
  if (wrong.length > 0) {
    throw refusal(new Map(wrong.map((name) => [name, [sentence]])), 'parameter');
  }
  return true;
}

/** Sends an export; a HEAD gets its headers alone. */
export async function sendExport(
  { method }: FastifyRequest,
  reply: FastifyReply,
  { endpoint, asked, form }: { endpoint: Endpoint; asked: ExportAsked; form: FormatName },
): Promise<FastifyReply> {
  const text = await exportText(endpoint, asked);
  return reply
    .header('Cache-Control', 'no-store')
    .type(`${formatTypes[form]}; charset=utf-8`)
    .send(Readable.from(method === 'HEAD' ? [] : text));
}

/** What an export asks, again and again. */
export type ExportAsked = {
  given: Given;
  prepared: PreparedOperation;
  /** A fresh context for each asking: nothing that was read before stays in memory. */
  newContext: () => Context;
  writer: RowWriter;
};

/**
 * The text of a whole list, read piece by piece: the next piece is asked for when the one before was taken, so a slow reader
 * slows the reading down and one that leaves ends it. What the first piece fails with is thrown here, before anything is sent;
 * a later failure breaks the text off.
 */
export async function exportText(
  endpoint: Endpoint,
  asked: ExportAsked,
): Promise<AsyncGenerator<string, void>> {
  const first = await readPiece(endpoint, asked, null);
  return pieces(endpoint, asked, first);
}

type Piece = { rows: readonly unknown[]; next: unknown };

async function* pieces(
  endpoint: Endpoint,
  asked: ExportAsked,
  first: Piece,
): AsyncGenerator<string, void> {
  const { writer } = asked;
  let piece = first;
  yield writer.head() + writer.rows(piece.rows);
  while (piece.next !== null) {
    piece = await readPiece(endpoint, asked, piece.next);
    const text = writer.rows(piece.rows);
    if (text !== '') yield text;
  }
  yield writer.tail();
}

async function readPiece(
  endpoint: Endpoint,
  { given, prepared, newContext }: ExportAsked,
  after: unknown,
): Promise<Piece> {
  const { variable } = continuationOf(endpoint);
  const size = endpoint.route.answer.kind === 'page' ? { first: LARGEST_PAGE_SIZE } : {};
  const more = { ...size, ...(after === null ? {} : { [variable]: after }) };
  const data = await ask(
    endpoint,
    { given, input: null, more },
    { prepared, context: newContext() },
  );
  const rows = valueAt(data, endpoint.at);
  return { rows: Array.isArray(rows) ? rows : [], next: nextOf(endpoint, data) };
}

/** The variable that a later piece is asked for with, and where its value stands. */
function continuationOf({ route }: Endpoint): { variable: string; next: readonly string[] } {
  if (route.streams === undefined) return { variable: 'after', next: [] };
  return { variable: route.streams.variable, next: route.streams.next.split('.') };
}

function nextOf(endpoint: Endpoint, data: unknown): unknown {
  if (endpoint.route.streams !== undefined) return valueAt(data, continuationOf(endpoint).next);
  const pageInfo = valueAt(data, [...endpoint.at.slice(0, -1), 'pageInfo']);
  return isRecord(pageInfo) && pageInfo.hasNextPage === true ? (pageInfo.endCursor ?? null) : null;
}
