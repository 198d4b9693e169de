/** Numbers from 0 to 1 that follow from a seed alone. */
export type Random = () => number;

/** A 32-bit number that always belongs to `parts` (FNV-1a with a final mix). */
export function hashOf(...parts: (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\0')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The random source that always belongs to `parts` (mulberry32). */
export function randomOf(...parts: (string | number)[]): Random {
  let state = hashOf(...parts);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A number between `from` and `to`. */
export function between(random: Random, from: number, to: number): number {
  return from + random() * (to - from);
}
