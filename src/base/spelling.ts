/** A name as REST and the database spell it: `speedMaxKmh` is `speed_max_kmh` (contract §1). */
export function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
