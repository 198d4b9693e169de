import type { OutputRef } from '@pothos/core';
import type { Scope } from '../contract/scopes.ts';
import { builder } from './builder.ts';
import type { Page } from './list.ts';
import { DEFAULT_PAGE_SIZE, LARGEST_PAGE_SIZE, type PageArgs } from './page.ts';

/** Scopes of a type or field; null for what is public. */
export type Guard = { [S in Scope]?: true } | { $any: { [S in Scope]?: true } };

/** What needs the scope `vehicles`. */
export const vehicles = { vehicles: true } as const satisfies Guard;

/** The types of a list of `node`: `<name>Connection` and `<name>Edge`, as guarded as the node itself. */
export function connection<Row>(
  name: string,
  node: OutputRef<Row>,
  { guard, rows }: { guard: Guard | null; rows: string },
) {
  const authScopes = guard ?? undefined;
  const edge = builder.edgeObject({
    name: `${name}Edge`,
    type: node,
    nodeNullable: false,
    description: `One of the ${rows} of a page, with its cursor.`,
    authScopes,
  });
  return builder.objectRef<Page<Row>>(`${name}Connection`).implement({
    description: `A page of ${rows}.`,
    authScopes,
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The rows of the page.',
        complexity: { field: 1, multiplier: 1 },
        resolve: (page) => page.rows,
      }),
      edges: t.field({
        type: [edge],
        description: 'The rows of the page with their cursors.',
        complexity: { field: 0, multiplier: 1 },
        resolve: (page) => page.rows.map((row) => ({ cursor: page.cursorOf(row), node: row })),
      }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        description: 'Where the page is in the list.',
        complexity: 0,
        resolve: (page) => pageInfoOf(page),
      }),
      totalCount: t.int({
        description: 'How many rows the whole list has; counted only when asked for.',
        resolve: (page) => page.total(),
      }),
    }),
  });
}

function pageInfoOf<Row>(page: Page<Row>) {
  const first = page.rows.at(0);
  const last = page.rows.at(-1);
  return {
    hasNextPage: page.hasNextPage,
    hasPreviousPage: page.hasPreviousPage,
    startCursor: first === undefined ? null : page.cursorOf(first),
    endCursor: last === undefined ? null : page.cursorOf(last),
  };
}

/** The arguments of every list. */
export const pageArgs = builder.args((t) => ({
  first: t.int({
    description: `Rows from the start, 1 to ${LARGEST_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} when neither \`first\` nor \`last\` is given.`,
  }),
  after: t.string({ description: 'Cursor of the row before the page.' }),
  last: t.int({ description: `Rows from the end, 1 to ${LARGEST_PAGE_SIZE}.` }),
  before: t.string({ description: 'Cursor of the row after the page.' }),
}));

/** Cost of a list: one for itself and that of a row for each row it may answer (contract §13). */
export function pageCost(args: PageArgs): { field: number; multiplier: number } {
  const size = args.first ?? args.last ?? DEFAULT_PAGE_SIZE;
  return { field: 1, multiplier: Math.min(Math.max(size, 1), LARGEST_PAGE_SIZE) };
}

/** How a list is sorted. */
export const ListOrder = builder.enumType('ListOrder', {
  description: 'How a list is sorted.',
  values: {
    NEWEST_FIRST: { description: 'The newest first.' },
    OLDEST_FIRST: { description: 'The oldest first.' },
  },
});

/** The `orderBy` argument of lists in time. */
export const orderArg = builder.args((t) => ({
  orderBy: t.field({
    type: ListOrder,
    defaultValue: 'NEWEST_FIRST',
    description: 'How the list is sorted.',
  }),
}));
