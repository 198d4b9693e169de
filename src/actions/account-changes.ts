import { z } from 'zod';
import { isTimeZone } from '../base/time-zone.ts';
import { preferenceChoices } from '../contract/preferences.ts';
import { readInput } from './read-input.ts';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Whether a word is a currency of ISO 4217. */
export function isCurrency(code: string): boolean {
  return currencies.has(code);
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Country codes that users assign themselves, or that name no country (ISO 3166-1 8.1.3). */
const noCountry = /^(A[A]|E[UZ]|Q[M-Z]|U[N]|X[A-Z]|ZZ)$/;

function isCountry(code: string): boolean {
  return (
    /^[A-Z]{2}$/.test(code) &&
    (code === 'XK' || !noCountry.test(code)) &&
    countryNames.of(code) !== undefined
  );
}

const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'Give at least one character.')
    .max(most, `Give at most ${most} characters.`);

const preferences = z
  .strictObject({
    distance: z.enum(preferenceChoices.distance),
    temperature: z.enum(preferenceChoices.temperature),
    pressure: z.enum(preferenceChoices.pressure),
    energy: z.enum(preferenceChoices.energy),
    range: z.enum(preferenceChoices.range),
    weekStart: z.enum(preferenceChoices.weekStart),
    currency: z.string().refine(isCurrency, 'Give a currency of ISO 4217, such as EUR.').nullable(),
  })
  .partial();

const changes = z
  .strictObject({
    name: text(200),
    email: z.email('Give an email address.').max(254, 'Give at most 254 characters.').nullable(),
    locale: z.string().max(35).refine(isLocale, 'Give a language tag of BCP 47, such as de-CH.'),
    timezone: z.string().refine(isTimeZone, 'Give an IANA time zone, such as Europe/Berlin.'),
    country: z
      .string()
      .refine(isCountry, 'Give a country of ISO 3166-1 in two capital letters, such as DE.')
      .nullable(),
    preferences,
  })
  .partial();

/** What is to change of an account; what is absent stays. */
export type AccountChanges = z.infer<typeof changes>;

/** Changes as a caller gave them. Throws `validation_failed` with what is wrong with each field. */
export function readAccountChanges(input: unknown): AccountChanges {
  return readInput(changes, input, 'The account cannot be changed like that.');
}
