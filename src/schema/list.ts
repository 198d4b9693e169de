import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { Prisma } from '../store/generated/prisma/client.ts';
import {
  type KeysetQuery,
  type KeysetRows,
  type KeysetSource,
  keysetRows,
} from '../store/keyset.ts';
import { type Context, perOperation } from './context.ts';
import { askedBelow, askedFields } from './look-ahead.ts';
import { cursorOf, type ListOf, type PageArgs, type Window, windowOf } from './page.ts';

/** A list of the schema: where its rows are and which of them a filter keeps. */
export type ListSpec<Row, Filter> = {
  /** Name of the list in its cursors. */
  name: string;
  source: KeysetSource | ((context: Context) => KeysetSource);
  keyOf: (row: Row) => Date;
  idOf: (row: Row) => string;
  /** Conditions on `t`; they must also leave out what the caller may not see. */
  where: (filter: Filter | null, context: Context) => Prisma.Sql[];
  /** Columns of `t` that are read beside, each under the name of the field below that wants it. */
  beside?: Record<string, Prisma.Sql>;
  /** Sees every row that is read, so that loaders need not read it again. */
  seen?: (row: Row, context: Context) => void;
};

export type ListArgs<Filter> = PageArgs & {
  filter?: Filter | null;
  orderBy?: 'NEWEST_FIRST' | 'OLDEST_FIRST' | null;
};

/** A page as the connection types answer it. */
export type Page<Row> = {
  rows: Row[];
  cursorOf: (row: Row) => string;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** Throws where `totalCount` was not asked for. */
  total: () => number;
};

/** Reads a page of a list that hangs on `parent`. */
export type List<Row, Filter> = (
  parent: string,
  args: ListArgs<Filter>,
  context: Context,
  info: GraphQLResolveInfo,
) => Promise<Page<Row>>;

type Request<Filter> = {
  parent: string;
  filter: Filter | null;
  /** The filter as conditions; it follows from the filter, so it is no part of what tells requests apart. */
  where: Prisma.Sql[];
  window: Window;
  newestFirst: boolean;
  rows: boolean;
  count: boolean;
  beside: string[];
};

function sourceOf<Row, Filter>({ source }: ListSpec<Row, Filter>, context: Context): KeysetSource {
  return typeof source === 'function' ? source(context) : source;
}

const rowFields = ['nodes', 'edges', 'pageInfo'];

/**
 * Makes a list of the schema. Its pages are read by keyset, those of several parents in one statement, with the count
 * in the same one when it is asked for.
 */
export function list<Row, Filter>(spec: ListSpec<Row, Filter>): List<Row, Filter> {
  const loader = perOperation(
    (context) =>
      new DataLoader<Request<Filter>, KeysetRows<Row>, string>(
        (requests) => loadPages(spec, requests, context),
        { cacheKeyFn: (request) => JSON.stringify({ ...request, where: null }) },
      ),
  );
  return async (parent, args, context, info) => {
    const of: ListOf = { name: spec.name, parent, idType: sourceOf(spec, context).id.type };
    const asked = askedFields(info);
    const request: Request<Filter> = {
      parent,
      filter: args.filter ?? null,
      where: spec.where(args.filter ?? null, context),
      window: windowOf(of, args),
      newestFirst: args.orderBy !== 'OLDEST_FIRST',
      rows: rowFields.some((field) => asked.has(field)),
      count: asked.has('totalCount'),
      beside: besideOf(spec, info),
    };
    return pageOf(spec, of, request.window, await loader(context).load(request));
  };
}

function besideOf<Row, Filter>(
  { beside }: ListSpec<Row, Filter>,
  info: GraphQLResolveInfo,
): string[] {
  if (beside === undefined) return [];
  const below = askedBelow(info);
  return Object.keys(beside).filter((field) => below.has(field));
}

/** The source with the columns that a group of requests wants beside. */
function withBeside<Row, Filter>(
  { beside = {} }: ListSpec<Row, Filter>,
  source: KeysetSource,
  group: readonly Request<Filter>[],
): KeysetSource {
  const wanted = group[0]?.beside ?? [];
  const columns = Object.entries(beside).filter(([field]) => wanted.includes(field));
  return {
    ...source,
    columns: Prisma.join([source.columns, ...columns.map(([, column]) => column)]),
  };
}

function pageOf<Row, Filter>(
  spec: ListSpec<Row, Filter>,
  of: ListOf,
  { size, fromEnd, after, before }: Window,
  found: KeysetRows<Row>,
): Page<Row> {
  const more = found.rows.length > size;
  return {
    rows: fromEnd ? found.rows.slice(more ? 1 : 0) : found.rows.slice(0, size),
    cursorOf: (row) => cursorOf(of, { key: spec.keyOf(row).getTime(), id: spec.idOf(row) }),
    hasNextPage: fromEnd ? before !== null : more,
    hasPreviousPage: fromEnd ? more : after !== null,
    total: () => {
      if (found.total === null) throw new Error(`The list ${spec.name} was not counted.`);
      return found.total;
    },
  };
}

async function loadPages<Row, Filter>(
  spec: ListSpec<Row, Filter>,
  requests: readonly Request<Filter>[],
  context: Context,
): Promise<KeysetRows<Row>[]> {
  const source = sourceOf(spec, context);
  const groups = new Map<string, Request<Filter>[]>();
  for (const request of requests) {
    const shape = JSON.stringify({ ...request, where: null, parent: null });
    const group = groups.get(shape);
    if (group === undefined) groups.set(shape, [request]);
    else group.push(request);
  }
  const answers = new Map<Request<Filter>, KeysetRows<Row>>();
  for (const group of groups.values()) {
    const pages = await keysetRows<Row>(
      context.prisma,
      withBeside(spec, source, group),
      queryOf(group),
    );
    for (const request of group) {
      const page = pages.get(request.parent) ?? { rows: [], total: null };
      for (const row of page.rows) spec.seen?.(row, context);
      answers.set(request, page);
    }
  }
  return requests.map((request) => answers.get(request) ?? { rows: [], total: null });
}

function queryOf<Filter>(group: readonly Request<Filter>[]): KeysetQuery {
  const [first] = group;
  const window = first?.window;
  return {
    parents: group.map((request) => request.parent),
    where: first?.where ?? [],
    newestFirst: first?.newestFirst ?? true,
    after: window?.after ?? null,
    before: window?.before ?? null,
    limit: first?.rows === true && window !== undefined ? window.size + 1 : null,
    fromEnd: window?.fromEnd ?? false,
    count: first?.count ?? false,
  };
}
