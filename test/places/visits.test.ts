import { describe, expect, it } from 'vitest';
import { LEAVING_M } from '../../src/ingest/place-visits.ts';
import type { PlaceShape } from '../../src/ingest/places.ts';
import type { IngestEvent } from '../../src/ingest/state.ts';
import { run, seen, T0 } from '../support/trace.ts';

const watch = { enter: true, exit: true };
const home: PlaceShape = {
  id: 'home',
  kind: 'HOME',
  latitude: 47,
  longitude: 9,
  radiusM: 100,
  polygon: null,
  watch,
};

/** The vehicle so far north of the middle of its home. */
function at(seconds: number, metres: number): IngestEvent {
  return seen(seconds, { gear: 'P', latitude: 47 + metres / 111_195, longitude: 9 });
}

function visits(events: readonly IngestEvent[], places: readonly PlaceShape[]) {
  return run(events, { places }).effects.flatMap((effect) =>
    effect.kind === 'event' && effect.type.startsWith('place.')
      ? [[effect.type, effect.data.placeId, (effect.occurredAt - T0) / 1000]]
      : [],
  );
}

describe('a place', () => {
  it('is left and entered once each, at the time of the position', () => {
    const trace = [at(0, 0), at(60, 500), at(120, 2_000), at(180, 500), at(240, 10), at(300, 0)];
    expect(visits(trace, [home])).toEqual([
      ['place.exited', 'home', 60],
      ['place.entered', 'home', 240],
    ]);
  });

  it('makes no events where the position wanders around its border', () => {
    const wandering = [500, 99, 130, 95, 100 + LEAVING_M - 1, 101, 90, 140, 99];
    const trace = wandering.map((metres, index) => at(index * 60, metres));
    expect(visits(trace, [home])).toEqual([['place.entered', 'home', 60]]);
  });

  it('is not entered by a vehicle that is there when it is first heard', () => {
    expect(visits([at(0, 0), at(60, 0)], [home])).toEqual([]);
  });

  it('that is made around a vehicle is not entered, and left as any other', () => {
    const before = run([at(0, 0)], { places: [{ ...home, id: 'other' }] });
    const outcome = run([at(60, 0), at(120, 400)], { places: [home] }, before.state);
    const told = outcome.effects.flatMap((e) => (e.kind === 'event' ? e.type : []));
    expect(told.filter((type) => type.startsWith('place.'))).toEqual(['place.exited']);
  });

  it('that is moved away from a vehicle is not left, nor entered where it is moved to one', () => {
    const before = run([at(0, 0)], { places: [home] });
    const away = { ...home, latitude: 47.1 };
    const types = (events: readonly IngestEvent[], place: PlaceShape, { state } = before) =>
      run(events, { places: [place] }, state).effects.flatMap((effect) =>
        effect.kind === 'event' && effect.type.startsWith('place.') ? effect.type : [],
      );
    expect(types([at(60, 10)], away)).toEqual([]);
    const outside = run([at(0, 0)], { places: [away] });
    expect(types([at(60, 10)], home, outside)).toEqual([]);
  });

  it('tells only of what its owner wants to hear', () => {
    const trace = [at(0, 500), at(60, 0), at(120, 500)];
    const quiet = (enter: boolean, exit: boolean) => [
      { ...home, watch: { ...watch, enter, exit } },
    ];
    expect(visits(trace, quiet(true, false)).map(([type]) => type)).toEqual(['place.entered']);
    expect(visits(trace, quiet(false, true)).map(([type]) => type)).toEqual(['place.exited']);
    expect(visits(trace, quiet(false, false))).toEqual([]);
  });

  it('is left before another one is entered, and one in another one is entered with it', () => {
    const far = { ...home, id: 'far', latitude: 47.1 };
    const town = { ...home, id: 'town', latitude: 47.1, radiusM: 1_000 };
    const trace = [at(0, 0), seen(60, { gear: 'P', latitude: 47.1, longitude: 9 })];
    expect(visits(trace, [far, town, home]).map(([type, id]) => [type, id])).toEqual([
      ['place.exited', 'home'],
      ['place.entered', 'far'],
      ['place.entered', 'town'],
    ]);
  });

  it('is told of once, however often a position comes again', () => {
    const trace = [at(0, 500), at(60, 0), at(60, 0), at(30, 500), at(60, 0)];
    expect(visits(trace, [home])).toHaveLength(1);
  });
});
