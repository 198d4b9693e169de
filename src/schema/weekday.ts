import { weekdays } from '../contract/command-params.ts';
import { builder } from './builder.ts';

/** A day of the week, in the words of `weekdays`. */
export const Weekday = builder.enumType('Weekday', {
  description: 'A day of the week.',
  values: Object.fromEntries(
    weekdays.map((day) => [day, { description: `${day.charAt(0)}${day.slice(1).toLowerCase()}.` }]),
  ),
});
