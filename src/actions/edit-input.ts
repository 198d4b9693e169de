import { z } from 'zod';
import { minorDigits } from '../ingest/price-charge.ts';
import { isCurrency } from './account-changes.ts';
import { purpose, tags } from './place-input.ts';
import { readInput } from './read-input.ts';

const text = (most: number) => z.string().trim().max(most, `Give at most ${most} characters.`);
const note = text(2_000)
  .transform((said) => (said === '' ? null : said))
  .nullable();
const name = text(100)
  .transform((said) => (said === '' ? null : said))
  .nullable();

const drive = z.strictObject({ tags, purpose: purpose.nullable(), note, driver: name }).partial();

const cost = z
  .strictObject({
    amount: z
      .union([z.string(), z.number()])
      .transform(String)
      .refine((given) => /^\d{1,8}(\.\d{1,4})?$/.test(given), 'Give an amount such as "12.50".'),
    currency: z.string().refine(isCurrency, 'Give a currency of ISO 4217, such as EUR.'),
  })
  .refine(
    ({ amount, currency }) =>
      !isCurrency(currency) || (amount.split('.')[1] ?? '').length <= minorDigits(currency),
    { path: ['amount'], message: 'This has more decimals than the currency.' },
  );

const charge = z.strictObject({ tags, note, cost: cost.nullable() }).partial();

const trip = z.strictObject({ name, tags }).partial();

const sentence = 'This cannot be changed like that.';

/** Changes of a drive as a caller gave them. Throws `validation_failed`. */
export function readDriveChanges(input: unknown): z.infer<typeof drive> {
  return readInput(drive, input, sentence);
}

/** Changes of a charge as a caller gave them; a cost of null is computed again. Throws `validation_failed`. */
export function readChargeChanges(input: unknown): z.infer<typeof charge> {
  return readInput(charge, input, sentence);
}

/** Changes of a trip as a caller gave them. Throws `validation_failed`. */
export function readTripChanges(input: unknown): z.infer<typeof trip> {
  return readInput(trip, input, sentence);
}
