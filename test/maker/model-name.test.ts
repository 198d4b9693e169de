import { expect, it } from 'vitest';
import { modelYearOf } from '../../src/contract/model-year.ts';
import { modelName } from '../../src/maker/model-name.ts';

const AT = Date.UTC(2026, 10, 21);
const vinOf = (year: string) => `5YJ3S1MA8${year}D000001`;

it('a VIN tells the model year, the newest that can be', () => {
  const years = ['R', 'T', 'V', 'W', '9', 'A'].map((year) => modelYearOf(vinOf(year), AT));
  expect(years).toEqual([2024, 2026, 2027, 1998, 2009, 2010]);
  expect(modelYearOf(vinOf('0'), AT)).toBeNull();
  expect(modelYearOf('5YJ3', AT)).toBeNull();
});

it('a model has its name by the code that the maker gives it, and none by another', () => {
  expect(['models2', 'LYCHEE', 'modely', 'tamarind'].map((code) => modelName(code, 0))).toEqual([
    'Model S',
    'Model S',
    'Model Y',
    'Model X',
  ]);
  expect([modelName('constructor', 0), modelName(3, 0), modelName(null, 0)]).toEqual([
    null,
    null,
    null,
  ]);
});
