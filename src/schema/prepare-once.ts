import { type PreparedOperation, prepare } from './execute.ts';

/** Characters of the documents kept; prepared, one takes some 60 bytes. */
const MOST_CHARACTERS = 200_000;

const kept = new Map<string, PreparedOperation>();
let characters = 0;

/** Prepares a document as `prepare` does, or gives what the same text was prepared to before; the least used is forgotten. */
export function prepareOnce(text: string): PreparedOperation {
  const known = kept.get(text);
  const prepared = known ?? prepare(text);
  if (prepared.errors.length > 0 || text.length > MOST_CHARACTERS) return prepared;
  if (known === undefined) characters += text.length;
  kept.delete(text);
  kept.set(text, prepared);
  for (const [oldest] of kept) {
    if (characters <= MOST_CHARACTERS) break;
    kept.delete(oldest);
    characters -= oldest.length;
  }
  return prepared;
}
