import type { Preferences } from '../contract/preferences.ts';
import { builder } from './builder.ts';

export const DistanceUnit = builder.enumType('DistanceUnit', {
  description: 'Unit to show distances and speeds in.',
  values: {
    KM: { description: 'Kilometres and km/h.' },
    MI: { description: 'Miles and mph.' },
  },
});

export const TemperatureUnit = builder.enumType('TemperatureUnit', {
  description: 'Unit to show temperatures in.',
  values: { C: { description: 'Degrees Celsius.' }, F: { description: 'Degrees Fahrenheit.' } },
});

export const PressureUnit = builder.enumType('PressureUnit', {
  description: 'Unit to show pressures in.',
  values: {
    BAR: { description: 'Bar.' },
    PSI: { description: 'Pounds per square inch.' },
  },
});

export const EnergyUnit = builder.enumType('EnergyUnit', {
  description: 'Unit to show energy in.',
  values: { KWH: { description: 'Kilowatt-hours.' } },
});

export const RangeKind = builder.enumType('RangeKind', {
  description: 'Which range to show.',
  values: {
    RATED: { description: 'By the rated consumption.' },
    IDEAL: { description: 'By the ideal consumption.' },
    ESTIMATED: { description: 'By the recent consumption.' },
  },
});

export const WeekStart = builder.enumType('WeekStart', {
  description: 'First day of a week in what is shown.',
  values: {
    MONDAY: { description: 'Monday.' },
    SUNDAY: { description: 'Sunday.' },
    SATURDAY: { description: 'Saturday.' },
  },
});

/** Display preferences of an account. */
export const AccountPreferences = builder.objectRef<Preferences>('AccountPreferences').implement({
  description: 'Display preferences; answers never change unit by them.',
  authScopes: { account: true },
  fields: (t) => ({
    distance: t.expose('distance', { type: DistanceUnit, description: 'Unit of distances.' }),
    temperature: t.expose('temperature', {
      type: TemperatureUnit,
      description: 'Unit of temperatures.',
    }),
    pressure: t.expose('pressure', { type: PressureUnit, description: 'Unit of pressures.' }),
    energy: t.expose('energy', { type: EnergyUnit, description: 'Unit of energy.' }),
    range: t.expose('range', { type: RangeKind, description: 'Which range to show.' }),
    weekStart: t.expose('weekStart', { type: WeekStart, description: 'First day of a week.' }),
    currency: t.exposeString('currency', {
      nullable: true,
      description: 'Currency, ISO 4217; null until it is chosen.',
    }),
  }),
});
