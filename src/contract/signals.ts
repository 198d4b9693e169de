/**
 * Every signal of a vehicle's state, once: where it sits in the answer, its kind, unit and meaning.
 *
 * A path is `section.field` or `section.group.field`. The GraphQL state types, the stored state and the
 * observations of `maker/` are all derived from this table (contract §2). Times are epoch milliseconds inside
 * the service and RFC 3339 outside.
 */

/** The parts of a vehicle's state; each is observed, stored and aged on its own. */
export const sections = ['charge', 'climate', 'drive', 'closures', 'tyres', 'software', 'media', 'config'] as const;
export type Section = (typeof sections)[number];

type Kind = 'float' | 'int' | 'boolean' | 'string' | 'time' | readonly string[];

/**
 * One row of the table; `description` ends with the unit in brackets where there is one. What tells of a place is told
 * `exactly` or not at all (contract §6).
 */
export type Signal = { path: `${Section}.${string}`; kind: Kind; description: string; exactly?: true };

const windowState = ['CLOSED', 'VENTED', 'OPEN'] as const;

export const signals = {
  // charge
  batteryLevelPct: { path: 'charge.batteryLevelPct', kind: 'float', description: 'State of charge as the vehicle shows it [%].' },
  usableBatteryLevelPct: { path: 'charge.usableBatteryLevelPct', kind: 'float', description: 'State of charge usable now; lower than the level when the pack is cold [%].' },
  energyRemainingKwh: { path: 'charge.energyRemainingKwh', kind: 'float', description: 'Energy left in the pack [kWh].' },
  rangeRatedKm: { path: 'charge.rangeRatedKm', kind: 'float', description: 'Range left by the rated consumption [km].' },
  rangeIdealKm: { path: 'charge.rangeIdealKm', kind: 'float', description: 'Range left by the ideal consumption [km].' },
  rangeEstimatedKm: { path: 'charge.rangeEstimatedKm', kind: 'float', description: 'Range left by the recent consumption [km].' },
  chargeStatus: {
    path: 'charge.status',
    kind: ['DISCONNECTED', 'NO_POWER', 'STARTING', 'CHARGING', 'COMPLETE', 'STOPPED', 'UNKNOWN'] as const,
    description: 'What the charger is doing.',
  },
  pluggedIn: { path: 'charge.pluggedIn', kind: 'boolean', description: 'Whether a cable is in the port.' },
  chargeLimitPct: { path: 'charge.limitPct', kind: 'int', description: 'Level at which charging stops [%].' },
  chargeLimitMinPct: { path: 'charge.limitMinPct', kind: 'int', description: 'Lowest limit that can be set [%].' },
  chargeLimitMaxPct: { path: 'charge.limitMaxPct', kind: 'int', description: 'Highest limit that can be set [%].' },
  chargeLimitStandardPct: { path: 'charge.limitStandardPct', kind: 'int', description: 'Limit the maker recommends for every day [%].' },
  chargeRequestedCurrentA: { path: 'charge.requestedCurrentA', kind: 'float', description: 'Current asked from the charger [A].' },
  chargeMaxCurrentA: { path: 'charge.maxCurrentA', kind: 'float', description: 'Highest current that can be asked [A].' },
  chargeActualCurrentA: { path: 'charge.actualCurrentA', kind: 'float', description: 'Current from the charger, per phase [A].' },
  chargerVoltageV: { path: 'charge.voltageV', kind: 'float', description: 'Voltage at the charger [V].' },
  chargerPhases: { path: 'charge.phases', kind: 'int', description: 'Phases in use as the maker reports them; null for direct current.' },
  chargerPowerKw: { path: 'charge.powerKw', kind: 'float', description: 'Power into the vehicle [kW].' },
  chargeRateKmPerH: { path: 'charge.rateKmPerH', kind: 'float', description: 'Range gained per hour [km/h].' },
  chargeEnergyAddedKwh: { path: 'charge.energyAddedKwh', kind: 'float', description: 'Energy counter of the current or last charge [kWh].' },
  minutesToFull: { path: 'charge.minutesToFull', kind: 'float', description: 'Time until the limit is reached [min].' },
  chargePortOpen: { path: 'charge.portOpen', kind: 'boolean', description: 'Whether the charge port door is open.' },
  chargePortLatch: { path: 'charge.portLatch', kind: ['ENGAGED', 'DISENGAGED', 'BLOCKING'] as const, description: 'State of the latch that holds the cable.' },
  chargeCableType: { path: 'charge.cableType', kind: 'string', description: 'Kind of cable in the port, in the maker’s words.' },
  fastChargerPresent: { path: 'charge.fastCharger.present', kind: 'boolean', description: 'Whether a direct-current charger is connected.' },
  fastChargerType: { path: 'charge.fastCharger.type', kind: 'string', description: 'Type of the direct-current charger, in the maker’s words.' },
  fastChargerBrand: { path: 'charge.fastCharger.brand', kind: 'string', description: 'Brand of the direct-current charger, in the maker’s words.' },
  batteryHeaterOn: { path: 'charge.batteryHeaterOn', kind: 'boolean', description: 'Whether the pack is being heated.' },
  chargeScheduleMode: { path: 'charge.scheduled.mode', kind: ['OFF', 'START_AT', 'DEPART_BY'] as const, description: 'How charging is scheduled.' },
  chargeScheduleStartAt: { path: 'charge.scheduled.startAt', kind: 'time', description: 'Next scheduled start.' },
  chargeScheduleDepartureAt: { path: 'charge.scheduled.departureAt', kind: 'time', description: 'Next scheduled departure.' },
  chargeSchedulePending: { path: 'charge.scheduled.pending', kind: 'boolean', description: 'Whether charging waits for its schedule.' },
  packVoltageV: { path: 'charge.packVoltageV', kind: 'float', description: 'Voltage of the pack [V].' },
  packCurrentA: { path: 'charge.packCurrentA', kind: 'float', description: 'Current of the pack; positive flows into it [A].' },
  moduleTempMinC: { path: 'charge.moduleTempMinC', kind: 'float', description: 'Coldest battery module [°C].' },
  moduleTempMaxC: { path: 'charge.moduleTempMaxC', kind: 'float', description: 'Warmest battery module [°C].' },
  lifetimeEnergyUsedKwh: { path: 'charge.lifetimeEnergyUsedKwh', kind: 'float', description: 'Energy used since the vehicle was built [kWh].' },
  // The two counters of the maker's telemetry; DC is at the pack and valid for AC charging too (maker.md §5.4).
  acEnergyInKwh: { path: 'charge.acEnergyInKwh', kind: 'float', description: 'Alternating-current energy counter at the charger [kWh].' },
  dcEnergyInKwh: { path: 'charge.dcEnergyInKwh', kind: 'float', description: 'Energy counter at the pack [kWh].' },
  acPowerKw: { path: 'charge.acPowerKw', kind: 'float', description: 'Power of alternating-current charging [kW].' },
  dcPowerKw: { path: 'charge.dcPowerKw', kind: 'float', description: 'Power of direct-current charging [kW].' },
  bmsChargeState: { path: 'charge.bmsState', kind: 'string', description: 'Coarse charging state of the battery system, in the maker’s words.' },

  // climate
  climateOn: { path: 'climate.isOn', kind: 'boolean', description: 'Whether heating or cooling runs.' },
  climatePower: { path: 'climate.power', kind: ['OFF', 'ON', 'PRECONDITION', 'OVERHEAT_PROTECT'] as const, description: 'Why heating or cooling runs.' },
  insideTempC: { path: 'climate.insideTempC', kind: 'float', description: 'Temperature inside [°C].' },
  outsideTempC: { path: 'climate.outsideTempC', kind: 'float', description: 'Temperature outside [°C].' },
  driverTempSettingC: { path: 'climate.driverTempSettingC', kind: 'float', description: 'Temperature set on the driver’s side [°C].' },
  passengerTempSettingC: { path: 'climate.passengerTempSettingC', kind: 'float', description: 'Temperature set on the passenger’s side [°C].' },
  climateMinTempC: { path: 'climate.minTempC', kind: 'float', description: 'Lowest temperature that can be set [°C].' },
  climateMaxTempC: { path: 'climate.maxTempC', kind: 'float', description: 'Highest temperature that can be set [°C].' },
  fanLevel: { path: 'climate.fanLevel', kind: 'int', description: 'Speed of the fan; 0 is off.' },
  preconditioning: { path: 'climate.isPreconditioning', kind: 'boolean', description: 'Whether the cabin is being prepared for a departure.' },
  autoConditioning: { path: 'climate.autoConditioning', kind: 'boolean', description: 'Whether the climate control is automatic.' },
  climateKeeperMode: { path: 'climate.keeperMode', kind: ['OFF', 'KEEP', 'DOG', 'CAMP'] as const, description: 'Mode that keeps the climate on while parked.' },
  defrostMode: { path: 'climate.defrostMode', kind: ['OFF', 'NORMAL', 'MAX'] as const, description: 'Defrosting of the windscreen.' },
  frontDefrosterOn: { path: 'climate.frontDefrosterOn', kind: 'boolean', description: 'Whether the front defroster is on.' },
  rearDefrosterOn: { path: 'climate.rearDefrosterOn', kind: 'boolean', description: 'Whether the rear defroster is on.' },
  bioweaponMode: { path: 'climate.bioweaponMode', kind: 'boolean', description: 'Whether the air is filtered with overpressure.' },
  cabinOverheatMode: { path: 'climate.cabinOverheat.mode', kind: ['OFF', 'ON', 'FAN_ONLY'] as const, description: 'Protection of the cabin from heat.' },
  cabinOverheatLimitC: { path: 'climate.cabinOverheat.limitC', kind: 'float', description: 'Temperature at which the protection starts [°C].' },
  seatHeatFrontLeft: { path: 'climate.seats.FRONT_LEFT.heatLevel', kind: 'int', description: 'Heating of the front left seat, 0 to 3.' },
  seatHeatFrontRight: { path: 'climate.seats.FRONT_RIGHT.heatLevel', kind: 'int', description: 'Heating of the front right seat, 0 to 3.' },
  seatHeatRearLeft: { path: 'climate.seats.REAR_LEFT.heatLevel', kind: 'int', description: 'Heating of the rear left seat, 0 to 3.' },
  seatHeatRearCenter: { path: 'climate.seats.REAR_CENTER.heatLevel', kind: 'int', description: 'Heating of the rear centre seat, 0 to 3.' },
  seatHeatRearRight: { path: 'climate.seats.REAR_RIGHT.heatLevel', kind: 'int', description: 'Heating of the rear right seat, 0 to 3.' },
  seatCoolFrontLeft: { path: 'climate.seats.FRONT_LEFT.coolLevel', kind: 'int', description: 'Cooling of the front left seat, 0 to 3.' },
  seatCoolFrontRight: { path: 'climate.seats.FRONT_RIGHT.coolLevel', kind: 'int', description: 'Cooling of the front right seat, 0 to 3.' },
  seatAutoFrontLeft: { path: 'climate.seats.FRONT_LEFT.auto', kind: 'boolean', description: 'Whether the front left seat’s climate is automatic.' },
  seatAutoFrontRight: { path: 'climate.seats.FRONT_RIGHT.auto', kind: 'boolean', description: 'Whether the front right seat’s climate is automatic.' },
  steeringWheelHeatLevel: { path: 'climate.steeringWheelHeatLevel', kind: 'int', description: 'Heating of the steering wheel, 0 to 3.' },
  mirrorHeatersOn: { path: 'climate.mirrorHeatersOn', kind: 'boolean', description: 'Whether the side mirrors are heated.' },
  wiperHeaterOn: { path: 'climate.wiperHeaterOn', kind: 'boolean', description: 'Whether the wiper blades are heated.' },

  // drive
  gear: { path: 'drive.gear', kind: ['P', 'R', 'N', 'D'] as const, description: 'Selected gear; null while the vehicle does not say.' },
  speedKmh: { path: 'drive.speedKmh', kind: 'float', description: 'Speed [km/h].' },
  powerKw: { path: 'drive.powerKw', kind: 'float', description: 'Power out of the pack; negative flows back [kW].' },
  headingDeg: { path: 'drive.headingDeg', kind: 'float', description: 'Direction the vehicle points to, clockwise from north [°].' },
  latitude: { path: 'drive.latitude', kind: 'float', description: 'Latitude, WGS 84 [°].' },
  longitude: { path: 'drive.longitude', kind: 'float', description: 'Longitude, WGS 84 [°].' },
  locatedAt: { path: 'drive.locatedAt', kind: 'time', description: 'When the position was fixed.' },
  elevationM: { path: 'drive.elevationM', kind: 'float', description: 'Height above sea level; null where the maker does not give it [m].' },
  odometerKm: { path: 'drive.odometerKm', kind: 'float', description: 'Distance driven since the vehicle was built [km].' },
  kmSinceReset: { path: 'drive.kmSinceReset', kind: 'float', description: 'Distance driven since the driver assistance last counted anew [km].' },
  selfDrivingKmSinceReset: { path: 'drive.selfDrivingKmSinceReset', kind: 'float', description: 'Distance that the vehicle drove by itself since then [km].' },
  routeDestination: { path: 'drive.route.destination', kind: 'string', description: 'Name of the navigation’s destination.', exactly: true },
  routeLatitude: { path: 'drive.route.latitude', kind: 'float', description: 'Latitude of the destination, WGS 84 [°].' },
  routeLongitude: { path: 'drive.route.longitude', kind: 'float', description: 'Longitude of the destination, WGS 84 [°].' },
  routeDistanceKm: { path: 'drive.route.distanceKm', kind: 'float', description: 'Distance left to the destination [km].' },
  routeMinutes: { path: 'drive.route.minutes', kind: 'float', description: 'Time left to the destination [min].' },
  routeEnergyAtArrivalPct: { path: 'drive.route.energyAtArrivalPct', kind: 'float', description: 'Level expected at the destination [%].' },
  routeTrafficDelayMin: { path: 'drive.route.trafficDelayMin', kind: 'float', description: 'Delay by traffic on the route [min].' },

  // closures
  locked: { path: 'closures.locked', kind: 'boolean', description: 'Whether the doors are locked.' },
  doorFrontLeft: { path: 'closures.doors.frontLeft', kind: 'boolean', description: 'Whether the front left door is open.' },
  doorFrontRight: { path: 'closures.doors.frontRight', kind: 'boolean', description: 'Whether the front right door is open.' },
  doorRearLeft: { path: 'closures.doors.rearLeft', kind: 'boolean', description: 'Whether the rear left door is open.' },
  doorRearRight: { path: 'closures.doors.rearRight', kind: 'boolean', description: 'Whether the rear right door is open.' },
  windowFrontLeft: { path: 'closures.windows.frontLeft', kind: windowState, description: 'Front left window.' },
  windowFrontRight: { path: 'closures.windows.frontRight', kind: windowState, description: 'Front right window.' },
  windowRearLeft: { path: 'closures.windows.rearLeft', kind: windowState, description: 'Rear left window.' },
  windowRearRight: { path: 'closures.windows.rearRight', kind: windowState, description: 'Rear right window.' },
  frunkOpen: { path: 'closures.frunkOpen', kind: 'boolean', description: 'Whether the front trunk is open.' },
  trunkOpen: { path: 'closures.trunkOpen', kind: 'boolean', description: 'Whether the rear trunk is open.' },
  tonneauPct: { path: 'closures.tonneauPct', kind: 'float', description: 'How far the bed cover is open [%].' },
  sunroofState: { path: 'closures.sunroof.state', kind: 'string', description: 'State of the sunroof, in the maker’s words.' },
  sunroofOpenPct: { path: 'closures.sunroof.percent', kind: 'float', description: 'How far the sunroof is open [%].' },
  sentry: { path: 'closures.sentry', kind: ['OFF', 'IDLE', 'ARMED', 'AWARE', 'PANIC', 'QUIET'] as const, description: 'State of the guard mode; a maker that says only on or off gives ARMED or OFF.' },
  valetMode: { path: 'closures.valetMode', kind: 'boolean', description: 'Whether the vehicle is restricted for a valet.' },
  guestMode: { path: 'closures.guestMode', kind: 'boolean', description: 'Whether the vehicle is in guest mode.' },
  pinToDrive: { path: 'closures.pinToDrive', kind: 'boolean', description: 'Whether a PIN is needed to drive.' },
  speedLimitActive: { path: 'closures.speedLimit.active', kind: 'boolean', description: 'Whether the speed is limited.' },
  speedLimitKmh: { path: 'closures.speedLimit.limitKmh', kind: 'float', description: 'The speed limit set [km/h].' },
  speedLimitMinKmh: { path: 'closures.speedLimit.minKmh', kind: 'float', description: 'Lowest limit that can be set [km/h].' },
  speedLimitMaxKmh: { path: 'closures.speedLimit.maxKmh', kind: 'float', description: 'Highest limit that can be set [km/h].' },
  speedLimitPinSet: { path: 'closures.speedLimit.pinSet', kind: 'boolean', description: 'Whether a PIN protects the limit.' },
  userPresent: { path: 'closures.userPresent', kind: 'boolean', description: 'Whether somebody is in the vehicle.' },
  homelinkNearby: { path: 'closures.homelink.nearby', kind: 'boolean', description: 'Whether a garage door the vehicle knows is near; null where positions are not told exactly.', exactly: true },
  homelinkDeviceCount: { path: 'closures.homelink.deviceCount', kind: 'int', description: 'How many garage doors the vehicle knows.' },
  centerDisplay: { path: 'closures.centerDisplay', kind: 'string', description: 'State of the centre display, in the maker’s words.' },
  serviceMode: { path: 'closures.serviceMode', kind: 'boolean', description: 'Whether the vehicle is in service mode.' },
  remoteStartActive: { path: 'closures.remoteStart', kind: 'boolean', description: 'Whether the vehicle may be driven without a key now.' },

  // tyres
  tyrePressureFlBar: { path: 'tyres.fl.pressureBar', kind: 'float', description: 'Pressure, front left [bar].' },
  tyrePressureFrBar: { path: 'tyres.fr.pressureBar', kind: 'float', description: 'Pressure, front right [bar].' },
  tyrePressureRlBar: { path: 'tyres.rl.pressureBar', kind: 'float', description: 'Pressure, rear left [bar].' },
  tyrePressureRrBar: { path: 'tyres.rr.pressureBar', kind: 'float', description: 'Pressure, rear right [bar].' },
  tyreSoftWarningFl: { path: 'tyres.fl.softWarning', kind: 'boolean', description: 'Early warning, front left.' },
  tyreSoftWarningFr: { path: 'tyres.fr.softWarning', kind: 'boolean', description: 'Early warning, front right.' },
  tyreSoftWarningRl: { path: 'tyres.rl.softWarning', kind: 'boolean', description: 'Early warning, rear left.' },
  tyreSoftWarningRr: { path: 'tyres.rr.softWarning', kind: 'boolean', description: 'Early warning, rear right.' },
  tyreHardWarningFl: { path: 'tyres.fl.hardWarning', kind: 'boolean', description: 'Urgent warning, front left.' },
  tyreHardWarningFr: { path: 'tyres.fr.hardWarning', kind: 'boolean', description: 'Urgent warning, front right.' },
  tyreHardWarningRl: { path: 'tyres.rl.hardWarning', kind: 'boolean', description: 'Urgent warning, rear left.' },
  tyreHardWarningRr: { path: 'tyres.rr.hardWarning', kind: 'boolean', description: 'Urgent warning, rear right.' },
  tyreObservedAtFl: { path: 'tyres.fl.observedAt', kind: 'time', description: 'When the sensor was last heard, front left.' },
  tyreObservedAtFr: { path: 'tyres.fr.observedAt', kind: 'time', description: 'When the sensor was last heard, front right.' },
  tyreObservedAtRl: { path: 'tyres.rl.observedAt', kind: 'time', description: 'When the sensor was last heard, rear left.' },
  tyreObservedAtRr: { path: 'tyres.rr.observedAt', kind: 'time', description: 'When the sensor was last heard, rear right.' },
  tyreRecommendedFrontBar: { path: 'tyres.recommendedFrontBar', kind: 'float', description: 'Pressure the maker recommends in front [bar].' },
  tyreRecommendedRearBar: { path: 'tyres.recommendedRearBar', kind: 'float', description: 'Pressure the maker recommends in the rear [bar].' },

  // software
  softwareVersion: { path: 'software.version', kind: 'string', description: 'Installed version, without its commit.' },
  softwareCommit: { path: 'software.commit', kind: 'string', description: 'Commit of the installed version.' },
  updateVersion: { path: 'software.update.version', kind: 'string', description: 'Version of the pending update.' },
  updateStatus: {
    path: 'software.update.status',
    kind: ['NONE', 'AVAILABLE', 'DOWNLOADING', 'WAITING_WIFI', 'SCHEDULED', 'INSTALLING', 'FAILED'] as const,
    description: 'What the pending update is doing.',
  },
  updateDownloadPct: { path: 'software.update.downloadPct', kind: 'float', description: 'How much of the update is downloaded [%].' },
  updateInstallPct: { path: 'software.update.installPct', kind: 'float', description: 'How much of the update is installed [%].' },
  updateExpectedDurationMin: { path: 'software.update.expectedDurationMin', kind: 'float', description: 'How long the installation is expected to take [min].' },
  updateScheduledAt: { path: 'software.update.scheduledAt', kind: 'time', description: 'When the installation is scheduled.' },

  // media
  mediaPlaying: { path: 'media.playing', kind: 'boolean', description: 'Whether something plays.' },
  mediaTitle: { path: 'media.title', kind: 'string', description: 'Title of what plays.' },
  mediaArtist: { path: 'media.artist', kind: 'string', description: 'Artist of what plays.' },
  mediaStation: { path: 'media.station', kind: 'string', description: 'Station that plays.' },
  mediaSource: { path: 'media.audioSource', kind: 'string', description: 'Source of what plays, in the maker’s words.' },
  mediaVolume: { path: 'media.volume', kind: 'float', description: 'Volume, in steps of the vehicle.' },
  mediaVolumeMax: { path: 'media.volumeMax', kind: 'float', description: 'Highest volume, in steps of the vehicle.' },

  // config: kept on the vehicle itself, not in its state
  vehicleName: { path: 'config.name', kind: 'string', description: 'Name given in the vehicle.' },
  model: { path: 'config.model', kind: 'string', description: 'Model, in words.' },
  modelCode: { path: 'config.modelCode', kind: 'string', description: 'Model, in the maker’s code.' },
  trim: { path: 'config.trim', kind: 'string', description: 'Trim badge, in the maker’s code.' },
  exteriorColor: { path: 'config.exteriorColor', kind: 'string', description: 'Colour, in the maker’s code.' },
  wheelType: { path: 'config.wheelType', kind: 'string', description: 'Wheels, in the maker’s code.' },
  spoilerType: { path: 'config.spoilerType', kind: 'string', description: 'Spoiler, in the maker’s code.' },
  roofColor: { path: 'config.roofColor', kind: 'string', description: 'Roof, in the maker’s code.' },
  rightHandDrive: { path: 'config.rightHandDrive', kind: 'boolean', description: 'Whether the wheel is on the right.' },
  chargePortType: { path: 'config.chargePortType', kind: ['US', 'EU', 'CCS', 'GB'] as const, description: 'Kind of charge port.' },
  driverAssistHw: { path: 'config.driverAssistHw', kind: 'string', description: 'Hardware of the driver assistance, in the maker’s code.' },
  hasSunroof: { path: 'config.hasSunroof', kind: 'boolean', description: 'Whether there is a sunroof.' },
  hasSeatCooling: { path: 'config.hasSeatCooling', kind: 'boolean', description: 'Whether the front seats can be cooled.' },
  canActuateTrunks: { path: 'config.canActuateTrunks', kind: 'boolean', description: 'Whether the trunks open by a command.' },
  sentryAvailable: { path: 'config.sentryAvailable', kind: 'boolean', description: 'Whether there is a guard mode.' },
  remoteStartSupported: { path: 'config.remoteStartSupported', kind: 'boolean', description: 'Whether the vehicle can be started from afar.' },
} as const satisfies Record<string, Signal>;

