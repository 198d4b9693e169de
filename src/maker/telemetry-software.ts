import { each, type Fact, fact, keepRaw, unused } from './facts.ts';
import { modelName } from './model-name.ts';
import { flag, isNothing, mapped, numberWithin, type Reader, text } from './readers.ts';
import { installedCommit, installedVersion } from './software-facts.ts';
import { enumText, enumWord, type FieldFacts, factWhenKnown } from './telemetry-value.ts';

const percent = numberWithin(0, 100);
const volume = numberWithin(0, 100);

/** The first software whose `Version` is the installed one; before it, it was that of the update offered (maker.md §5.4). */
const firstTrusted = [2024, 44] as const;

function isTrusted(version: string): boolean {
  const [year = 0, week = 0] = version.split('.').map(Number);
  return year > firstTrusted[0] || (year === firstTrusted[0] && week >= firstTrusted[1]);
}

const installed = each(
  factWhenKnown('softwareVersion', installedVersion),
  factWhenKnown('softwareCommit', installedCommit),
);

const version: Fact = (value, into, path) => {
  const known = installedVersion(value, into.receivedAt);
  if (typeof known === 'string' && isTrusted(known)) installed(value, into, path);
  else if (!isNothing(value)) keepRaw(into, path, value);
};

/** At rest it shows 1 (maker.md §5.4). */
const installPercent = mapped(percent, (done) => (done <= 1 ? null : done));

const carType = mapped(enumText('CarType'), (name) => name.toLowerCase());
const carModel: Reader<string> = (value, at) => modelName(carType(value, at), at);

/** Fields of software, media and configuration. */
export const softwareFields: FieldFacts = {
  Version: version,
  SoftwareUpdateVersion: fact('updateVersion', text),
  SoftwareUpdateDownloadPercentComplete: fact('updateDownloadPct', percent),
  SoftwareUpdateInstallationPercentComplete: fact('updateInstallPct', installPercent),
  SoftwareUpdateExpectedDurationMinutes: fact('updateExpectedDurationMin', numberWithin(0, 10_000)),
  SoftwareUpdateScheduledStartTime: unused,
  MediaPlaybackStatus: fact(
    'mediaPlaying',
    enumWord('MediaStatus', { Playing: true, Paused: false, Stopped: false }),
  ),
  MediaNowPlayingTitle: fact('mediaTitle', text),
  MediaNowPlayingArtist: fact('mediaArtist', text),
  MediaNowPlayingStation: fact('mediaStation', text),
  MediaPlaybackSource: fact('mediaSource', text),
  MediaAudioVolume: fact('mediaVolume', volume),
  MediaAudioVolumeMax: fact('mediaVolumeMax', volume),
  VehicleName: fact('vehicleName', text),
  CarType: each(fact('modelCode', carType), fact('model', carModel)),
  Trim: fact('trim', text),
  ExteriorColor: fact('exteriorColor', text),
  RoofColor: fact('roofColor', text),
  WheelType: fact('wheelType', text),
  RightHandDrive: fact('rightHandDrive', flag),
  ChargePort: fact(
    'chargePortType',
    enumWord('ChargePort', { US: 'US', EU: 'EU', CCS: 'CCS', GB: 'GB' } as const),
  ),
  SunroofInstalledState: fact(
    'hasSunroof',
    enumWord('SunroofInstalledState', {
      NotInstalled: false,
      Gen1Installed: true,
      Gen2Installed: true,
    }),
  ),
  SeatVentEnabled: unused,
};
