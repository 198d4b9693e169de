/** What is wrong with a command's body, in the words of the maker's proxy (maker.md §1.9). */
export class WrongParam extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'WrongParam';
  }
}

type Bounds = { min: number; max: number };

/**
 * Reads a command's body as the maker's proxy does: strictly by JSON type, `missing … param` or `invalid … param`
 * otherwise (maker.md §1.9). Each reader throws WrongParam; those ending in `If` give null for what is left out.
 */
export type BodyReader = {
  flag: (name: string) => boolean;
  flagIf: (name: string) => boolean | null;
  number: (name: string, bounds?: Bounds) => number;
  numberIf: (name: string, bounds?: Bounds) => number | null;
  text: (name: string) => string;
  textIf: (name: string) => string | null;
  /** Four digits. */
  pin: (name: string) => string;
  /** The first of some names that is given. */
  oneOf: (...names: string[]) => string;
  all: Readonly<Record<string, unknown>>;
};

/** A reader of a parsed body. */
export function bodyReader(all: Readonly<Record<string, unknown>>): BodyReader {
  const given = (name: string) => all[name] !== undefined && all[name] !== null;
  const wanted = (name: string) => {
    if (!given(name)) throw new WrongParam(`missing ${name} param`);
    return all[name];
  };
  const flag = (name: string) => {
    const value = wanted(name);
    if (typeof value !== 'boolean') throw new WrongParam(`invalid ${name} param`);
    return value;
  };
  const number = (name: string, { min, max }: Bounds = { min: -Infinity, max: Infinity }) => {
    const value = wanted(name);
    if (typeof value !== 'number' || value < min || value > max) {
      throw new WrongParam(`invalid ${name} param`);
    }
    return value;
  };
  const text = (name: string) => {
    const value = wanted(name);
    if (typeof value !== 'string') throw new WrongParam(`invalid ${name} param`);
    return value;
  };
  return {
    flag,
    flagIf: (name) => (given(name) ? flag(name) : null),
    number,
    numberIf: (name, bounds) => (given(name) ? number(name, bounds) : null),
    text,
    textIf: (name) => (given(name) ? text(name) : null),
    pin: (name) => {
      const value = text(name);
      if (!/^\d{4}$/.test(value)) throw new WrongParam(`invalid ${name} param`);
      return value;
    },
    oneOf: (...names) => {
      const found = names.find(given);
      if (found === undefined) throw new WrongParam(`missing ${names[0]} param`);
      return found;
    },
    all,
  };
}
