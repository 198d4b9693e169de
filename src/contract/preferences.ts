import { z } from 'zod';

/**
 * What a person may prefer to see (contract §8): the words of each choice, the first being what holds until they choose.
 * Answers never change unit by them; they tell clients what to show.
 */
export const preferenceChoices = {
  distance: ['KM', 'MI'],
  temperature: ['C', 'F'],
  pressure: ['BAR', 'PSI'],
  energy: ['KWH'],
  range: ['RATED', 'IDEAL', 'ESTIMATED'],
  weekStart: ['MONDAY', 'SUNDAY', 'SATURDAY'],
} as const satisfies Record<string, readonly string[]>;

type Choices = typeof preferenceChoices;

/** Display preferences of an account; `currency` is ISO 4217, or null until it is chosen. */
export type Preferences = { [P in keyof Choices]: Choices[P][number] } & { currency: string | null };

/** What holds until a person chooses. */
export const defaultPreferences: Preferences = {
  distance: 'KM',
  temperature: 'C',
  pressure: 'BAR',
  energy: 'KWH',
  range: 'RATED',
  weekStart: 'MONDAY',
  currency: null,
};

const choice = <V extends readonly [string, ...string[]]>(words: V) => z.enum(words).catch(words[0]);

/** Reads preferences as they are stored; what is missing or no longer a choice falls back to the default. */
export const storedPreferences: z.ZodType<Preferences> = z
  .object({
    distance: choice(preferenceChoices.distance),
    temperature: choice(preferenceChoices.temperature),
    pressure: choice(preferenceChoices.pressure),
    energy: choice(preferenceChoices.energy),
    range: choice(preferenceChoices.range),
    weekStart: choice(preferenceChoices.weekStart),
    currency: z.string().nullable().catch(null),
  })
  .catch(defaultPreferences);
