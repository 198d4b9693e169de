import type { SignalValues } from '../contract/signals.ts';

/** Whose direct-current charger it is, as far as the maker's words tell. */
export type ChargerOwner = 'MAKER_FAST' | 'THIRD_PARTY' | 'UNKNOWN';

/** Owner of the charger in the port; `UNKNOWN` for alternating current (maker.md §1.5, `fast_charger_*`). */
export function chargerOwner(values: SignalValues): ChargerOwner {
  if (values.fastChargerPresent !== true) return 'UNKNOWN';
  const words = `${values.fastChargerBrand ?? ''} ${values.fastChargerType ?? ''}`.trim();
  if (/tesla|supercharger/i.test(words)) return 'MAKER_FAST';
  return words === '' ? 'UNKNOWN' : 'THIRD_PARTY';
}
