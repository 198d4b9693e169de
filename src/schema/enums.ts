import { builder } from './builder.ts';

/** The enums of the database, with a sentence for every value; what a value means is decided in contract §2 to §11. */

export const Region = builder.enumType('Region', {
  description: 'Region of the maker that holds an account.',
  values: {
    NA: { description: 'North America, and Asia without China.' },
    EU: { description: 'Europe, the Middle East and Africa.' },
    CN: { description: 'China.' },
    SIM: { description: 'The simulated garage.' },
  },
});

export const MakerAccountStatus = builder.enumType('MakerAccountStatus', {
  description: 'Whether the link to a maker account works, and if not why.',
  values: {
    PENDING: { description: 'The link was started and not finished.' },
    ACTIVE: { description: 'The link works.' },
    REFRESHING: { description: 'Its tokens are being renewed.' },
    NEEDS_REAUTH: { description: 'The maker wants the person to sign in again.' },
    MISSING_SCOPES: { description: 'The maker grants less than the service needs.' },
    LOCKED: { description: 'The maker locked the account.' },
    REVOKED: { description: 'The person or the maker withdrew the link.' },
    ERROR: { description: 'The link fails for another reason.' },
  },
});

export const AccessType = builder.enumType('AccessType', {
  description: 'What the account’s holder is to the vehicle.',
  values: {
    OWNER: { description: 'Owns it.' },
    DRIVER: { description: 'Drives it by the owner’s leave.' },
    GUEST: { description: 'May use it for a time.' },
  },
});

export const VehicleStatus = builder.enumType('VehicleStatus', {
  description: 'What a vehicle is doing.',
  values: {
    ONLINE: { description: 'Awake and parked.' },
    ASLEEP: { description: 'Asleep; reading it never wakes it.' },
    OFFLINE: { description: 'Out of reach.' },
    WAITING_FOR_SLEEP: { description: 'Awake, and left alone so that it can fall asleep.' },
    DRIVING: { description: 'On a drive.' },
    CHARGING: { description: 'Energy flows into it.' },
    UPDATING: { description: 'Installing software.' },
    IN_SERVICE: { description: 'In service mode.' },
    UNKNOWN: { description: 'Nothing is known yet.' },
  },
});

export const Connectivity = builder.enumType('Connectivity', {
  description: 'The maker’s word on a vehicle’s link.',
  values: {
    ONLINE: { description: 'The vehicle answers.' },
    ASLEEP: { description: 'The vehicle sleeps.' },
    OFFLINE: { description: 'The vehicle does not answer; makers often say so of a sleeping one.' },
  },
});

export const BatteryChemistry = builder.enumType('BatteryChemistry', {
  description: 'Chemistry of the battery cells.',
  values: {
    NMC: { description: 'Nickel, manganese, cobalt.' },
    LFP: { description: 'Lithium iron phosphate.' },
    NCA: { description: 'Nickel, cobalt, aluminium.' },
    UNKNOWN: { description: 'Not known.' },
  },
});

export const Source = builder.enumType('Source', {
  description: 'How an observation reached the service.',
  values: {
    STREAM: { description: 'The vehicle sent it by itself.' },
    POLL: { description: 'The service asked the maker.' },
    COMMAND: { description: 'It came with the result of a command.' },
    IMPORT: { description: 'It was imported.' },
  },
});

export const DriveState = builder.enumType('DriveState', {
  description: 'Life of a drive.',
  values: {
    ONGOING: { description: 'Under way.' },
    ENDED: { description: 'Ended, both ends seen.' },
    INCOMPLETE: {
      description: 'Ended while the vehicle was out of reach; its end is the last sample.',
    },
    DISCARDED: { description: 'Kept, but too small to be a drive; listed only when asked for.' },
  },
});

export const DrivePurpose = builder.enumType('DrivePurpose', {
  description: 'Why a drive was made.',
  values: {
    PERSONAL: { description: 'For oneself.' },
    BUSINESS: { description: 'For work.' },
    COMMUTE: { description: 'To work or back.' },
  },
});

export const ChargeState = builder.enumType('ChargeState', {
  description: 'Life of a charge.',
  values: {
    ONGOING: { description: 'Plugged in and not finished.' },
    COMPLETE: { description: 'The limit was reached.' },
    STOPPED: { description: 'Ended before the limit.' },
    INCOMPLETE: { description: 'The vehicle was out of reach at the end.' },
    DISCARDED: { description: 'Kept, but nothing was charged; listed only when asked for.' },
  },
});

export const ChargeKind = builder.enumType('ChargeKind', {
  description: 'Kind of current.',
  values: {
    AC: { description: 'Alternating current.' },
    DC: { description: 'Direct current.' },
  },
});

