import type { z } from 'zod';
import { type FieldMessages, ServiceError } from '../base/errors.ts';

/** What a caller gave, as read. Throws `validation_failed` with `sentence` and what is wrong with each field. */
export function readInput<T>(schema: z.ZodType<T>, input: unknown, sentence: string): T {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  throw new ServiceError('validation_failed', sentence, { fields: problemsOf(read.error) });
}

/** What is wrong with each field; those of lists stand under their number. */
export function problemsOf({ issues }: z.ZodError): FieldMessages {
  const fields: FieldMessages = {};
  for (const issue of issues) {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const paths = unknown.length > 0 ? unknown.map((key) => [...issue.path, key]) : [issue.path];
    const sentence = unknown.length > 0 ? 'There is no such field.' : issue.message;
    for (const path of paths) {
      const field = path.join('.');
      fields[field] = [...(fields[field] ?? []), sentence];
    }
  }
  return fields;
}
