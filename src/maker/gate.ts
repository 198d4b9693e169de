import type { CallCategory } from '../contract/spend.ts';
import type { Answer, HeldBack } from './answer.ts';

/** Leave for one billed call; `settle` is told its answer, so that what is not billed can be taken back. Never rejects. */
export type Passage = { kind: 'passed'; settle: (answer: Answer<unknown>) => Promise<void> };

/** Counts a billed call before it is made, or holds it back. Never rejects. */
export type CallGate = (category: CallCategory) => Promise<Passage | HeldBack>;

/** Connections that never came to be: nothing was sent over them. */
const neverSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a connection with this code surely carried nothing. */
export function isNeverSent(code: string): boolean {
  return neverSentCodes.has(code);
}

/** Whether the maker bills a call with this answer: all but those of 500 and more; what is not known counts (maker.md §1.7). */
export function isBilled(answer: Answer<unknown>): boolean {
  if (answer.status !== null) return answer.status < 500;
  if (answer.kind === 'closed') return !isNeverSent(answer.code);
  return answer.kind === 'timeout' || answer.kind === 'malformed';
}
