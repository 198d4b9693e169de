import type { Field } from '../shape.ts';
import { told } from '../telling.ts';
import type { RowWriter } from './row-writer.ts';

/** Rows with these fields as the success body of a whole list (contract §1). */
export function jsonWriter(fields: readonly Field[]): RowWriter {
  let count = 0;
  return {
    head: () => '{"code":200,"response":[',
    rows: (rows) =>
      rows
        .map((row) => {
          count += 1;
          return `${count === 1 ? '' : ','}${JSON.stringify(told({ fields, only: null }, row))}`;
        })
        .join(''),
    tail: () => `],"count":${count}}`,
  };
}
