import { MINUTE_MS } from '../base/units.ts';

/** How long records wait for earlier ones that are still on their way (contract §0 Ingest). */
export const REORDER_MS = MINUTE_MS;

/** A record as it arrives: its vehicle, its own time [epoch ms], and what tells it from another of the same time. */
export type Arrival<T> = { vin: string; at: number; key: string; item: T };

/** What became of an arrival: it waits, it came before, or later records of its vehicle are out already. */
export type Fate = 'held' | 'duplicate' | 'late';

/** Puts the records of each vehicle in the order of their own times; holds them for the window, and no longer. */
export type Reorder<T> = {
  /** Takes a record and gives those that are due by the newest time of the same vehicle, oldest first. */
  push: (arrival: Arrival<T>) => { fate: Fate; due: T[] };
  /** Gives what is due at `now` [epoch ms], for vehicles that fell silent. */
  elapse: (now: number) => T[];
  /** Gives everything that waits. */
  flush: () => T[];
};

type Lane<T> = {
  /** Oldest first. */
  waiting: Arrival<T>[];
  newestAt: number;
  /** Everything before this time is out. */
  outUntil: number;
  seen: Map<string, number>;
};

/** A window of `windowMs`; `Infinity` orders everything there is, and gives it only when it is flushed. */
export function reorderWindow<T>(windowMs: number = REORDER_MS): Reorder<T> {
  const lanes = new Map<string, Lane<T>>();
  return {
    push: (arrival) => {
      const lane = laneOf(lanes, arrival.vin);
      const fate = fateOf(lane, arrival);
      if (fate !== 'held') return { fate, due: [] };
      lane.seen.set(identityOf(arrival), arrival.at);
      insert(lane.waiting, arrival);
      lane.newestAt = Math.max(lane.newestAt, arrival.at);
      return { fate, due: dueUntil(lane, lane.newestAt - windowMs, windowMs) };
    },
    elapse: (now) =>
      [...lanes.values()].flatMap((lane) => dueUntil(lane, now - windowMs, windowMs)),
    flush: () => [...lanes.values()].flatMap((lane) => dueUntil(lane, lane.newestAt, windowMs)),
  };
}

function laneOf<T>(lanes: Map<string, Lane<T>>, vin: string): Lane<T> {
  const known = lanes.get(vin);
  if (known !== undefined) return known;
  const never = Number.NEGATIVE_INFINITY;
  const lane: Lane<T> = { waiting: [], newestAt: never, outUntil: never, seen: new Map() };
  lanes.set(vin, lane);
  return lane;
}

function identityOf<T>({ at, key }: Arrival<T>): string {
  return `${at} ${key}`;
}

function fateOf<T>(lane: Lane<T>, arrival: Arrival<T>): Fate {
  if (lane.seen.has(identityOf(arrival))) return 'duplicate';
  return arrival.at < lane.outUntil ? 'late' : 'held';
}

/** Most records come in order; the place of others is found by halves, because whole files may come in the wrong order. */
function insert<T>(waiting: Arrival<T>[], arrival: Arrival<T>): void {
  let from = 0;
  let place = waiting.length;
  if (!isAfter(waiting[place - 1], arrival)) from = place;
  while (from < place) {
    const middle = (from + place) >> 1;
    if (isAfter(waiting[middle], arrival)) place = middle;
    else from = middle + 1;
  }
  waiting.splice(place, 0, arrival);
}

function isAfter<T>(one: Arrival<T> | undefined, other: Arrival<T>): boolean {
  if (one === undefined || one.at < other.at) return false;
  return one.at > other.at || one.key > other.key;
}

function dueUntil<T>(lane: Lane<T>, until: number, windowMs: number): T[] {
  let count = 0;
  for (const { at } of lane.waiting) {
    if (at > until) break;
    count += 1;
  }
  if (count === 0) return [];
  const due = lane.waiting.splice(0, count);
  lane.outUntil = Math.max(lane.outUntil, due.at(-1)?.at ?? lane.outUntil);
  forget(lane, windowMs);
  return due.map(({ item }) => item);
}

/** What is older than what is out needs no name: it is late, whether it came before or not. */
function forget<T>(lane: Lane<T>, windowMs: number): void {
  if (windowMs === Number.POSITIVE_INFINITY) return;
  for (const [identity, at] of lane.seen)
    if (at < lane.outUntil - windowMs) lane.seen.delete(identity);
}
