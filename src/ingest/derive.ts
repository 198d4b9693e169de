import { rounded } from '../base/units.ts';
import type { SignalName, SignalValues } from '../contract/signals.ts';
import type { MachineState } from './state.ts';

/** Power and current above which a direct-current charger charges [kW, A] (maker.md §3.3). */
const DC_FLOW = 5;
/** Power and pack current above which alternating current charges [kW, A] (contract §0 Ingest). */
const AC_FLOW_KW = 0.1;
const AC_FLOW_A = 1;
/** Percentage up to which an installation has not begun; it shows 1 at rest, 3 and 10 while downloading (maker.md §5.4). */
const INSTALL_REST_PCT = 10;

/** The values before a record, and the record's own. */
type Known = { before: SignalValues; told: SignalValues };

/**
 * The signals of a stream's record with those that follow from it and from what was known: a stream carries bare fields
 * where a snapshot carries conclusions. Power out of the pack is voltage times current; the charger's power is that of
 * the current in use; a vehicle in P stands still; the charger's status is concluded where the vehicle does not give it.
 */
export function withDerived(state: MachineState, told: SignalValues): SignalValues {
  const known: Known = { before: state.values, told };
  const derived: SignalValues = {};
  deriveMotion(known, derived);
  deriveNoCharger(known, derived);
  derivePower({ before: known.before, told: { ...told, ...derived } }, derived);
  deriveChargeStatus(state, known, derived);
  deriveUpdateStatus(known, derived);
  for (const _ in derived) return { ...told, ...derived };
  return told;
}

function now<N extends SignalName>({ before, told }: Known, name: N): SignalValues[N] {
  return name in told ? told[name] : before[name];
}

/** Whether the record itself says that the vehicle moves. */
export function saysMoving(told: SignalValues): boolean {
  if (told.gear === 'P') return false;
  return (told.speedKmh ?? 0) > 0 || told.gear === 'D' || told.gear === 'R';
}

/** Gear and speed come apart: the newer of the two makes the older one void where they contradict each other. */
function deriveMotion({ before, told }: Known, derived: SignalValues): void {
  if (told.gear === 'P') {
    if ((told.speedKmh ?? before.speedKmh ?? 0) > 0) derived.speedKmh = 0;
  } else if ((told.speedKmh ?? 0) > 0 && told.gear == null && before.gear === 'P') {
    derived.gear = null;
  } else if (told.fastChargerPresent === true && before.gear == null) {
    // Without a gear nothing else says that a speed is over which the vehicle left to memory.
    if (told.speedKmh === undefined && (before.speedKmh ?? 0) > 0) derived.speedKmh = 0;
  }
}

/**
 * What a charger gave is over with the cable. A stream may leave it to memory, and there it would begin the next charge, or
 * make it one of direct current.
 */
function deriveNoCharger(known: Known, derived: SignalValues): void {
  const { before, told } = known;
  const left = saysMoving(told) || (told.chargeStatus === 'DISCONNECTED' && wasPlugged(before));
  const ended = fastChargerLeft(known);
  if (left && before.fastChargerPresent === true && told.fastChargerPresent === undefined)
    derived.fastChargerPresent = false;
  // Looks tell the brand, and a stream has no field for it.
  if (left && before.fastChargerBrand != null) derived.fastChargerBrand = null;
  if ((left || ended) && (before.dcPowerKw ?? 0) > 0 && told.dcPowerKw === undefined)
    derived.dcPowerKw = 0;
  if (left && (before.acPowerKw ?? 0) > 0 && told.acPowerKw === undefined) derived.acPowerKw = 0;
}

function wasPlugged({ chargeStatus }: SignalValues): boolean {
  return chargeStatus != null && chargeStatus !== 'DISCONNECTED' && chargeStatus !== 'UNKNOWN';
}

function derivePower(known: Known, derived: SignalValues): void {
  const { told } = known;
  if ('packVoltageV' in told || 'packCurrentA' in told) {
    const volts = now(known, 'packVoltageV');
    const amperes = now(known, 'packCurrentA');
    if (volts != null && amperes != null)
      derived.powerKw = rounded((-volts * amperes) / 1000, 3) || 0;
    else if (known.before.powerKw != null) derived.powerKw = null;
  }
  if ('acPowerKw' in told || 'dcPowerKw' in told || 'fastChargerPresent' in told) {
    const power = chargerPower(known);
    if (power !== undefined) derived.chargerPowerKw = power;
  }
}

/** A direct-current charger's power is that at the pack; otherwise the alternating current's, where there is any. */
function chargerPower(known: Known): number | null | undefined {
  const ac = now(known, 'acPowerKw');
  const dc = now(known, 'dcPowerKw');
  if (now(known, 'fastChargerPresent') === true) return dc ?? ac;
  return (ac ?? 0) > 0 ? ac : (dc ?? ac);
}

