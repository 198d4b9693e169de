import { getNullableType, isListType } from 'graphql';
import type { Field } from '../shape.ts';
import { isRecord, told, valueAt } from '../telling.ts';
import type { RowWriter } from './row-writer.ts';

/** Characters with which a text is taken for a formula by spreadsheets, full-width ones too (OWASP, CSV Injection). */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * A value as a field of CSV (RFC 4180 2.5 to 2.7): quoted where it has to be, empty for null. A text that a spreadsheet would
 * take for a formula gets an apostrophe before it; numbers never do.
 */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = typeof value === 'string' && formula.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

type Column = { name: string; path: readonly string[] };

/** A column for each value of a row, those of an object inside named after it: `start_odometer_km`. Lists stay whole. */
function columnsOf(fields: readonly Field[], above: readonly string[] = []): Column[] {
  return fields.flatMap(({ key, type, fields: inside, only }) => {
    const path = [...above, key];
    const whole = inside === null || only !== null || isListType(getNullableType(type));
    return whole ? [{ name: path.join('_'), path }] : columnsOf(inside, path);
  });
}

const line = (values: readonly unknown[]) => `${values.map(csvField).join(',')}\r\n`;

/** Rows with these fields as CSV with a header line (RFC 4180). */
export function csvWriter(fields: readonly Field[]): RowWriter {
  const columns = columnsOf(fields);
  const row = { fields, only: null };
  return {
    head: () => line(columns.map(({ name }) => name)),
    rows: (rows) =>
      rows
        .map((one) => (isRecord(one) ? told(row, one) : null))
        .map((one) => line(columns.map(({ path }) => valueAt(one, path))))
        .join(''),
    tail: () => '',
  };
}
