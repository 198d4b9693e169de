import { type Facts, fact, factsOf, type Reading, unused } from './facts.ts';
import { mapped, numberWithin, type Reader, text, word } from './readers.ts';
import { plannedTime } from './times.ts';
import type { SoftwareUpdateWire } from './wire.ts';

const percent = numberWithin(0, 100);
const seconds = mapped(numberWithin(0, 600_000), (duration) => duration / 60);

const statusWords = word<
  'NONE' | 'AVAILABLE' | 'DOWNLOADING' | 'WAITING_WIFI' | 'SCHEDULED' | 'INSTALLING'
>({
  '': 'NONE',
  available: 'AVAILABLE',
  downloading: 'DOWNLOADING',
  downloading_wifi_wait: 'WAITING_WIFI',
  scheduled: 'SCHEDULED',
  installing: 'INSTALLING',
});

const table: Facts<SoftwareUpdateWire> = {
  status: fact('updateStatus', statusWords),
  version: fact('updateVersion', text),
  download_perc: fact('updateDownloadPct', percent),
  install_perc: fact('updateInstallPct', percent),
  expected_duration_sec: fact('updateExpectedDurationMin', seconds),
  scheduled_time_ms: fact('updateScheduledAt', plannedTime),
  warning_time_remaining_ms: unused,
};

/** What `vehicle_state.software_update` tells. */
export const softwareUpdateFacts = factsOf(table, forgetRestValues);

/** Numbers that stand there without meaning: with no update all of them, outside an installation its percentage (1). */
function forgetRestValues({ signals }: Reading) {
  const { updateStatus: status } = signals;
  if (status === undefined || status === null) return;
  if (status !== 'INSTALLING') signals.updateInstallPct = null;
  if (status !== 'NONE') return;
  signals.updateVersion = null;
  signals.updateDownloadPct = null;
  signals.updateExpectedDurationMin = null;
  signals.updateScheduledAt = null;
}

const versionText = /^\s*(\d{4}(?:\.\d+)+)(?:\s+([0-9a-f]+))?/i;

function partOfVersion(part: 1 | 2): Reader<string> {
  return mapped(text, (version) => {
    const found = versionText.exec(version);
    return found === null ? undefined : (found[part] ?? null);
  });
}

/** The version in `"2023.44.30.8 06f534d46010"`. */
export const installedVersion = partOfVersion(1);

/** The commit in `"2023.44.30.8 06f534d46010"`; null where it is left out. */
export const installedCommit = partOfVersion(2);
