import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { typeIdOf } from '../../src/base/ids.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import type { Account, Vehicle } from '../../src/store/generated/prisma/client.ts';
import { documentsOf } from '../../src/transports/rest/documents.ts';
import { exportText } from '../../src/transports/rest/export.ts';
import { csvWriter } from '../../src/transports/rest/formats/csv.ts';
import { describeEachEngine } from '../support/database.ts';
import {
  aContext,
  aDrive,
  anAccount,
  aPrincipal,
  aSample,
  aVehicle,
  now,
  storeSamples,
} from '../support/rows.ts';
import { every } from './requests.ts';
import { type RestService, startRest } from './rest-service.ts';
import { parseXml } from './xml.ts';

/** Drives a day apart over more than the 31 days that one answer may hold, of so many samples each. */
const DRIVES = 33;
const SAMPLES = 250;

let rest: RestService;
let token: string;
let account: Account;
let vehicle: Vehicle;
let base: string;

/** When a sample of a drive was. */
const timeOf = (drive: number, sample: number) =>
  now - 60 * DAY_MS + drive * DAY_MS + sample * SECOND_MS;

function samplesOf(drive: number) {
  return Array.from({ length: SAMPLES }, (_, n) =>
    aSample(timeOf(drive, n), {
      latitude: 50 + drive / 100 + n / 10_000,
      longitude: 10 + n / 10_000,
      speedKmh: n % 130,
    }),
  );
}

async function fill(): Promise<void> {
  const { prisma } = rest.db;
  account = await anAccount(prisma);
  vehicle = await aVehicle(prisma, account);
  await storeSamples(
    prisma,
    vehicle,
    Array.from({ length: DRIVES }, (_, n) => samplesOf(n)).flat(),
  );
  token = await rest.token(account.id, ['vehicles']);
  base = `/api/vehicle/${vehicle.publicId}`;
}

async function text(target: string, as = token): Promise<string> {
  const response = await rest.get(target, as);
  const body = await response.text();
  expect([target, response.status, body.slice(0, 200)]).toEqual([target, 200, expect.anything()]);
  return body;
}

const timesInCsv = (csv: string) =>
  csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0]);
const times = (drives: readonly number[]) =>
  drives.flatMap((drive) => samplesOf(drive).map(({ at }) => new Date(at).toISOString()));
const everyDrive = Array.from({ length: DRIVES }, (_, n) => n);

