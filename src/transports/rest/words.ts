/** GraphQL spelling of a REST word: `speed_max_kmh` is `speedMaxKmh`. */
export function camelCase(word: string): string {
  return word.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A name as people write it: `SoftwareUpdate` is `software update`. */
export function plainWords(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** `words` as code, separated by commas. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
