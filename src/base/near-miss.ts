/** How many letters differ between two words, where exchanging two neighbours counts as one (Damerau, 1964). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (same ? 0 : 1)];
      next.push(Math.min(...ways, ...(swapped ? [at(before, j - 2) + 1] : [])));
    }
    before = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/** Longest word that is compared; longer ones are nobody's slip of the pen. */
const LONGEST = 40;

/** The word that was probably meant, or null when none is near. */
export function nearMiss(word: string, words: readonly string[]): string | null {
  const given = word.slice(0, LONGEST).toLowerCase();
  const near = words
    .map((candidate) => ({ candidate, by: distance(given, candidate.toLowerCase()) }))
    .filter(({ candidate, by }) => by <= Math.max(1, Math.floor(candidate.length / 3)));
  near.sort((a, b) => a.by - b.by);
  return near[0]?.candidate ?? null;
}

/** A sentence about a word that is none of `words`, with the one that was probably meant. */
export function noSuch(what: string, word: string, words: readonly string[]): string {
  const meant = nearMiss(word, words);
  const hint = meant === null ? '' : ` Did you mean \`${meant}\`?`;
  const rest =
    words.length === 0
      ? 'None is taken here.'
      : `Allowed: ${words.map((one) => `\`${one}\``).join(', ')}.`;
  return `No such ${what}.${hint} ${rest}`;
}
