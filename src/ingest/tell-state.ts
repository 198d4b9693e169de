import type { Effect } from '../contract/effects.ts';
import { bySection, type Section, type SignalValues } from '../contract/signals.ts';
import type { Observation } from '../maker/observation.ts';
import type { MachineState, Moment } from './state.ts';

/** The sections that spoke in a call, with the newest observation that each is from. */
export type Spoken = Map<Section, Observation>;

const connectivityWords = { online: 'ONLINE', asleep: 'ASLEEP', offline: 'OFFLINE' } as const;

/** The effects of one observation on the vehicle itself: the raw rest, its link, and the event that tells of it. */
export function tellOfState(state: MachineState, moment: Moment, newest: readonly Section[]): void {
  const { observation, effects, before } = moment;
  if (hasAny(observation.raw)) effects.push({ kind: 'raw', fields: observation.raw });
  const word = state.connectivity === null ? undefined : connectivityWords[state.connectivity];
  if (word !== undefined && state.connectivity !== before.connectivity)
    effects.push({ kind: 'vehicle', changes: { connectivity: word } });
  // A list item tells of the link alone: the vehicle itself was heard only when it sent something.
  if (newest.length === 0) return;
  effects.push({ kind: 'vehicle', changes: { lastSeenAt: state.seenAt ?? moment.at } });
  const data = { sections: newest.filter((section) => section !== 'config') };
  effects.push({ kind: 'event', type: 'vehicle.state.updated', occurredAt: moment.at, data });
}

/** The effects that keep the vehicle's last known state: each section that spoke, and its configuration. */
export function pushSections(values: SignalValues, spoke: Spoken, effects: Effect[]): void {
  if (spoke.size === 0) return;
  const parts = bySection(values);
  for (const [section, { at, sectionAt, receivedAt, source }] of spoke) {
    const known = parts.get(section) ?? {};
    if (section === 'config') effects.push({ kind: 'vehicle', changes: { config: known } });
    else {
      const observedAt = sectionAt[section] ?? at;
      effects.push({
        kind: 'section',
        section,
        state: { observedAt, receivedAt, source, values: known },
      });
    }
  }
}

function hasAny(fields: Record<string, unknown>): boolean {
  for (const _ in fields) return true;
  return false;
}
