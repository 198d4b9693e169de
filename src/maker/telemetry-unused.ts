import { unused } from './facts.ts';
import type { FieldFacts } from './telemetry-value.ts';

const names = [
  'AutomaticBlindSpotCamera AutomaticEmergencyBrakingOff BlindSpotCollisionWarningChime BMSState BmsFullchargecomplete',
  'BrakePedal BrakePedalPos BrickVoltageMax BrickVoltageMin CabinOverheatProtectionActivelyCooling ChargeEnableRequest',
  'ChargePortColdWeatherMode CruiseFollowDistance CruiseSetSpeed CruiseState DCDCEnable DefrostForPreconditioning',
  'DiAxleSpeedF DiAxleSpeedR DiAxleSpeedREL DiAxleSpeedRER DiHeatsinkTF DiHeatsinkTR DiHeatsinkTREL DiHeatsinkTRER',
  'DiInverterTF DiInverterTR DiInverterTREL DiInverterTRER DiMotorCurrentF DiMotorCurrentR DiMotorCurrentREL',
  'DiMotorCurrentRER DiSlaveTorqueCmd DiStateF DiStateR DiStateREL DiStateRER DiStatorTempF DiStatorTempR DiStatorTempREL',
  'DiStatorTempRER DiTorqueActualF DiTorqueActualR DiTorqueActualREL DiTorqueActualRER DiTorquemotor DiVBatF DiVBatR',
  'DiVBatREL DiVBatRER DriveRail DriverSeatBelt EfficiencyPackage EmergencyLaneDepartureAvoidance EuropeVehicle',
  'ForwardCollisionWarning GpsState GuestModeMobileAccessState Hvil HvacACEnabled HvacFanSpeed HvacSteeringWheelHeatAuto',
  'IsolationResistance LaneDepartureAvoidance LateralAcceleration LifetimeEnergyGainedRegen LifetimeEnergyUsedDrive',
  'LightsHazardsActive LightsHighBeams LightsTurnSignal LocatedAtFavorite LocatedAtHome LocatedAtWork',
  'LongitudinalAcceleration MediaAudioVolumeIncrement MediaNowPlayingAlbum MediaNowPlayingDuration MediaNowPlayingElapsed',
  'NotEnoughPowerToHeat NumBrickVoltageMax NumBrickVoltageMin NumModuleTempMax NumModuleTempMin',
  'OffroadLightbarPresent OriginLocation PairedPhoneKeyAndKeyFobQty PassengerSeatBelt PedalPosition PowershareHoursLeft',
  'PowershareInstantaneousPowerKW PowershareStatus PowershareStopReason PowershareType PreconditioningEnabled',
  'RearDisplayHvacEnabled RearSeatHeaters RemoteStartEnabled RouteLastUpdated RouteLine',
  'Setting24HourTime SettingChargeUnit SettingDistanceUnit SettingTemperatureUnit SettingTirePressureUnit',
  'SpeedLimitWarning SuperchargerSessionTripPlanner TonneauPosition TonneauTentMode',
];

/** Fields that are known by name and tell nothing that is recorded; some come every second. */
export const unusedFields: FieldFacts = Object.fromEntries(
  names.flatMap((line) => line.split(' ')).map((name) => [name, unused]),
);
