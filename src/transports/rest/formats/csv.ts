import type { Field } from '../shape.ts';
import { isRecord, told } from '../telling.ts';

/** A value as a field of CSV (RFC 4180 2.5 to 2.7): quoted where it has to be, empty for null. */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows of a result as CSV with a header line, one column for each field (RFC 4180). */
export function csvOf(columns: readonly Field[], rows: readonly unknown[]): string {
  const lines = rows.map((row) =>
    columns.map((column) => csvField(isRecord(row) ? told(column, row[column.name]) : null)),
  );
  return [columns.map(({ key }) => key), ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}
