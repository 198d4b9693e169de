/** A whole number of 1 or more in a query, or `otherwise` where there is none. */
export function pageNumber(url: URL, name: string, otherwise: number): number {
  const given = Number(url.searchParams.get(name) ?? otherwise);
  return Number.isInteger(given) && given > 0 ? given : otherwise;
}
