import { expect, it } from 'vitest';
import type { Source } from '../../src/contract/effects.ts';
import { chargerOwner } from '../../src/maker/charger.ts';

it.each<[string | null, string | null, Source, string]>([
  ['Tesla', 'Combo', 'POLL', 'MAKER_FAST'],
  [null, 'Tesla', 'POLL', 'MAKER_FAST'],
  [null, 'Combo', 'POLL', 'THIRD_PARTY'],
  [null, 'Combo', 'STREAM', 'UNKNOWN'],
  [null, 'CCS', 'STREAM', 'UNKNOWN'],
  ['Tesla', 'Combo', 'STREAM', 'MAKER_FAST'],
  [null, 'Supercharger', 'STREAM', 'MAKER_FAST'],
  [null, 'CHAdeMO', 'STREAM', 'THIRD_PARTY'],
  [null, null, 'STREAM', 'UNKNOWN'],
])('a charger of brand %s and type %s, told by %s, is %s', (brand, type, source, owner) => {
  const values = { fastChargerPresent: true, fastChargerBrand: brand, fastChargerType: type };
  expect(chargerOwner(values, source)).toBe(owner);
});
