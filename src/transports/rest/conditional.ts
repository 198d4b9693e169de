import { createHash } from 'node:crypto';

/** Strong entity tag of a body (RFC 9110 8.8.3): the same bytes have the same tag, and only they. */
export function entityTag(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

const oneTag = /\s*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y;

/** Whether `If-None-Match` names the tag, compared weakly, or is `*` (RFC 9110 13.1.2). A header of another form names nothing. */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  oneTag.lastIndex = 0;
  const tags: string[] = [];
  while (oneTag.lastIndex < ifNoneMatch.length) {
    const [, found] = oneTag.exec(ifNoneMatch) ?? [];
    if (found === undefined) return false;
    tags.push(found);
  }
  return tags.includes(tag);
}
