import { getNamedType, isListType, isNonNullType } from 'graphql';
import type { Endpoint } from '../endpoint.ts';
import { type Field, standIn } from '../shape.ts';

/** Name of the schema component for an object of an answer. */
export type ComponentNamer = (object: Field) => string;

type Seen = { type: string; signature: string; standalone: string; bare: boolean };

/** The same objects have the same signature: type, fields, and those inside. */
function signatureOf({ type, fields }: Field): string {
  const inside = (fields ?? []).map((field) => `${field.key}${signatureOf(field)}`);
  return `${getNamedType(type).name}(${inside.join()})`;
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function objectsUnder({ fields }: Field): Seen[] {
  return (fields ?? []).flatMap((field) => {
    if (field.fields === null || field.only === 'id') return [];
    const object = standIn(field) ?? field;
    const name = `${field.parent.name}${capital(field.name)}`;
    return [seen(object, name, false), ...objectsUnder(object)];
  });
}

function seen(object: Field, standalone: string, bare: boolean): Seen {
  const type = getNamedType(object.type).name;
  return { type, signature: signatureOf(object), standalone, bare };
}

function isList({ type }: Field): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

function objectsOf({ answer, route }: Endpoint): Seen[] {
  const type = getNamedType(answer.type).name;
  const many = isList(answer) && route.answer.kind !== 'first';
  const own = seen(
    answer,
    many ? `${type}Item` : route.operation,
    many || route.operation === type,
  );
  return [own, ...objectsUnder(answer)];
}

/**
 * Names the objects of all answers: by their type where it is always asked for alike; else the single thing has the
 * type's name, items of a list and parts of others are named after where they stand. Throws where two get one name.
 */
export function componentNamer(endpoints: readonly Endpoint[]): ComponentNamer {
  const all = endpoints.filter(({ answer }) => answer.fields !== null).flatMap(objectsOf);
  const names = new Map<string, string>();
  for (const type of new Set(all.map((one) => one.type))) {
    const alike = all.filter((one) => one.type === type);
    const single = alike.find(({ bare, standalone }) => bare && standalone === type);
    const first = single ?? alike.find(({ bare }) => bare) ?? alike[0];
    for (const { signature, standalone } of alike) {
      if (names.has(signature)) continue;
      names.set(signature, signature === first?.signature ? type : standalone);
    }
  }
  const taken = [...names.values()];
  const twice = taken.find((name, index) => taken.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`Two schemas would be called ${twice}.`);
  return (object) => names.get(signatureOf(object)) ?? getNamedType(object.type).name;
}
