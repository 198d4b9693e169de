import { derivedUuid } from '../base/ids.ts';
import type { InstallationRow } from '../contract/effects.ts';
import type { SignalValues } from '../contract/signals.ts';
import type { MachineState, Moment } from './state.ts';

type Pending = 'AVAILABLE' | 'DOWNLOADING' | 'WAITING_WIFI' | 'SCHEDULED' | 'INSTALLING';

/** Follows the software: a version offered, on its way, installed, withdrawn, or found installed (maker.md §3.3). */
export function followSoftware(state: MachineState, moment: Moment): MachineState {
  const { fresh, before } = moment;
  const installed = state.values.softwareVersion ?? null;
  let next = state;
  if (
    installed !== null &&
    fresh.softwareVersion != null &&
    installed !== before.values.softwareVersion
  ) {
    next = installedNow(next, installed, moment);
  }
  return 'updateStatus' in fresh ? offered(next, moment) : next;
}

function installedNow(state: MachineState, version: string, moment: Moment): MachineState {
  const pending = state.installation?.version === version ? state.installation : null;
  const firstSight = moment.before.values.softwareVersion == null;
  const row: InstallationRow = {
    ...(pending ?? installation(version, moment)),
    commit: state.values.softwareCommit ?? null,
    state: 'INSTALLED',
    // A version that was there at the first sight was installed nobody knows when.
    endedAt: firstSight ? null : moment.at,
  };
  moment.effects.push({ kind: 'installation', row });
  if (!firstSight) tell('software.installed', row, moment);
  return { ...state, installation: null };
}

function offered(state: MachineState, moment: Moment): MachineState {
  const status = pendingStatus(state.values);
  const version = state.values.updateVersion ?? state.installation?.version ?? null;
  const known = state.installation;
  if (status === null || version === null || version === state.values.softwareVersion)
    return withdrawn(state, moment);
  const row: InstallationRow = {
    ...(known?.version === version ? known : installation(version, moment)),
    state: status,
  };
  if (status === 'INSTALLING') row.startedAt ??= moment.at;
  if (status !== 'INSTALLING' && known?.state === 'INSTALLING') row.startedAt = null;
  if (known?.version === version && known.state === status) return state;
  if (known !== null && known.version !== version) withdrawn(state, moment);
  moment.effects.push({ kind: 'installation', row });
  if (status === 'INSTALLING') tell('software.installing', row, moment);
  else if (known?.version !== version) tell('software.available', row, moment);
  return { ...state, installation: row };
}

/** No update is pending any more and its version does not run: it was withdrawn, or its installation failed. */
function withdrawn(state: MachineState, moment: Moment): MachineState {
  const { installation: known } = state;
  if (known === null || (known.state === 'INSTALLING' && !tellsOfFailure(moment))) return state;
  moment.effects.push({
    kind: 'installation',
    row: { ...known, state: 'CANCELLED', endedAt: moment.at },
  });
  return { ...state, installation: null };
}

/** While it installs, silence means nothing; a whole answer with the old version and no update is none. */
function tellsOfFailure({ fresh, observation }: Moment): boolean {
  if (observation.source === 'STREAM' || fresh.softwareVersion == null) return false;
  return fresh.updateStatus === 'NONE' || fresh.updateStatus === 'FAILED';
}

function pendingStatus(values: SignalValues): Pending | null {
  const status = values.updateStatus ?? null;
  return status === null || status === 'NONE' || status === 'FAILED' ? null : status;
}

function installation(version: string, moment: Moment): InstallationRow {
  return {
    id: derivedUuid(moment.at, moment.context.vehicleId, 'software', version),
    version,
    commit: null,
    state: 'AVAILABLE',
    seenAt: moment.at,
    startedAt: null,
    endedAt: null,
  };
}

function tell(
  type: 'software.available' | 'software.installing' | 'software.installed',
  row: InstallationRow,
  moment: Moment,
): void {
  moment.effects.push({
    kind: 'event',
    type,
    occurredAt: moment.at,
    data: { installationId: row.id, version: row.version },
  });
}
