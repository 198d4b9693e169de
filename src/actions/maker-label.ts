import { ServiceError } from '../base/errors.ts';

const LABEL_MAX = 100;

/** A label as it is stored; null for none. Throws `validation_failed` for one that cannot be shown. */
export function shownLabel(label: string | null): string | null {
  const text = label?.trim() ?? '';
  if (text === '') return null;
  if (text.length <= LABEL_MAX && !/[\p{Cc}\p{Cs}]/u.test(text)) return text;
  throw new ServiceError('validation_failed', 'The label cannot be used.', {
    fields: { label: [`At most ${LABEL_MAX} characters, and no control characters.`] },
  });
}
