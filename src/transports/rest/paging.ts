import { DEFAULT_PAGE_SIZE, LARGEST_PAGE_SIZE } from '../../schema/page.ts';
import type { Parameter } from './parameters.ts';
import { integers, type Reader, truth, words } from './readers.ts';
import { isRecord } from './telling.ts';

/** Variables of an operation that its page is asked for with; no parameter of their own stands for them. */
export const pageVariables: readonly string[] = [
  'first',
  'after',
  'last',
  'before',
  'orderBy',
  'withTotal',
];

/** Where a page is in its list (contract §13). */
export type Pagination = {
  limit: number;
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
  total: number | null;
};

/** A cursor says in its first letter on which side of the row it names the page lies. */
const cursor: Reader = {
  schema: { type: 'string', pattern: '^[ab][A-Za-z0-9_-]+$', maxLength: 500 },
  example: 'aWyJkcml2ZXMiLDFd',
  read: (value) =>
    /^[ab][A-Za-z0-9_-]{1,499}$/.test(value) ? { value } : { problem: 'This is no cursor.' },
};

/** The parameters of a list in pages. */
export function pagingParameters(sortedBy: string | undefined): Parameter[] {
  const own = { in: 'query', required: false, target: null } as const;
  return [
    {
      ...own,
      name: 'limit',
      description: 'Rows on a page.',
      reader: integers(1, LARGEST_PAGE_SIZE, 20),
      default: DEFAULT_PAGE_SIZE,
    },
    {
      ...own,
      name: 'cursor',
      description: 'A `next_cursor` or `prev_cursor` of an earlier answer; opaque.',
      reader: cursor,
    },
    {
      ...own,
      name: 'include_total',
      description: 'Whether `pagination.total` says how many rows the whole list has.',
      reader: truth,
      default: false,
    },
    ...(sortedBy === undefined
      ? []
      : [
          {
            ...own,
            name: 'order',
            description: 'How the list is sorted.',
            reader: words([`${sortedBy}:desc`, `${sortedBy}:asc`]),
            default: `${sortedBy}:desc`,
          },
        ]),
  ];
}

/** The variables of an operation for what was given for `limit`, `cursor`, `order` and `include_total`. */
export function pageAsked(given: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const size = limitOf(given);
  const at = given.get('cursor');
  const after = typeof at === 'string' && at.startsWith('a') ? at.slice(1) : null;
  const before = typeof at === 'string' && at.startsWith('b') ? at.slice(1) : null;
  const order = given.get('order');
  return {
    ...(before === null ? { first: size, after } : { last: size, before }),
    ...(typeof order === 'string' && order.endsWith(':asc') ? { orderBy: 'OLDEST_FIRST' } : {}),
    withTotal: given.get('include_total') === true,
  };
}

function limitOf(given: ReadonlyMap<string, unknown>): number {
  const limit = given.get('limit');
  return typeof limit === 'number' ? limit : DEFAULT_PAGE_SIZE;
}

/** Where the page of a connection is in its list. */
export function paginationOf(connection: unknown, given: ReadonlyMap<string, unknown>): Pagination {
  const { pageInfo, totalCount } = isRecord(connection) ? connection : {};
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = isRecord(pageInfo)
    ? pageInfo
    : {};
  return {
    limit: limitOf(given),
    has_more: hasNextPage === true,
    next_cursor: hasNextPage === true && typeof endCursor === 'string' ? `a${endCursor}` : null,
    prev_cursor:
      hasPreviousPage === true && typeof startCursor === 'string' ? `b${startCursor}` : null,
    total: typeof totalCount === 'number' ? totalCount : null,
  };
}

/** Value of `Link` (RFC 8288) for a page of `url`; whatever else was asked for stays, a credential does not. */
export function linkHeader(url: URL, { next_cursor, prev_cursor }: Pagination): string {
  const to = (cursor: string | null) => {
    const target = new URL(url);
    target.searchParams.delete('api_key');
    target.searchParams.delete('cursor');
    if (cursor !== null) target.searchParams.set('cursor', cursor);
    return target.href;
  };
  return [
    ...(next_cursor === null ? [] : [`<${to(next_cursor)}>; rel="next"`]),
    ...(prev_cursor === null ? [] : [`<${to(prev_cursor)}>; rel="prev"`]),
    `<${to(null)}>; rel="first"`,
  ].join(', ');
}
