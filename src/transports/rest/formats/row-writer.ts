/** Writes rows of a result as one text, piece by piece; what it remembers between the pieces is bounded. */
export type RowWriter = {
  head: () => string;
  rows: (rows: readonly unknown[]) => string;
  tail: () => string;
};

/** The whole text of rows that are all at hand. */
export function written(writer: RowWriter, rows: readonly unknown[]): string {
  return writer.head() + writer.rows(rows) + writer.tail();
}
