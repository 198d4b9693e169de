import type { Source } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';

/** Whose direct-current charger it is, as far as the maker's words tell. */
export type ChargerOwner = 'MAKER_FAST' | 'THIRD_PARTY' | 'UNKNOWN';

/** Plugs that the maker's own chargers have too, at least in some countries. */
const sharedPlug = /combo|ccs|other/i;

/**
 * Owner of the charger in the port; `UNKNOWN` for alternating current (maker.md §1.5, `fast_charger_*`). A stream has no
 * field for the brand (maker.md §5.4): there, a plug that both have tells nothing.
 */
export function chargerOwner(values: SignalValues, source: Source): ChargerOwner {
  if (values.fastChargerPresent !== true) return 'UNKNOWN';
  const type = values.fastChargerType ?? '';
  const words = `${values.fastChargerBrand ?? ''} ${type}`.trim();
  if (/tesla|supercharger/i.test(words)) return 'MAKER_FAST';
  const isTold = source !== 'STREAM' || !sharedPlug.test(type);
  return words === '' || !isTold ? 'UNKNOWN' : 'THIRD_PARTY';
}
