import { SECOND_MS } from '../base/units.ts';
import type { Folded } from '../store/history.ts';
import { withoutRepeats } from './stream-news.ts';

/** How far apart a vehicle's `vehicle.state.updated` events are at least [ms] (contract §16). */
export const STATE_PACE_MS = SECOND_MS;

/** What a vehicle's machine remembers of these events; instants in epoch ms of the wall. */
export type StateNews = {
  /** When the last was told. */
  toldAt: number;
  /** What happened since and is still to be told: event time, and the sections that changed. */
  held: { occurredAt: number; data: Record<string, unknown> } | null;
};

type Event = Folded['events'][number];

/** The events of one commit that are told now, and what is remembered then. */
type Paced = { events: Event[]; news: StateNews | null };

const isUpdate = ({ type }: Event) => type === 'vehicle.state.updated';

/**
 * Lets at most one `vehicle.state.updated` through: that of all changes since the last one, if that was a second ago at `at`
 * (epoch ms). Otherwise they are held, for whoever comes next or `state-teller.ts`.
 */
export function paced(news: StateNews | null, events: readonly Event[], at: number): Paced {
  const held: Event[] =
    news?.held == null ? [] : [{ kind: 'event', type: 'vehicle.state.updated', ...news.held }];
  const [update] = withoutRepeats([...held, ...events.filter(isUpdate)]);
  if (update === undefined) return { events: [...events], news };
  const sinceMs = news === null ? STATE_PACE_MS : at - news.toldAt;
  const { occurredAt, data } = update;
  if (news !== null && sinceMs >= 0 && sinceMs < STATE_PACE_MS) {
    const others = events.filter((event) => !isUpdate(event));
    return { events: others, news: { ...news, held: { occurredAt, data } } };
  }
  const last = events.findLastIndex(isUpdate);
  const told = events.flatMap((event, index) => {
    if (index === last) return [update];
    return isUpdate(event) ? [] : [event];
  });
  return { events: last < 0 ? [...told, update] : told, news: { toldAt: at, held: null } };
}