describeEachEngine('an export', (engine) => {
  beforeAll(async () => {
    rest = await startRest({ engine });
    await fill();
  });
  afterAll(() => rest?.[Symbol.asyncDispose]());

  it('as CSV holds every point of the whole history once, in order', async () => {
    const csv = await text(`${base}/export?format=csv`);
    expect(csv.startsWith('at,latitude,longitude,heading_deg,speed_kmh,')).toBe(true);
    expect(timesInCsv(csv)).toEqual(times(everyDrive));
  });

  it('as JSON is the body of a list, with its count', async () => {
    const body = z
      .object({
        code: z.literal(200),
        response: z.array(z.looseObject({ at: z.string() })),
        count: z.number(),
      })
      .parse(JSON.parse(await text(`${base}/export`)));
    expect(body.count).toBe(DRIVES * SAMPLES);
    expect(body.response.map(({ at }) => at)).toEqual(times(everyDrive));
    expect(body.response[1]).toMatchObject({ latitude: 50.0001, speed_kmh: 1, power_kw: null });
  });

  it('as GPX is one track with a segment for each drive', async () => {
    const gpx = parseXml(await text(`${base}/export?format=gpx`));
    const segments = gpx.children[0]?.children.filter(({ name }) => name === 'trkseg') ?? [];
    expect(segments.map(({ children }) => children.length)).toEqual(everyDrive.map(() => SAMPLES));
  });

  it('as GeoJSON is a collection with a line for each drive, and nothing between them', async () => {
    const feature = z.object({
      type: z.literal('Feature'),
      geometry: z.object({
        type: z.literal('LineString'),
        coordinates: z.array(z.tuple([z.number(), z.number()])),
      }),
      properties: z.object({ at: z.array(z.string()), speed_kmh: z.array(z.number()) }),
    });
    const { features } = z
      .object({ type: z.literal('FeatureCollection'), features: z.array(feature) })
      .parse(JSON.parse(await text(`${base}/export?format=geojson`)));
    expect(features.flatMap(({ properties }) => properties.at)).toEqual(times(everyDrive));
    expect(features.map(({ geometry }) => geometry.coordinates.length)).toEqual(
      everyDrive.map(() => SAMPLES),
    );
  });

  it('holds what lies in the range asked for, both ends included', async () => {
    const at = (ms: number) => new Date(ms).toISOString();
    const range = `from=${at(timeOf(3, 10))}&to=${at(timeOf(4, 5))}`;
    expect(timesInCsv(await text(`${base}/export?format=csv&${range}`))).toEqual(
      times([3, 4]).slice(10, SAMPLES + 6),
    );
  });

  it('of a drive holds its points alone', async () => {
    const row = await aDrive(rest.db.prisma, vehicle, 0, {
      startedAt: new Date(timeOf(7, 0)),
      endedAt: new Date(timeOf(7, SAMPLES)),
    });
    const csv = await text(`${base}/drives/${typeIdOf('Drive', row.id)}/export?format=csv`);
    expect(timesInCsv(csv)).toEqual(times([7]));
    await rest.db.prisma.drive.delete({ where: { id: row.id } });
  });
});

