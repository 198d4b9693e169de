import { z } from 'zod';
import { isTimeZone } from '../base/time-zone.ts';
import { type TariffRule, tariffLimits, weekDays } from '../contract/tariffs.ts';
import { isCurrency } from './account-changes.ts';
import { readInput } from './read-input.ts';

const decimalSentence = `Give a decimal of at most ${tariffLimits.decimals} places, such as "0.3149".`;

/** A price: a decimal that is not negative, as text or as a number. */
const price = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => /^\d{1,7}(\.\d{1,6})?$/.test(text), decimalSentence);

const currency = z.string().refine(isCurrency, 'Give a currency of ISO 4217, such as EUR.');

/** A time of a day in minutes; 24:00 is its end. */
const clock = z
  .string()
  .refine((text) => /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(text), 'Give a time such as 06:30.')
  .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)));

const rule = z
  .strictObject({
    days: z.array(z.enum(weekDays)).min(1, 'Give at least one day, or leave it out.').nullish(),
    start: clock.nullish(),
    end: clock.nullish(),
    months: z
      .array(z.int().min(1, 'Give 1 to 12.').max(12, 'Give 1 to 12.'))
      .min(1, 'Give at least one month, or leave it out.')
      .nullish(),
    ratePerKwh: price.nullish(),
    ratePerMin: price.nullish(),
    sessionFee: price.nullish(),
    idleFeePerMin: price.nullish(),
  })
  .transform(({ start, end, ...given }): TariffRule => {
    // A day that ends where it begins is a whole one.
    const startMinute = (start ?? 0) % 1440;
    return {
      days: given.days ?? null,
      startMinute,
      endMinute: (end ?? 0) % 1440,
      months: given.months ?? null,
      ratePerKwh: given.ratePerKwh ?? null,
      ratePerMin: given.ratePerMin ?? null,
      sessionFee: given.sessionFee ?? null,
      idleFeePerMin: given.idleFeePerMin ?? null,
    };
  });

const instant = z.number().transform((ms) => new Date(ms));

const fields = {
  name: z
    .string()
    .trim()
    .min(1, 'Give at least one character.')
    .max(100, 'Give at most 100 characters.'),
  currency,
  timezone: z.string().refine(isTimeZone, 'Give an IANA time zone, such as Europe/Berlin.'),
  defaultRate: price,
  rules: z.array(rule).max(tariffLimits.rules, `Give at most ${tariffLimits.rules} rules.`),
  placeId: z.string().nullable(),
  validFrom: instant.nullable(),
  validTo: instant.nullable(),
};

const changes = z.strictObject(fields).partial();

/** What is to change of a tariff; what is absent stays. */
export type TariffChanges = z.infer<typeof changes>;

const { name, defaultRate } = fields;
const fresh = z.strictObject({ ...changes.shape, name, currency, defaultRate });

/** A tariff as a caller gave it; without a zone the account's is meant. Throws `validation_failed`. */
export function readNewTariff(input: unknown): z.infer<typeof fresh> {
  return readInput(fresh, input, 'The tariff cannot be like that.');
}

/** Changes of a tariff as a caller gave them. Throws `validation_failed` with what is wrong with each field. */
export function readTariffChanges(input: unknown): TariffChanges {
  return readInput(changes, input, 'The tariff cannot be changed like that.');
}