function deriveChargeStatus(state: MachineState, known: Known, derived: SignalValues): void {
  const { told } = known;
  if (told.chargeStatus != null) return;
  const status = concluded(state, known);
  if (status === null || status === known.before.chargeStatus) return;
  derived.chargeStatus = status;
  derived.pluggedIn = status !== 'DISCONNECTED';
}

type Concluded = 'DISCONNECTED' | 'NO_POWER' | 'CHARGING' | 'STOPPED';

/** The charger's status as far as other fields prove it; null where they say nothing new. */
function concluded(state: MachineState, known: Known): Concluded | null {
  const { before, told } = known;
  const plugged = wasPlugged(before);
  // A vehicle that moves has no cable in it.
  if (saysMoving(told)) return plugged ? 'DISCONNECTED' : null;
  // The status itself may be late: it says whether the cable is out (maker.md §3.3).
  if (state.stream?.statusHeard === true && fastChargerLeft(known) && flowed(before))
    return 'STOPPED';
  if (state.stream?.statusHeard === true || !speaksOfCharging(told)) return null;
  if (saysUnplugged(known)) return plugged ? 'DISCONNECTED' : null;
  if (flows(known)) return 'CHARGING';
  if (before.chargeStatus === 'CHARGING') return 'STOPPED';
  return told.fastChargerPresent === true && !plugged ? 'NO_POWER' : null;
}

function speaksOfCharging(told: SignalValues): boolean {
  return (
    'fastChargerPresent' in told ||
    'dcPowerKw' in told ||
    'acPowerKw' in told ||
    'packCurrentA' in told ||
    'bmsChargeState' in told ||
    'chargePortOpen' in told
  );
}

function saysUnplugged(known: Known): boolean {
  const { told } = known;
  return (
    told.chargePortOpen === false ||
    told.bmsChargeState === 'Disconnected' ||
    fastChargerLeft(known)
  );
}

function fastChargerLeft({ before, told }: Known): boolean {
  return told.fastChargerPresent === false && before.fastChargerPresent === true;
}

function flowed({ chargeStatus }: SignalValues): boolean {
  return chargeStatus === 'CHARGING' || chargeStatus === 'STARTING';
}

/** Whether energy flows by the coarse signals; heating draws power too, which the pack's current tells apart. */
function flows(known: Known): boolean {
  const gear = now(known, 'gear');
  if ((now(known, 'speedKmh') ?? 0) > 0 || gear === 'D' || gear === 'R') return false;
  const currentA = now(known, 'packCurrentA') ?? 0;
  if (now(known, 'fastChargerPresent') === true) {
    return (now(known, 'dcPowerKw') ?? 0) > DC_FLOW || currentA > DC_FLOW;
  }
  const bms = now(known, 'bmsChargeState');
  if (bms !== 'Startup' && bms !== 'Enable') return false;
  return (now(known, 'acPowerKw') ?? 0) > AC_FLOW_KW && currentA > AC_FLOW_A;
}

/** A stream has no status of the update: it follows from the version offered and how far it is. */
function deriveUpdateStatus(record: Known, derived: SignalValues): void {
  const { told } = record;
  let known = record;
  const speaks =
    'updateVersion' in told ||
    'updateDownloadPct' in told ||
    'updateInstallPct' in told ||
    'softwareVersion' in told;
  if (!speaks) return;
  const version = now(known, 'updateVersion');
  if (version === undefined) return;
  if (told.updateVersion != null && told.updateVersion !== known.before.updateVersion) {
    // How far the update before it was says nothing of this one.
    if (told.updateDownloadPct === undefined) derived.updateDownloadPct = null;
    if (told.updateInstallPct === undefined) derived.updateInstallPct = null;
    known = { ...known, told: { ...told, ...derived } };
  }
  if (version === null || version === now(known, 'softwareVersion')) {
    derived.updateStatus = 'NONE';
    // What stands there at rest means nothing: 45 minutes, 1 percent.
    derived.updateVersion = null;
    derived.updateDownloadPct = null;
    derived.updateInstallPct = null;
    derived.updateExpectedDurationMin = null;
  } else derived.updateStatus = progress(known);
}

function progress(known: Known): 'AVAILABLE' | 'DOWNLOADING' | 'INSTALLING' {
  if ((now(known, 'updateInstallPct') ?? 0) > INSTALL_REST_PCT) return 'INSTALLING';
  const downloadPct = now(known, 'updateDownloadPct') ?? 0;
  return downloadPct > 0 && downloadPct < 100 ? 'DOWNLOADING' : 'AVAILABLE';
}
