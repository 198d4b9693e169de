import type { Source } from '../contract/effects.ts';
import type { Section, SignalValues } from '../contract/signals.ts';

/** What the maker says of a vehicle's link; `offline` is often said of a sleeping vehicle (maker.md §0.6). */
export type Connectivity = 'online' | 'asleep' | 'offline';

/**
 * What was learned about one vehicle at one moment, in our names and units.
 *
 * `at` is event time; `sectionAt` names the sections that `signals` tells of and when each was observed, because parts of
 * one answer carry their own time and a stale part is dropped alone. `connectivity` is null where the message does not speak of it. `raw` keeps what this version does not
 * know by name, under the maker's own paths.
 */
export type Observation = {
  vin: string;
  at: number;
  receivedAt: number;
  source: Source;
  connectivity: Connectivity | null;
  /** Which of a vehicle's connections `connectivity` speaks of, where the message says it. */
  connectionId?: string;
  inService: boolean | null;
  signals: SignalValues;
  sectionAt: Partial<Record<Section, number>>;
  raw: Record<string, unknown>;
};
