import { DAY_MS, MINUTE_MS } from '../base/units.ts';
import { localHour } from './local-time.ts';
import { hashOf } from './random.ts';

/** Installed software, and the update on its way to be installed. */
export type SoftwareState = {
  version: string;
  status: '' | 'available' | 'downloading' | 'scheduled' | 'installing';
  target: string | null;
  sinceMs: number;
  /** When somebody told it to install, or null to leave it to the night. */
  startAtMs: number | null;
};

const RELEASE_EVERY_MS = 24 * DAY_MS;
const RELEASE_SPREAD_MS = 8 * DAY_MS;
const NOTICE_MS = 20 * MINUTE_MS;
const DOWNLOAD_MS = 14 * MINUTE_MS;
const INSTALL_MS = 25 * MINUTE_MS;
const INSTALL_FROM_HOUR = 2;
const INSTALL_TO_HOUR = 4;

function releasedAtMs(seed: string, index: number): number {
  const spread = (hashOf(seed, 'release', index) / 0xffffffff) * RELEASE_SPREAD_MS;
  return index * RELEASE_EVERY_MS + spread;
}

/** The version a car is offered at `atMs`, such as `2026.44.6`: year, week and number of a release. */
export function releaseAt(seed: string, atMs: number): string {
  let index = Math.floor(atMs / RELEASE_EVERY_MS);
  if (releasedAtMs(seed, index) > atMs) index -= 1;
  const builtAt = new Date(releasedAtMs(seed, index) - 6 * DAY_MS);
  const year = builtAt.getUTCFullYear();
  const week = Math.ceil(((builtAt.getTime() - Date.UTC(year, 0, 1)) / DAY_MS + 1) / 7);
  return `${year}.${week}.${1 + (hashOf(seed, 'build', index) % 9)}`;
}

/** What the car allows at a moment: at home with time, and nothing else going on. */
export type Leisure = { atHome: boolean; idle: boolean };

/** True when a parked, sleeping car should wake to install what waits. */
export function installIsDue(software: SoftwareState, atMs: number, leisure: Leisure): boolean {
  const hour = localHour(atMs);
  const { startAtMs } = software;
  if (startAtMs !== null) return software.status === 'scheduled' && atMs >= startAtMs;
  return (
    software.status === 'scheduled' &&
    leisure.atHome &&
    leisure.idle &&
    hour >= INSTALL_FROM_HOUR &&
    hour < INSTALL_TO_HOUR
  );
}

/** Tells the car of a newer release. */
export function offer(software: SoftwareState, atMs: number, release: string): void {
  if (software.status !== '' || release === software.version) return;
  software.target = release;
  software.status = 'available';
  software.sinceMs = atMs;
}

/** Moves the software of an awake, parked car on: available, downloading, scheduled for the night, installing, installed. */
export function updateOn(software: SoftwareState, atMs: number, leisure: Leisure): void {
  const enter = (status: SoftwareState['status']) => {
    software.status = status;
    software.sinceMs = atMs;
    if (status !== 'scheduled') software.startAtMs = null;
  };
  const waitedMs = atMs - software.sinceMs;
  if (software.status === '') return;
  if (software.status === 'available') {
    if (waitedMs >= NOTICE_MS && leisure.atHome) enter('downloading');
  } else if (software.status === 'downloading') {
    if (waitedMs >= DOWNLOAD_MS) enter('scheduled');
  } else if (software.status === 'scheduled') {
    if (installIsDue(software, atMs, leisure)) enter('installing');
  } else if (waitedMs >= INSTALL_MS) {
    software.version = software.target ?? software.version;
    software.target = null;
    enter('');
  }
}

/** Progress of download and installation [%], 0 when there is none. */
export function updateProgress(
  software: SoftwareState,
  atMs: number,
): { downloadPct: number; installPct: number } {
  const done = (lastsMs: number) =>
    Math.min(100, Math.floor((100 * (atMs - software.sinceMs)) / lastsMs));
  const { status } = software;
  if (status === 'downloading') return { downloadPct: done(DOWNLOAD_MS), installPct: 0 };
  if (status === 'scheduled') return { downloadPct: 100, installPct: 0 };
  if (status === 'installing') return { downloadPct: 100, installPct: done(INSTALL_MS) };
  return { downloadPct: 0, installPct: 0 };
}