describe('an export of a list', () => {
  const ROWS = 450;
  beforeAll(async () => {
    rest = await startRest();
    const { prisma } = rest.db;
    account = await anAccount(prisma);
    vehicle = await aVehicle(prisma, account);
    const { id } = await aDrive(prisma, vehicle, 0, { note: '=HYPERLINK("x")', tags: ['a', 'b'] });
    await prisma.$executeRaw`
      INSERT INTO drive SELECT copy.* FROM drive, generate_series(2, ${ROWS}) AS number,
        jsonb_populate_record(drive, jsonb_build_object('id', gen_random_uuid(), 'note', NULL,
          'started_at', started_at - number * interval '2 hours')) AS copy
      WHERE drive.id = ${id}::uuid`;
    token = await rest.token(account.id, ['vehicles']);
    base = `/api/vehicle/${vehicle.publicId}`;
  });
  afterAll(() => rest?.[Symbol.asyncDispose]());

  it('as CSV holds the rows of all pages, and of objects inside a column each', async () => {
    const response = await rest.get(`${base}/drives?format=csv`, token);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="drives.csv"');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
    expect(head.split(',')).toEqual(
      expect.arrayContaining(['id', 'started_at', 'start_odometer_km', 'start_location_latitude']),
    );
    expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(ROWS);
    expect(lines[0]).toContain(`"'=HYPERLINK(""x"")"`);
    expect(lines[0]).toContain('"[""a"",""b""]"');
  });

  it('follows filters, order and choice of fields', async () => {
    const oldest = await rest.get(
      `${base}/drives?format=csv&fields=started_at&order=started_at:asc&to=${new Date(now - 30 * DAY_MS).toISOString()}`,
      token,
    );
    const [head, ...rows] = (await oldest.text()).trimEnd().split('\r\n');
    expect(head).toBe('started_at');
    expect(rows).toEqual([...rows].sort());
    expect(rows.at(-1)?.localeCompare(new Date(now - 30 * DAY_MS).toISOString())).toBe(-1);
    expect(rows.length).toBeGreaterThan(50);
  });

  it.each(['limit=5', 'cursor=aWyJkcml2ZXMiLDFd', 'include_total=1'])(
    'refuses %s, which is of a page',
    async (parameter) => {
      const response = await rest.get(`${base}/drives?format=csv&${parameter}`, token);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ error: 'validation_failed' });
    },
  );

  it('of nothing is a header', async () => {
    const csv = await (await rest.get(`${base}/charges?format=csv`, token)).text();
    expect(csv).toMatch(/^id,[^\r\n]*\r\n$/);
  });

  it('is refused with an error body before anything is sent', async () => {
    const other = await rest.token((await anAccount(rest.db.prisma)).id, ['vehicles']);
    for (const target of ['/export?format=gpx', '/drives?format=csv']) {
      const response = await rest.get(base + target, other);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'application/json; charset=utf-8',
      ]);
    }
    expect((await rest.get(`${base}/export?format=kml`, token)).status).toBe(422);
    expect((await rest.get(`${base}/drives?format=gpx`, token)).status).toBe(422);
  });

  it('answers HEAD with its headers alone', async () => {
    const response = await fetch(`${rest.baseUrl}${base}/drives?format=csv`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}` },
    });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    expect(response.headers.get('content-type')).toContain('text/csv');
  });

  it('tells a token that may not learn positions none', async () => {
    await storeSamples(rest.db.prisma, vehicle, [
      aSample(now - 5 * MINUTE_MS, { latitude: 52.5, longitude: 13.4, speedKmh: 30 }),
    ]);
    const hidden = await rest.token(account.id, ['vehicles'], { locationPrecision: 'HIDDEN' });
    const gpx = await text(`${base}/export?format=gpx`, hidden);
    expect(gpx).not.toContain('trkpt');
    parseXml(gpx);
    const csv = await text(`${base}/export?format=csv`, hidden);
    expect(csv).not.toContain('52.5');
    expect(csv.trimEnd().split('\r\n')).toHaveLength(2);
  });

  const partsRead = () =>
    rest.db.statements.filter((sql) => sql.includes('track_batch') && sql.includes('LATERAL'))
      .length;

  describe('of a long history', () => {
    let target: string;
    beforeAll(async () => {
      const long = await aVehicle(rest.db.prisma, account);
      const samples = Array.from({ length: 30_000 }, (_, n) =>
        aSample(now - 400 * DAY_MS + n * SECOND_MS, { latitude: 40 + n / 1e6, longitude: 9 }),
      );
      await storeSamples(rest.db.prisma, long, samples);
      target = `/api/vehicle/${long.publicId}/export`;
    });

    it('is read part by part, each only when the one before was taken', async () => {
      const endpoint = every.find(({ route }) => route.operation === 'VehicleTrack');
      if (endpoint === undefined) throw new Error('There is no such route.');
      rest.db.statements.length = 0;
      const pieces = await exportText(endpoint, {
        given: new Map([['public_id', target.split('/')[3]]]),
        prepared: documentsOf(endpoint)(null),
        newContext: () => aContext(rest.db.prisma, aPrincipal(account)),
        writer: csvWriter(endpoint.answer.fields ?? []),
      });
      const lengths: number[] = [];
      const read: number[] = [];
      for await (const piece of pieces) {
        lengths.push(piece.split('\r\n').length);
        read.push(partsRead());
      }
      expect(Math.max(...lengths)).toBeLessThan(9_000);
      expect(read).toEqual(read.map((_, index) => Math.min(index + 1, read.at(-1) ?? 0)));
      expect(read.length).toBeGreaterThan(4);
    });

    it('is read no further when the reader leaves', async () => {
      rest.db.statements.length = 0;
      const asking = request(rest.baseUrl + target, {
        headers: { authorization: `Bearer ${token}` },
      });
      asking.end();
      const [response] = await once(asking, 'response');
      response.destroy();
      // What comes and goes meanwhile gives the service its time.
      const meanwhile = async () => {
        for (let n = 0; n < 20; n += 1) await rest.get('/api/commands/catalogue');
        return partsRead();
      };
      const read = await meanwhile();
      expect(read).toBeLessThan(6);
      expect(await meanwhile()).toBe(read);
    });
  });
});
