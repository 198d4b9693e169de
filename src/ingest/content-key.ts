import { createHash } from 'node:crypto';

/** What tells a record from another of the same vehicle and time, in the form of a UUID: 128 bits of SHA-256 of what it tells. */
export function contentKey(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20, 32)].join('-');
}
