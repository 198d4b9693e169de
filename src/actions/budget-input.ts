import { z } from 'zod';

const amount = 'Give an amount from 0 to 999999999.99 with at most two decimals, such as 12.50.';

/** Most money in a month that somebody sets, in major units; null for none of their own. */
export const moneyLimit = z
  .union([z.string(), z.number()], { error: amount })
  .transform(String)
  .refine((text) => /^\d{1,9}(\.\d{1,2})?$/.test(text), { error: amount })
  .nullable();
