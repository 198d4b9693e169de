import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metresOutside, type PlaceShape, placeAt } from '../../src/ingest/places.ts';
import { type Corners, centreOf, crossesItself, polygonAreaM2 } from '../../src/ingest/polygon.ts';

function circle(id: string, latitude: number, longitude: number, radiusM: number): PlaceShape {
  return { id, kind: 'OTHER', latitude, longitude, radiusM, polygon: null };
}

function polygon(id: string, corners: Corners): PlaceShape {
  return { id, kind: 'OTHER', ...centreOf(corners), radiusM: null, polygon: corners };
}

/** A square with sides of `half * 2` degrees of latitude, on the equator. */
const square = (longitude: number, half: number): Corners => [
  [longitude - half, -half],
  [longitude + half, -half],
  [longitude + half, half],
  [longitude - half, half],
];

const M_PER_DEGREE = 111_195;

describe('a place', () => {
  it('holds what is within its radius, and nothing else', () => {
    const home = circle('home', 47, 9, 100);
    const north = (metres: number) => ({ latitude: 47 + metres / M_PER_DEGREE, longitude: 9 });
    expect(placeAt([home], north(99))?.id).toBe('home');
    expect(placeAt([home], north(101))).toBeNull();
    expect(placeAt([home], null)).toBeNull();
  });

  it('that is a polygon holds its inside and its border', () => {
    const field = polygon('field', square(9, 0.01));
    for (const [longitude, latitude, held] of [
      [9, 0, true],
      [9.01, 0, true],
      [9.01, 0.01, true],
      [9.0100005, 0, false],
      [9, 0.0101, false],
      [8, 0, false],
    ] as const) {
      expect([longitude, latitude, placeAt([field], { latitude, longitude }) !== null]).toEqual([
        longitude,
        latitude,
        held,
      ]);
    }
  });

  it('may be hollow on one side', () => {
    const hook = polygon('hook', [
      [0, 0],
      [0.03, 0],
      [0.03, 0.03],
      [0.02, 0.03],
      [0.02, 0.01],
      [0, 0.01],
    ]);
    expect(placeAt([hook], { latitude: 0.02, longitude: 0.01 })).toBeNull();
    expect(placeAt([hook], { latitude: 0.02, longitude: 0.025 })?.id).toBe('hook');
  });

  it('may lie across the antimeridian, as a polygon and as a circle', () => {
    const island = polygon('island', [
      [179.9, -17],
      [-179.9, -17],
      [-179.9, -16.9],
      [179.9, -16.9],
    ]);
    expect(Math.abs(island.longitude)).toBeCloseTo(180, 6);
    for (const place of [island, circle('buoy', -16.95, -179.9999, 500)]) {
      expect(placeAt([place], { latitude: -16.95, longitude: 179.9999 })?.id).toBe(place.id);
      expect(placeAt([place], { latitude: -16.95, longitude: -179.9999 })?.id).toBe(place.id);
      expect(placeAt([place], { latitude: -16.95, longitude: 0 })).toBeNull();
      expect(placeAt([place], { latitude: -16.95, longitude: 179.5 })).toBeNull();
    }
  });

  it('in another one wins over it, whichever is listed first and whatever its shape', () => {
    const town = polygon('town', square(9, 0.05));
    const park = circle('park', 0, 9, 400);
    const gate = circle('gate', 0.003, 9, 50);
    for (const places of [
      [town, park, gate],
      [gate, park, town],
    ]) {
      expect(placeAt(places, { latitude: 0.003, longitude: 9 })?.id).toBe('gate');
      expect(placeAt(places, { latitude: 0.001, longitude: 9 })?.id).toBe('park');
      expect(placeAt(places, { latitude: 0.02, longitude: 9 })?.id).toBe('town');
    }
  });

  it('is as far away as its border', () => {
    const field = polygon('field', square(9, 0.01));
    const outside = metresOutside(field, { latitude: 0, longitude: 9.02 });
    expect(outside).toBeCloseTo(0.01 * M_PER_DEGREE, 0);
    expect(metresOutside(field, { latitude: 0.009, longitude: 9 })).toBeCloseTo(-111.2, 0);
  });

  it('holds the same position wherever on the equator the two are', () => {
    const degrees = fc.double({ min: -0.02, max: 0.02, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: -180, max: 180 }), degrees, degrees, (shift, x, y) => {
        const at = (longitude: number) => ({
          latitude: y,
          longitude: ((((longitude + x + 180) % 360) + 360) % 360) - 180,
        });
        const here = metresOutside(polygon('a', square(0, 0.01)), at(0));
        const corners = square(shift, 0.01).map(
          ([longitude, latitude]) =>
            [((((longitude + 180) % 360) + 360) % 360) - 180, latitude] as const,
        );
        expect(metresOutside(polygon('a', corners), at(shift))).toBeCloseTo(here, 3);
      }),
    );
  });
});

describe('a polygon', () => {
  it('has the area of its ground', () => {
    expect(polygonAreaM2(square(9, 0.01)) / (0.02 * M_PER_DEGREE) ** 2).toBeCloseTo(1, 3);
  });

  it.each<[string, boolean, Corners]>([
    ['a square', false, square(9, 0.01)],
    [
      'a bow tie',
      true,
      [
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'a spike that comes back',
      true,
      [
        [0, 0],
        [1, 0],
        [2, 0],
        [1, 0.0],
        [1, 1],
      ],
    ],
    [
      'a corner on another edge',
      true,
      [
        [0, 0],
        [2, 0],
        [2, 1],
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'a triangle',
      false,
      [
        [0, 0],
        [1, 0],
        [0, 1],
      ],
    ],
  ])('%s crosses itself: %s', (_, expected, corners) => {
    expect(crossesItself(corners)).toBe(expected);
  });
});
