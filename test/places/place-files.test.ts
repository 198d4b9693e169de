import { describe, expect, it } from 'vitest';
import { placesInFile } from '../../src/actions/place-files.ts';
import { readNewPlaces } from '../../src/actions/place-input.ts';
import { ServiceError } from '../../src/base/errors.ts';

const read = (format: 'GEOJSON' | 'CSV', text: string) => readNewPlaces(placesInFile(format, text));

const ring = [
  [9, 47],
  [9.01, 47],
  [9.01, 47.01],
  [9, 47.01],
  [9, 47],
];

const geoJson = (...features: object[]) => JSON.stringify({ type: 'FeatureCollection', features });

function feature(geometry: object, properties: object = { name: 'Field' }): object {
  return { type: 'Feature', geometry, properties };
}

function refusal(work: () => unknown): { code: string; fields: string[] } {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError)
      return { code: error.code, fields: Object.keys(error.fields ?? {}) };
    throw error;
  }
  throw new Error('It was taken.');
}

describe('a file of places', () => {
  it('of GeoJSON has points with their radius and polygons without their holes', () => {
    const hole = [
      [9.001, 47.001],
      [9.002, 47.001],
      [9.002, 47.002],
      [9.001, 47.001],
    ];
    const text = geoJson(
      feature(
        { type: 'Point', coordinates: [9, 47, 450] },
        { name: 'Home', radius_m: 80, kind: 'HOME' },
      ),
      feature({ type: 'Point', coordinates: [9, 47] }, { name: 'Somewhere', colour: 'red' }),
      feature(
        { type: 'Polygon', coordinates: [ring, hole] },
        { name: 'Field', auto_tags: ['hay'] },
      ),
      feature({ type: 'MultiPolygon', coordinates: [[ring]] }),
    );
    const places = read('GEOJSON', text);
    expect(places).toMatchObject([
      { name: 'Home', kind: 'HOME', latitude: 47, longitude: 9, radiusM: 80, polygon: null },
      { name: 'Somewhere', kind: 'OTHER', radiusM: 100 },
      { name: 'Field', autoTags: ['hay'], radiusM: null },
      { name: 'Field' },
    ]);
    // The first corner comes once, and the hole is no part of the place.
    expect(places[2]?.polygon).toEqual(ring.slice(0, 4));
    expect(places[2]?.latitude).toBeCloseTo(47.005, 6);
  });

  it('of CSV has quoted cells, tags and truths, whatever ends its lines', () => {
    const text =
      '\uFEFFname,latitude,longitude,radius_m,kind,auto_tags,notify_enter\r\n' +
      '"Home, sweet ""home""",47,9,80,HOME,a; b ;,true\r\nLake,47.5,9.5,,,,\n\n';
    expect(read('CSV', text)).toMatchObject([
      {
        name: 'Home, sweet "home"',
        latitude: 47,
        radiusM: 80,
        kind: 'HOME',
        autoTags: ['a', 'b'],
        notifyEnter: true,
      },
      { name: 'Lake', latitude: 47.5, longitude: 9.5, radiusM: 100, autoTags: [] },
    ]);
  });

  it.each<[string, 'GEOJSON' | 'CSV', string, string[]]>([
    ['that is no JSON', 'GEOJSON', '{', ['data']],
    ['with a line', 'GEOJSON', geoJson(feature({ type: 'LineString', coordinates: [] })), ['data']],
    [
      'with a place without a name',
      'GEOJSON',
      geoJson(feature({ type: 'Point', coordinates: [9, 47] }, {})),
      ['0.name'],
    ],
    [
      'with a place off the earth, as the second one',
      'CSV',
      'name,latitude,longitude\nA,1,2\nB,91,2\n',
      ['1.latitude'],
    ],
    ['with a number that is none', 'CSV', 'name,latitude,longitude\nA,x,2\n', ['0.latitude']],
    ['with a strange column', 'CSV', 'name,lat,lon\nA,1,2\n', ['data']],
    ['with a short row', 'CSV', 'name,latitude,longitude\nA,1\n', ['data']],
    ['with an open quote', 'CSV', 'name,latitude,longitude\n"A,1,2\n', ['data']],
    ['that is empty', 'CSV', '', ['data']],
  ])('%s is refused', (_, format, text, fields) => {
    expect(refusal(() => read(format, text))).toEqual({ code: 'validation_failed', fields });
  });

  it.each<[string, number[][]]>([
    [
      'with two corners',
      [
        [9, 47],
        [9.1, 47],
        [9, 47],
      ],
    ],
    [
      'whose edges cross',
      [
        [9, 47],
        [9.1, 47.1],
        [9.1, 47],
        [9, 47.1],
      ],
    ],
    [
      'that is a line',
      [
        [9, 47],
        [9.1, 47],
        [9.2, 47],
      ],
    ],
    [
      'as large as a country',
      [
        [9, 47],
        [12, 47],
        [12, 49],
      ],
    ],
    [
      'of a few steps',
      [
        [9, 47],
        [9.0001, 47],
        [9.0001, 47.0001],
      ],
    ],
  ])('with a polygon %s is refused', (_, corners) => {
    const text = geoJson(feature({ type: 'Polygon', coordinates: [corners] }));
    expect(refusal(() => read('GEOJSON', text)).fields).toEqual(['0.polygon']);
  });
});
