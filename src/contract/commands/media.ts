import { type CommandRow, near, use } from './command.ts';

const order = { kind: 'int', min: 0, max: 100, wire: 'order', optional: true, sentence: 'Place among the stops of the route, from 0.' } as const;

function plain<C extends string>(command: C, sentence: string) {
  return { group: 'media', sentence, maker: [use(command)], params: {}, idempotent: false, scope: 'COMMANDS', surface: 'all' } as const;
}

/** Media, navigation and sharing (maker.md §2.4). */
export const mediaCommands = {
  set_volume: {
    group: 'media',
    sentence: 'Sets the volume.',
    maker: [use('adjust_volume')],
    params: { volume: { kind: 'float', min: 0, max: 10, within: { max: 'mediaVolumeMax' }, wire: 'volume', sentence: 'Volume, 0 (silent) to 10.' } },
    idempotent: true,
    scope: 'COMMANDS',
    verify: ({ volume }) => near('mediaVolume', volume, 0.35),
    surface: 'all',
  },
  media_volume_up: plain('media_volume_up', 'Makes it one step louder.'),
  media_volume_down: plain('media_volume_down', 'Makes it one step quieter.'),
  media_toggle_playback: plain('media_toggle_playback', 'Plays, or pauses what plays.'),
  media_next_track: plain('media_next_track', 'Plays the next title.'),
  media_prev_track: plain('media_prev_track', 'Plays the title before.'),
  media_next_fav: plain('media_next_fav', 'Plays the next favourite.'),
  media_prev_fav: plain('media_prev_fav', 'Plays the favourite before.'),
  navigate: {
    group: 'navigation',
    sentence: 'Sends a destination to the navigation: an address, a position, a fast charger or several stops.',
    maker: [
      { command: 'navigation_request', signing: 'REST', when: { param: 'address' }, takes: ['address', 'locale'], fixed: { type: 'share_ext_content_raw', locale: 'en-US' }, stamped: 'timestamp_ms' },
      { command: 'navigation_gps_request', signing: 'REST', when: { param: 'latitude' }, takes: ['latitude', 'longitude', 'order'] },
      { command: 'navigation_sc_request', signing: 'REST', when: { param: 'charger_id' }, takes: ['charger_id', 'order'] },
      { command: 'navigation_waypoints_request', signing: 'REST', when: { param: 'waypoints' }, takes: ['waypoints'] },
    ],
    params: {
      address: { kind: 'text', place: true, maxLength: 500, wire: 'value', wrappedIn: 'android.intent.extra.TEXT', optional: true, sentence: 'Address, or the name of a place.' },
      locale: { kind: 'text', maxLength: 20, wire: 'locale', optional: true, sentence: 'Language and region of the address, BCP 47; `en-US` where it is left out.' },
      latitude: { kind: 'float', unit: '°', min: -90, max: 90, wire: 'lat', optional: true, sentence: 'Latitude of the destination, WGS 84 [°].' },
      longitude: { kind: 'float', unit: '°', min: -180, max: 180, wire: 'lon', optional: true, sentence: 'Longitude of the destination, WGS 84 [°].' },
      charger_id: { kind: 'int', place: true, min: 0, max: 9_007_199_254_740_991, wire: 'id', optional: true, sentence: 'The maker’s number of a fast charger.' },
      waypoints: { kind: 'places', place: true, most: 20, wire: 'waypoints', optional: true, sentence: 'Stops, by the ids of the maker’s map provider.' },
      order,
    },
    choose: { how: 'one', of: [['address'], ['latitude', 'longitude'], ['charger_id'], ['waypoints']] },
    idempotent: false,
    scope: 'COMMANDS',
    surface: 'all',
  },
  send_calendar_entries: {
    group: 'navigation',
    sentence: 'Sends the next entries of a calendar.',
    maker: [use('upcoming_calendar_entries', 'REST')],
    params: { calendar_data: { kind: 'text', maxLength: 20_000, wire: 'calendar_data', sentence: 'The entries, in the maker’s form.' } },
    idempotent: true,
    scope: 'COMMANDS',
    surface: 'all',
  },
  take_drive_note: {
    group: 'navigation',
    sentence: 'Notes something about the drive.',
    maker: [use('take_drivenote', 'REST')],
    params: { note: { kind: 'text', maxLength: 80, wire: 'note', sentence: 'The note, at most 80 characters.' } },
    idempotent: false,
    scope: 'COMMANDS',
    surface: 'all',
  },
} as const satisfies Record<string, CommandRow>;
