import { snakeCase } from '../base/spelling.ts';
import { getDatamodel } from './generated/pothos.ts';
import { Prisma, type PrismaClient } from './generated/prisma/client.ts';

/** A place in a list: the sort key (epoch ms) and the id of the row there. The row need not exist any more. */
export type Position = { key: number; id: string };

/** Where the rows of a list come from; `t` is the row and `p.parent` what it hangs on, as text. */
export type KeysetSource = {
  /** A table, or a sub-select in parentheses. */
  from: Prisma.Sql;
  /** Columns of `t` under the names of the answer; `key` and `id` must be among them. */
  columns: Prisma.Sql;
  /** Ties `t` to `p.parent`. */
  belongs: Prisma.Sql;
  /** Column of `t` that the list is sorted by, a point in time, and its name in the answer. */
  key: { column: string; name: string };
  /** Column of `t` that settles ties, and its name in the answer. */
  id: { column: string; name: string; type: 'uuid' | 'text' };
};

/** One page for each of several parents. */
export type KeysetQuery = {
  parents: readonly string[];
  where: readonly Prisma.Sql[];
  newestFirst: boolean;
  after: Position | null;
  before: Position | null;
  /** Rows at most; null reads none. */
  limit: number | null;
  /** Whether the limit counts from the end of the list. */
  fromEnd: boolean;
  /** Whether to count all rows, wherever the page is. */
  count: boolean;
};

/** Rows in the order of the list, and how many there are in all; null where it was not asked. */
export type KeysetRows<Row> = { rows: Row[]; total: number | null };

const and = (conditions: readonly Prisma.Sql[]) => Prisma.join([...conditions], ' AND ');

/** Pages of one list for all parents in one statement (trap 11 of versions.md). */
export async function keysetRows<Row>(
  prisma: PrismaClient,
  source: KeysetSource,
  query: KeysetQuery,
): Promise<Map<string, KeysetRows<Row>>> {
  const found = await prisma.$queryRaw<
    (Row & { pageParent: string; pageTotal: number | null; pageRow: boolean | null })[]
  >(statement(source, query));
  const pages = new Map<string, KeysetRows<Row>>();
  for (const row of found) {
    const page = pages.get(row.pageParent) ?? { rows: [], total: row.pageTotal };
    if (row.pageRow === true) page.rows.push(row);
    pages.set(row.pageParent, page);
  }
  if (query.fromEnd) for (const page of pages.values()) page.rows.reverse();
  return pages;
}

function statement(source: KeysetSource, query: KeysetQuery): Prisma.Sql {
  const descending = query.newestFirst !== query.fromEnd;
  const direction = Prisma.raw(descending ? 'DESC' : 'ASC');
  const matches = [source.belongs, ...query.where];
  const count = query.count
    ? Prisma.sql`SELECT count(*)::int AS total FROM ${source.from} AS t WHERE ${and(matches)}`
    : Prisma.sql`SELECT NULL::int AS total`;
  const rows =
    query.limit === null
      ? Prisma.sql`SELECT NULL::boolean AS "pageRow"`
      : Prisma.sql`SELECT true AS "pageRow", ${source.columns} FROM ${source.from} AS t
          WHERE ${and([...matches, ...bounds(source, query)])}
          ORDER BY ${column(source.key)} ${direction}, ${column(source.id)} ${direction}
          LIMIT ${query.limit}`;
  const order =
    query.limit === null
      ? Prisma.sql`p.n`
      : Prisma.sql`p.n, r.${name(source.key)} ${direction}, r.${name(source.id)} ${direction}`;
  return Prisma.sql`
    SELECT p.parent AS "pageParent", c.total AS "pageTotal", r.*
    FROM unnest(${[...query.parents]}::text[]) WITH ORDINALITY AS p(parent, n)
    CROSS JOIN LATERAL (${count}) AS c
    LEFT JOIN LATERAL (${rows}) AS r ON true
    ORDER BY ${order}`;
}

function bounds(source: KeysetSource, query: KeysetQuery): Prisma.Sql[] {
  const later = Prisma.raw(query.newestFirst ? '<' : '>');
  const earlier = Prisma.raw(query.newestFirst ? '>' : '<');
  return [
    ...(query.after === null ? [] : [beyond(source, later, query.after)]),
    ...(query.before === null ? [] : [beyond(source, earlier, query.before)]),
  ];
}

function beyond(source: KeysetSource, operator: Prisma.Sql, { key, id }: Position): Prisma.Sql {
  const type = Prisma.raw(source.id.type);
  return Prisma.sql`(${column(source.key)}, ${column(source.id)}) ${operator} (${new Date(key)}::timestamptz, ${id}::${type})`;
}

const column = (part: { column: string }) => Prisma.raw(`t."${part.column}"`);
const name = (part: { name: string }) => Prisma.raw(`"${part.name}"`);

const { models } = getDatamodel().datamodel;

/**
 * Columns of a model's table under Prisma's names: each is the snake_case of its field, as the schema maps them. A list
 * that was never written is NULL in the table and empty to Prisma.
 */
export function columnsOf(model: keyof typeof models): Prisma.Sql {
  const columns = models[model]?.fields
    .filter(({ kind }) => kind !== 'object')
    .map(({ name: field, isList }) => {
      const read = `t."${snakeCase(field)}"`;
      return `${isList ? `coalesce(${read}, '{}')` : read} AS "${field}"`;
    });
  if (columns === undefined) throw new Error(`There is no model ${model}.`);
  return Prisma.raw(columns.join(', '));
}
