import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../base/units.ts';
import type { Showing } from '../simulator/state.ts';

const book = z.object({
  fromMs: z.number(),
  showings: z.array(z.object({ atMs: z.number(), preparedFromMs: z.number() })),
  // Only spares time, so that what cannot be read is left.
  cars: z.record(z.string(), z.looseObject({ atMs: z.number() })).catch({}),
});

/**
 * What has to be known to make the same cars drive the same ways again: when they began, and who looked when (epoch ms).
 * `cars` holds how each was at some moment by its key, so that a later start need not drive all of its history again.
 */
export type GarageBook = z.infer<typeof book>;

/** A car that was shown goes on with what it does for about this long; a restart meanwhile asks nothing new of it. */
const SHOWING_LASTS_MS = 2 * HOUR_MS;

/**
 * The book of the data folder with the present start written into it; a first start makes it. `seenMs` is the newest
 * moment that is recorded already and cannot be changed any more, or null.
 */
export function openGarageBook(
  dataDir: string,
  { at, seenMs, historyDays }: { at: number; seenMs: number | null; historyDays: number },
): GarageBook {
  const known = readBook(fileIn(dataDir));
  const next = known === null ? firstBook(at, historyDays) : withShowing(known, at, seenMs ?? 0);
  if (next !== known) writeGarageBook(dataDir, next);
  return next;
}

/** Puts the book in the place of the one before. */
export function writeGarageBook(dataDir: string, next: GarageBook): void {
  const file = fileIn(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Written whole before it gets its name, so that a crash never leaves half of it.
  writeFileSync(`${file}.new`, `${JSON.stringify(next)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'garage.json');
}

function readBook(file: string): GarageBook | null {
  try {
    return book.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Missing or damaged: the cars begin anew; what they did is in the database.
    return null;
  }
}

function firstBook(at: number, historyDays: number): GarageBook {
  const shown: Showing = { atMs: wholeSecond(at), preparedFromMs: 0 };
  return { fromMs: at - historyDays * DAY_MS, showings: [shown], cars: {} };
}

function withShowing(known: GarageBook, at: number, seenMs: number): GarageBook {
  const last = known.showings.at(-1)?.atMs ?? 0;
  if (at - last < SHOWING_LASTS_MS) return known;
  const shown: Showing = { atMs: wholeSecond(at), preparedFromMs: seenMs };
  return { ...known, showings: [...known.showings, shown] };
}

function wholeSecond(at: number): number {
  return Math.floor(at / 1000) * 1000;
}
