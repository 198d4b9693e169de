import { barFromAtmospheres, kmFromMiles } from '../base/units.ts';
import type { SignalValues } from '../contract/signals.ts';
import { type Fact, fact, keepRaw, unused } from './facts.ts';
import { isObject } from './json.ts';
import { flag, mapped, numberWithin, wholeWithin } from './readers.ts';
import { either, enumText, enumWord, type FieldFacts } from './telemetry-value.ts';

/** Atmospheres, unlike the bar of `vehicle_data` (maker.md §5.4). */
const pressure = numberWithin(0, 10, barFromAtmospheres);

const windowPosition = enumWord('WindowState', {
  Closed: 'CLOSED',
  PartiallyOpen: 'VENTED',
  Opened: 'OPEN',
} as const);

const sentryWord = enumWord('SentryModeState', {
  Off: 'OFF',
  Idle: 'IDLE',
  Armed: 'ARMED',
  Aware: 'AWARE',
  Panic: 'PANIC',
  Quiet: 'QUIET',
} as const);

/** Older software tells only on and off. */
const sentryFlag = mapped(flag, (on) => (on ? ('ARMED' as const) : ('OFF' as const)));

type Door = 'doorFrontLeft' | 'doorFrontRight' | 'doorRearLeft' | 'doorRearRight';
type Opening = Door | 'frunkOpen' | 'trunkOpen';
type Openings = Readonly<Record<string, Opening>>;

const leftHand: Openings = {
  DriverFront: 'doorFrontLeft',
  DriverRear: 'doorRearLeft',
  PassengerFront: 'doorFrontRight',
  PassengerRear: 'doorRearRight',
  TrunkFront: 'frunkOpen',
  TrunkRear: 'trunkOpen',
};

const rightHand: Openings = {
  ...leftHand,
  DriverFront: 'doorFrontRight',
  DriverRear: 'doorRearRight',
  PassengerFront: 'doorFrontLeft',
  PassengerRear: 'doorRearLeft',
};

/** Every door by name, open or closed; text names the open ones, and the empty text is all of them closed. */
function doors(openings: Openings): Fact {
  return (value, into, path) => {
    if (value === null) return;
    const open = openOnes(value, openings, into.receivedAt);
    if (open === undefined) keepRaw(into, path, value);
    else Object.assign(into.signals, open);
  };
}

function openOnes(
  value: unknown,
  openings: Openings,
  receivedAt: number,
): SignalValues | undefined {
  const told: SignalValues = {};
  if (isObject(value)) {
    for (const [door, opening] of Object.entries(openings)) {
      told[opening] = flag(value[door], receivedAt) ?? false;
    }
    return told;
  }
  if (typeof value !== 'string' || value.trim().toLowerCase() === '<invalid>') return undefined;
  const names = value.split(/[^A-Za-z]+/).filter((name) => name !== '');
  if (names.some((name) => openings[name] === undefined)) return undefined;
  for (const [door, opening] of Object.entries(openings)) told[opening] = names.includes(door);
  return told;
}

function windows(driverOnRight: boolean): FieldFacts {
  const left = {
    front: fact('windowFrontLeft', windowPosition),
    rear: fact('windowRearLeft', windowPosition),
  };
  const right = {
    front: fact('windowFrontRight', windowPosition),
    rear: fact('windowRearRight', windowPosition),
  };
  const driver = driverOnRight ? right : left;
  const passenger = driverOnRight ? left : right;
  return {
    FdWindow: driver.front,
    RdWindow: driver.rear,
    FpWindow: passenger.front,
    RpWindow: passenger.rear,
  };
}

const shared: FieldFacts = {
  Locked: fact('locked', flag),
  SentryMode: fact('sentry', either(sentryWord, sentryFlag)),
  ValetModeEnabled: fact('valetMode', flag),
  GuestModeEnabled: fact('guestMode', flag),
  PinToDriveEnabled: fact('pinToDrive', flag),
  SpeedLimitMode: fact('speedLimitActive', flag),
  CurrentLimitMph: fact('speedLimitKmh', numberWithin(0, 400, kmFromMiles)),
  // Observed: the nearest this protocol has to somebody being in the vehicle.
  DriverSeatOccupied: fact('userPresent', flag),
  HomelinkNearby: fact('homelinkNearby', flag),
  HomelinkDeviceCount: fact('homelinkDeviceCount', wholeWithin(0, 255)),
  CenterDisplay: fact('centerDisplay', enumText('DisplayState')),
  ServiceMode: fact('serviceMode', flag),
  TonneauOpenPercent: fact('tonneauPct', numberWithin(0, 100)),
  TpmsPressureFl: fact('tyrePressureFlBar', pressure),
  TpmsPressureFr: fact('tyrePressureFrBar', pressure),
  TpmsPressureRl: fact('tyrePressureRlBar', pressure),
  TpmsPressureRr: fact('tyrePressureRrBar', pressure),
  // Times in a zone that is not the vehicle's (maker.md §5.4).
  TpmsLastSeenPressureTimeFl: unused,
  TpmsLastSeenPressureTimeFr: unused,
  TpmsLastSeenPressureTimeRl: unused,
  TpmsLastSeenPressureTimeRr: unused,
};

/** Fields of doors, windows, guard and tyres of a vehicle with the wheel on the left. */
export const bodyFieldsLeftHand: FieldFacts = {
  ...shared,
  ...windows(false),
  DoorState: doors(leftHand),
};

/** The same of a vehicle with the wheel on the right. */
export const bodyFieldsRightHand: FieldFacts = {
  ...shared,
  ...windows(true),
  DoorState: doors(rightHand),
};
