import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { typeIdOf } from '../../src/base/ids.ts';
import { csvField } from '../../src/transports/rest/formats/csv.ts';
import { gpxWriter } from '../../src/transports/rest/formats/gpx.ts';
import { written } from '../../src/transports/rest/formats/row-writer.ts';
import { aDrive, anAccount, aSample, aVehicle, now, storeSamples } from '../support/rows.ts';
import { type RestService, startRest } from './rest-service.ts';
import { parseXml } from './xml.ts';

const POINTS = 40;

let rest: RestService;
let token: string;
let base: string;
let drive: string;
let still: string;
beforeAll(async () => {
  rest = await startRest();
  const { prisma } = rest.db;
  const account = await anAccount(prisma);
  const vehicle = await aVehicle(prisma, account);
  const startedAt = new Date(now - 86_400_000);
  const row = await aDrive(prisma, vehicle, 1, { startedAt });
  const samples = Array.from({ length: POINTS }, (_, index) =>
    aSample(startedAt.getTime() + index * 10_000, {
      latitude: 52.5 + index * 0.001,
      longitude: 13.4 + (index % 5) * 0.002,
      speedKmh: index,
    }),
  );
  await storeSamples(prisma, vehicle, samples);
  const unseen = await aDrive(prisma, vehicle, 3);
  base = `/api/vehicle/${vehicle.publicId}`;
  drive = typeIdOf('Drive', row.id);
  still = typeIdOf('Drive', unseen.id);
  token = await rest.token(account.id, ['vehicles']);
});
afterAll(() => rest?.[Symbol.asyncDispose]());