export type SignalName = keyof typeof signals;

type ValueOf<K> = K extends 'float' | 'int' | 'time' ? number : K extends 'boolean' ? boolean : K extends 'string' ? string : K extends readonly (infer V)[] ? V : never;

/** What is known of a vehicle: absent means nothing was said, null means the vehicle said it does not know. */
export type SignalValues = { [N in SignalName]?: ValueOf<(typeof signals)[N]['kind']> | null };

/** Type guard for the names of the table. */
export function isSignalName(name: string): name is SignalName {
  return sectionByName.has(name);
}

const sectionByName = new Map<string, Section>(Object.entries(signals).map(([name, { path }]) => [name, path.split('.', 1)[0] as Section]));

/** The section a signal belongs to. */
export function sectionOf(name: SignalName): Section {
  return sectionByName.get(name) ?? 'config';
}

/** Copies one signal, whatever its type. */
function copySignal<N extends SignalName>(name: N, from: SignalValues, to: SignalValues): void {
  to[name] = from[name];
}

/** Copies every signal of `from` over those of `to`; a loop, because `Object.assign` is several times slower on wide objects. */
export function copySignals(from: SignalValues, to: SignalValues): void {
  for (const name in from) if (isSignalName(name)) copySignal(name, from, to);
}

/** The sections that values tell of, in the order of their first signal. */
export function sectionsOf(values: SignalValues): Section[] {
  const told: Section[] = [];
  for (const name in values) {
    const section = sectionByName.get(name);
    if (section !== undefined && !told.includes(section)) told.push(section);
  }
  return told;
}

/** The values of some sections alone. */
export function signalsOfSections(values: SignalValues, wanted: readonly Section[]): SignalValues {
  const part: SignalValues = {};
  for (const name in values) if (isSignalName(name) && wanted.includes(sectionOf(name))) copySignal(name, values, part);
  return part;
}

/** The same values, apart by section; only sections with a value are in it. */
export function bySection(values: SignalValues): Map<Section, SignalValues> {
  const parts = new Map<Section, SignalValues>();
  for (const name in values) {
    if (!isSignalName(name)) continue;
    const section = sectionOf(name);
    let part = parts.get(section);
    if (part === undefined) {
      part = {};
      parts.set(section, part);
    }
    copySignal(name, values, part);
  }
  return parts;
}
