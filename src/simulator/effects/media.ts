import { VOLUME_MAX, VOLUME_STEP } from '../remote.ts';
import type { Car } from '../state.ts';
import { type CommandEffect, noting } from './effect.ts';

function turn(steps: number): CommandEffect {
  return noting(({ state }) => {
    const wanted = state.remote.volume + steps * VOLUME_STEP;
    state.remote.volume = Math.min(VOLUME_MAX, Math.max(0, wanted));
  });
}

function skip(what: 'track' | 'favourite', by: number): CommandEffect {
  return noting(({ state }) => {
    state.remote[what] += by;
    state.remote.playing = true;
  });
}

function sendTo(car: Car, name: string, at: { lat: number; lon: number } | null): void {
  car.state.remote.destination = { name, lat: at?.lat ?? null, lon: at?.lon ?? null };
}

/** The address, under the maker's present or its older name. */
const addressFields = ['value', 'android.intent.extra.TEXT'] as const;

/** Media and navigation. */
export const mediaEffects = {
  adjust_volume: noting(({ state }, body) => {
    state.remote.volume = body.number('volume', { min: 0, max: 11 });
  }),
  media_volume_up: turn(1),
  media_volume_down: turn(-1),
  media_toggle_playback: noting(({ state }) => {
    state.remote.playing = !(state.remote.playing ?? state.phase === 'driving');
  }),
  media_next_track: skip('track', 1),
  media_prev_track: skip('track', -1),
  media_next_fav: skip('favourite', 1),
  media_prev_fav: skip('favourite', -1),
  navigation_request: noting((car, body) => {
    sendTo(car, body.text(body.oneOf(...addressFields)), null);
  }),
  navigation_gps_request: noting((car, body) => {
    const at = {
      lat: body.number('lat', { min: -90, max: 90 }),
      lon: body.number('lon', { min: -180, max: 180 }),
    };
    sendTo(car, 'Position', at);
  }),
  navigation_sc_request: noting((car, body) => {
    sendTo(car, `Fast charger ${body.number('id')}`, null);
  }),
  navigation_waypoints_request: noting((car, body) => {
    const stops = body.text('waypoints').split(',');
    sendTo(car, `Stop ${stops.length}`, null);
  }),
  upcoming_calendar_entries: noting(({ state }, body) => {
    body.text('calendar_data');
    state.remote.calendars += 1;
  }),
  take_drivenote: noting(({ state }, body) => {
    state.remote.notes.push(body.text('note'));
  }),
} as const satisfies Record<string, CommandEffect>;
