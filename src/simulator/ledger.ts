import type { Car } from './state.ts';

/** A drive as the car made it: from setting off to standing still, epoch ms. */
export type Driven = { fromMs: number; untilMs: number; km: number; usedKwh: number };

/** A plug-in session as the charger had it: from the plug to its last kilowatt-hour, epoch ms. */
export type Charged = { fromMs: number; untilMs: number; kwh: number; kind: 'AC' | 'DC' };

/** An installation as the car made it; epoch ms. */
export type Installed = { version: string; fromMs: number; untilMs: number };

/** A stretch of sleep; epoch ms. */
export type Slept = { fromMs: number; untilMs: number };

/** What a car really did, as nobody from outside can know it; a charge stands in it from its first kilowatt-hour on, all else once it has ended. */
export type Ledger = {
  drives: Driven[];
  charges: Charged[];
  installations: Installed[];
  sleeps: Slept[];
  /** Call it before the first step of the car and after each. */
  watch: (car: Car) => void;
};

/** An empty ledger. */
export function newLedger(): Ledger {
  const watchers = [
    watchedDrives(),
    watchedCharges(),
    watchedInstallations(),
    watchedSleeps(),
  ] as const;
  const [{ done: drives }, { done: charges }, { done: installations }, { done: sleeps }] = watchers;
  const watch = (car: Car) => {
    for (const watcher of watchers) watcher.watch(car);
  };
  return { drives, charges, installations, sleeps, watch };
}

function watchedDrives() {
  const done: Driven[] = [];
  let start: { atMs: number; km: number; kwh: number } | null = null;
  const watch = ({ state: { phase, atMs, odometerKm, energyKwh } }: Car) => {
    if (phase === 'driving') start ??= { atMs, km: odometerKm, kwh: energyKwh };
    else if (start !== null) {
      const km = odometerKm - start.km;
      done.push({ fromMs: start.atMs, untilMs: atMs, km, usedKwh: start.kwh - energyKwh });
      start = null;
    }
  };
  return { done, watch };
}

function watchedCharges() {
  const done: Charged[] = [];
  let session: Charged | null = null;
  let counterKwh = 0;
  const watch = ({ state: { charge, atMs } }: Car) => {
    if (charge.cable === null) {
      session = null;
      return;
    }
    const kind = charge.cable === 'dc' ? 'DC' : 'AC';
    if (session === null) {
      session = { fromMs: atMs, untilMs: atMs, kwh: 0, kind };
      counterKwh = charge.addedKwh;
    }
    // Each flow counts from zero.
    const kwh = charge.addedKwh < counterKwh ? charge.addedKwh : charge.addedKwh - counterKwh;
    if (kwh > 0) session.untilMs = atMs;
    if (kwh > 0 && session.kwh === 0) done.push(session);
    session.kwh += kwh;
    counterKwh = charge.addedKwh;
  };
  return { done, watch };
}

function watchedInstallations() {
  const done: Installed[] = [];
  let fromMs: number | null = null;
  const watch = ({ state: { software, atMs } }: Car) => {
    if (software.status === 'installing') fromMs ??= atMs;
    else if (fromMs !== null) {
      done.push({ version: software.version, fromMs, untilMs: atMs });
      fromMs = null;
    }
  };
  return { done, watch };
}

function watchedSleeps() {
  const done: Slept[] = [];
  let fromMs: number | null = null;
  const watch = ({ state: { awake, atMs } }: Car) => {
    if (!awake) fromMs ??= atMs;
    else if (fromMs !== null) {
      done.push({ fromMs, untilMs: atMs });
      fromMs = null;
    }
  };
  return { done, watch };
}