export const ChargeNetwork = builder.enumType('ChargeNetwork', {
  description: 'Whose charger it was.',
  values: {
    MAKER_FAST: { description: 'A fast charger of the maker.' },
    THIRD_PARTY: { description: 'A charger of somebody else.' },
    HOME: { description: 'At a place of kind HOME.' },
    WORK: { description: 'At a place of kind WORK.' },
    UNKNOWN: { description: 'Not known.' },
  },
});

export const CostMethod = builder.enumType('CostMethod', {
  description: 'Where a cost comes from.',
  values: {
    MANUAL: { description: 'The person entered it.' },
    TARIFF: { description: 'A tariff gave it.' },
    INVOICE: { description: 'The maker’s invoice gave it.' },
    FREE: { description: 'It cost nothing.' },
    DERIVED: { description: 'What the charges before it cost gave it.' },
    NONE: { description: 'No cost is known.' },
  },
});

export const TripState = builder.enumType('TripState', {
  description: 'Life of a trip.',
  values: {
    ONGOING: { description: 'More may join it.' },
    ENDED: { description: 'It is over.' },
  },
});

export const PlaceKind = builder.enumType('PlaceKind', {
  description: 'What a place is to its owner.',
  values: {
    HOME: { description: 'Home.' },
    WORK: { description: 'Work.' },
    FAVORITE: { description: 'A place often gone to.' },
    CHARGER: { description: 'A charger.' },
    OTHER: { description: 'Any other place.' },
  },
});

export const InstallationState = builder.enumType('InstallationState', {
  description: 'Life of an installation of a software version.',
  values: {
    AVAILABLE: { description: 'Offered to the vehicle.' },
    DOWNLOADING: { description: 'Being downloaded.' },
    WAITING_WIFI: { description: 'Waits for a wireless network to be downloaded over.' },
    SCHEDULED: { description: 'Downloaded, and scheduled.' },
    INSTALLING: { description: 'Being installed.' },
    INSTALLED: { description: 'Seen running.' },
    CANCELLED: { description: 'Withdrawn before it was installed.' },
  },
});

export const CommandState = builder.enumType('CommandState', {
  description: 'Life of a command; it only goes forward.',
  values: {
    QUEUED: { description: 'Accepted, and waiting for its turn.' },
    WAKING: { description: 'The vehicle is being woken.' },
    SENDING: { description: 'The maker is being asked.' },
    ACKNOWLEDGED: { description: 'The maker said yes; the vehicle’s state is being checked.' },
    SUCCEEDED: { description: 'Done.' },
    FAILED: { description: 'The maker or the vehicle refused, or the check contradicted.' },
    REJECTED: { description: 'Never sent.' },
    CANCELLED: { description: 'Taken back, or overtaken by a newer command.' },
    TIMED_OUT: { description: 'The deadline passed before anything was sent.' },
    UNKNOWN: { description: 'Sent without an answer, and the vehicle’s state settled nothing.' },
  },
});

export const CommandVia = builder.enumType('CommandVia', {
  description: 'The surface a command came by.',
  values: {
    GRAPHQL: { description: 'GraphQL.' },
    REST: { description: 'REST.' },
    LEGACY: { description: 'An older-style endpoint.' },
    FLEET_PROXY: { description: 'The pass-through of the maker’s own interface.' },
    MCP: { description: 'An AI client over MCP.' },
  },
});

export const CommandConfirm = builder.enumType('CommandConfirm', {
  description: 'How far a command is followed before it counts as done.',
  values: {
    NONE: { description: 'Until it is sent.' },
    ACK: { description: 'Until the maker says yes.' },
    VERIFY: { description: 'Until the vehicle’s state shows it.' },
  },
});

export const LocationPrecision = builder.enumType('LocationPrecision', {
  description: 'How exactly a position is told.',
  values: {
    EXACT: { description: 'As the vehicle gave it.' },
    APPROXIMATE: { description: 'Rounded to 0.01°, about a kilometre.' },
    HIDDEN: { description: 'Not told.' },
  },
});

export const SpendCategory = builder.enumType('SpendCategory', {
  description: 'What the maker bills by.',
  values: {
    SIGNAL: { description: 'Signals that stream in.' },
    DATA: { description: 'Calls for data.' },
    COMMAND: { description: 'Commands.' },
    WAKE: { description: 'Wakes.' },
  },
});

export const WebhookStatus = builder.enumType('WebhookStatus', {
  description: 'Whether a webhook is called.',
  values: {
    ACTIVE: { description: 'It is called.' },
    PAUSED: { description: 'It is not called; what happens waits until it is resumed.' },
    DISABLED: { description: 'It asked not to be called any more; it can be resumed.' },
  },
});

export const WebhookDeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'What became of an event on its way to a webhook.',
  values: {
    PENDING: { description: 'It is still to be sent, for the first time or again.' },
    DELIVERED: { description: 'The webhook took it.' },
    FAILED: { description: 'It was given up; it can be sent again by hand.' },
    DROPPED: { description: 'The credential behind the webhook may not hear it any more.' },
  },
});
