import { isNothing, type Reader } from './readers.ts';

/** Models by the maker's code for them, which changed with some of their redesigns. */
const names: Readonly<Record<string, string>> = {
  models: 'Model S',
  models2: 'Model S',
  lychee: 'Model S',
  modelx: 'Model X',
  tamarind: 'Model X',
  model3: 'Model 3',
  modely: 'Model Y',
  cybertruck: 'Cybertruck',
};

/** The name of a model by its code; a code that is not known has no name yet, and stands for itself elsewhere. */
export const modelName: Reader<string> = (value) => {
  if (isNothing(value) || typeof value !== 'string') return null;
  const code = value.trim().toLowerCase();
  return Object.hasOwn(names, code) ? names[code] : null;
};
