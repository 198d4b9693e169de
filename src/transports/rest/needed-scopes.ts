import { getNamedType, isObjectType } from 'graphql';
import { type Scope, scopes } from '../../contract/scopes.ts';
import { type Alternatives, requiredBy } from '../../schema/requires-scopes.ts';
import type { Field } from './shape.ts';

/** What each field and type of a selection declares that it needs. */
function declarations(fields: readonly Field[]): Alternatives[] {
  return fields.flatMap(({ parent, node, type, fields: inside }) => {
    const field = parent.getFields()[node.name.value];
    const named = getNamedType(type);
    const parts = [field, isObjectType(named) ? named : undefined];
    const needs = parts.flatMap((part) => {
      const need = part === undefined ? null : requiredBy(part);
      return need === null ? [] : [need];
    });
    return [...needs, ...declarations(inside ?? [])];
  });
}

/** One way to be allowed, in the order of the specification and without repetition. */
function way(all: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => all.includes(scope));
}

/**
 * What an operation needs, read back from the schema: any of the lists of scopes, each in full; null when all of it is
 * public.
 */
export function neededScopes(fields: readonly Field[]): Alternatives | null {
  const needs = declarations(fields);
  if (needs.length === 0) return null;
  const ways = needs.reduce<Scope[][]>(
    (sofar, need) => distinct(sofar.flatMap((one) => need.map((more) => way([...one, ...more])))),
    [[]],
  );
  // A way that contains another asks for more than is needed.
  return ways.filter(
    (one) => !ways.some((other) => other !== one && other.every((scope) => one.includes(scope))),
  );
}

function distinct(ways: Scope[][]): Scope[][] {
  return [...new Map(ways.map((one) => [one.join(' '), one])).values()];
}
