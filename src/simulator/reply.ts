/** What the stand-in answers; `text` goes out as it is, `body` as JSON. */
export type Reply = {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
};

const MARK = 'bigint:';
const marked = new RegExp(`"${MARK}(-?[0-9]+)"`, 'g');

/** JSON in which a bigint is a number with all its digits, as the maker sends ids above 2^53. */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, part) =>
    typeof part === 'bigint' ? `${MARK}${part}` : part,
  );
  return text.replace(marked, '$1');
}

/** The maker's envelope around `response`. */
export function ok(response: unknown, more: Record<string, unknown> = {}): Reply {
  return { status: 200, body: { response, error: null, error_description: null, ...more } };
}

/** The maker's envelope around nothing, with its word for why (maker.md §1.6). */
export function failure(status: number, error: string, headers?: Record<string, string>): Reply {
  const body = { response: null, error, error_description: '' };
  return headers === undefined ? { status, body } : { status, body, headers };
}