async function path(query: string, id = drive, headers = {}) {
  const response = await rest.get(`${base}/drives/${id}/path?${query}`, token, headers);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const points = z.object({
  response: z.object({ points: z.array(z.looseObject({ at: z.string() })) }),
});

async function jsonPoints(query = '') {
  return points.parse(JSON.parse((await path(query)).text)).response.points;
}

describe('a path as GPX', () => {
  it('is one track of one segment with the points of the JSON, in their order', async () => {
    const { text, headers } = await path('format=gpx');
    expect(headers.get('content-type')).toBe('application/gpx+xml; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${drive}.gpx"`);
    const gpx = parseXml(text);
    expect(gpx).toMatchObject({
      name: 'gpx',
      attributes: { version: '1.1', xmlns: 'http://www.topografix.com/GPX/1/1' },
    });
    const segment = gpx.children[0]?.children.find(({ name }) => name === 'trkseg');
    const wanted = (await jsonPoints()).map(({ at, latitude, longitude }) => [
      at,
      `${latitude}`,
      `${longitude}`,
    ]);
    const found = segment?.children.map(({ attributes, children }) => [
      children.find(({ name }) => name === 'time')?.text,
      attributes.lat,
      attributes.lon,
    ]);
    expect(found).toEqual(wanted);
    expect(found).toHaveLength(POINTS);
  });

  it('is well-formed whatever the name, and without points', () => {
    expect(
      parseXml(written(gpxWriter('<a> & "b"\0\uFFFF'), [])).children[0]?.children[0]?.text,
    ).toBe('<a> & "b"');
  });
});

describe('a path as GeoJSON', () => {
  const feature = z.strictObject({
    type: z.literal('Feature'),
    id: z.string(),
    geometry: z.strictObject({
      type: z.literal('LineString'),
      coordinates: z.array(z.tuple([z.number(), z.number()])).min(2),
    }),
    properties: z.record(z.string(), z.array(z.unknown())),
  });

  it('is a feature with longitude first, and lists as long as the line', async () => {
    const { text, headers } = await path('format=geojson');
    expect(headers.get('content-type')).toBe('application/geo+json; charset=utf-8');
    const { id, geometry, properties } = feature.parse(JSON.parse(text));
    const wanted = await jsonPoints();
    expect(id).toBe(drive);
    expect(geometry.coordinates).toEqual(
      wanted.map(({ latitude, longitude }) => [longitude, latitude]),
    );
    expect(properties.speed_kmh).toEqual(wanted.map(({ speed_kmh }) => speed_kmh));
    for (const list of Object.values(properties)) expect(list).toHaveLength(POINTS);
  });

  it('has no geometry without positions', async () => {
    expect(JSON.parse((await path('format=geojson', still)).text)).toMatchObject({
      geometry: null,
    });
  });
});

describe('a path as CSV', () => {
  it('has a header and a line for each point, with every field of the JSON', async () => {
    const { text, headers } = await path('format=csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head = '', ...lines] = text.split('\r\n');
    expect(lines.pop()).toBe('');
    const names = head.split(',');
    const rows = lines.map((line) =>
      Object.fromEntries(line.split(',').map((value, index) => [names[index], value])),
    );
    const wanted = (await jsonPoints()).map((point) =>
      Object.fromEntries(
        Object.entries(point).map(([name, value]) => [name, value === null ? '' : `${value}`]),
      ),
    );
    expect(rows).toEqual(wanted);
  });

  it.each([
    [null, ''],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    [1.5, '1.5'],
    [false, 'false'],
    [-1.5, '-1.5'],
    ['=1+2', "'=1+2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2 | cmd', "'-2 | cmd"],
    ['+1', "'+1"],
    ['\t=1', "'\t=1"],
    ['\r=1,2', '"\'\r=1,2"'],
    ['\n=1,2', '"\'\n=1,2"'],
    ['＝1+2', "'＝1+2"],
    ['＋1', "'＋1"],
    ['－2 | cmd', "'－2 | cmd"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
  ])('quotes %j as %j', (value, text) => expect(csvField(value)).toBe(text));
});

describe('the form of a path', () => {
  it.each([
    ['application/geo+json', 'application/geo+json'],
    ['text/csv, application/json;q=0.5', 'text/csv'],
    ['text/*', 'text/csv'],
    ['*/*', 'application/json'],
    ['application/gpx+xml;q=0.2, application/json;q=0.1', 'application/gpx+xml'],
  ])('follows Accept: %s', async (accept, type) => {
    const { headers } = await path('', drive, { accept });
    expect(headers.get('content-type')).toContain(type);
    expect(headers.get('vary')).toContain('Accept');
  });

  it('is refused with 406 where Accept leaves it out', async () => {
    expect((await path('', drive, { accept: 'image/png' })).status).toBe(406);
  });

  it('is the one asked for by name, whatever Accept says: clients send application/json with everything', async () => {
    const answer = await path('format=gpx', drive, { accept: 'application/json' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/gpx+xml');
  });

  it('is refused with 422 for one that does not exist', async () => {
    expect((await path('format=kml')).status).toBe(422);
  });
});

describe('the points of a path', () => {
  it('are thinned to as many as asked for, first and last among them', async () => {
    const all = await jsonPoints();
    const few = await jsonPoints('max_points=4');
    expect(few).toHaveLength(4);
    expect([few[0], few.at(-1)]).toEqual([all[0], all.at(-1)]);
  });

  it('are fewer when simplified', async () => {
    expect((await jsonPoints('simplify=150')).length).toBeLessThan(POINTS);
  });

  it('are all there over a range of time, and apart by the interval', async () => {
    const from = new Date(now - 86_400_000).toISOString();
    const to = new Date(now - 80_000_000).toISOString();
    const read = async (more: string) => {
      const response = await rest.get(`${base}/positions?from=${from}&to=${to}${more}`, token);
      return points.parse(await response.json()).response.points.map(({ at }) => Date.parse(at));
    };
    expect(await read('')).toHaveLength(POINTS);
    const apart = await read('&interval=35');
    expect(apart).toHaveLength(POINTS / 4);
    expect(apart.slice(1).map((at, index) => at - (apart[index] ?? 0))).toEqual(
      Array(9).fill(40_000),
    );
  });
});
