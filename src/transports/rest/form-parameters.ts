import { formsOf } from './formats/format.ts';
import type { Parameter } from './parameters.ts';
import { truth, words } from './readers.ts';
import type { Route } from './route.ts';
import { fieldSelection } from './select-fields.ts';
import type { Field } from './shape.ts';

/** The parameters that only the form of the answer depends on. */
export function formParameters(route: Route, answer: Field): Parameter[] {
  const own = { in: 'query', required: false, target: null } as const;
  if (route.formats !== undefined) {
    const format = {
      ...own,
      name: 'format',
      description: 'Form of the answer; without it, what `Accept` likes best.',
      reader: words(formsOf(route)),
    };
    return route.answer.kind === 'page'
      ? [
          {
            ...format,
            description: `${format.description} All but JSON hold every row, so they take no \`limit\`, \`cursor\` and \`include_total\`.`,
          },
          ...fieldParameters(route, answer),
        ]
      : [format];
  }
  return fieldParameters(route, answer);
}

/** The parameters that choose among the fields of the answer. */
function fieldParameters(route: Route, answer: Field): Parameter[] {
  const own = { in: 'query', required: false, target: null } as const;
  if (answer.fields === null || route.method !== 'GET' || route.bare !== undefined) return [];
  return [
    {
      ...own,
      name: 'fields',
      description:
        'Names of the fields to answer, separated by commas, dotted inside an object; the others are left out.',
      reader: fieldSelection(answer.fields),
    },
    ...(route.compact === undefined
      ? []
      : [
          {
            ...own,
            name: 'compact',
            description: `The same as \`fields=${route.compact.join(',')}\`.`,
            reader: truth,
            default: false,
          },
        ]),
  ];
}
