import { type Facts, fact, factsOf, unused } from './facts.ts';
import { numberWithin, text, word } from './readers.ts';
import type { MediaInfoWire } from './wire.ts';

const volume = numberWithin(0, 100);

const table: Facts<MediaInfoWire> = {
  media_playback_status: fact(
    'mediaPlaying',
    word({ Playing: true, Paused: false, Stopped: false }),
  ),
  now_playing_title: fact('mediaTitle', text),
  now_playing_artist: fact('mediaArtist', text),
  now_playing_station: fact('mediaStation', text),
  now_playing_source: fact('mediaSource', text),
  audio_volume: fact('mediaVolume', volume),
  audio_volume_max: fact('mediaVolumeMax', volume),
  a2dp_source_name: unused,
  audio_volume_increment: unused,
  now_playing_album: unused,
  now_playing_duration: unused,
  now_playing_elapsed: unused,
};

/** What `vehicle_state.media_info` tells. */
export const mediaFacts = factsOf(table);
