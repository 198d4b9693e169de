import { builder } from './builder.ts';

/** What a person chose of how often a vehicle is asked. */
export const PollProfile = builder.enumType('PollProfile', {
  description: 'How often a vehicle is asked for its data, which the maker bills.',
  values: {
    NORMAL: { description: 'As often as what it does changes.' },
    SPARING: { description: 'A quarter as often.' },
    LIST_ONLY: {
      description:
        'Never: only what costs nothing is looked at, whether it is online, and what it streams is recorded.',
    },
  },
});
