import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/base/units.ts';
import { createIntake, type Intake } from '../../src/ingest/intake.ts';
import { type MqttSource, startMqttSource } from '../../src/transports/mqtt/source.ts';
import { boot } from '../support/boot.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts';
import { type Broker, mosquittoMissing, startBroker } from '../support/mosquitto.ts';
import { newStreamed, streamIngest } from '../support/streamed.ts';
import { MPH_60, miles, place, S0 } from '../support/telemetry.ts';

const missing = mosquittoMissing();
const unlessMissing = missing === null ? describe : describe.skip;
const name = missing === null ? '' : `: ${missing}`;

let count = 0;

/** A VIN that no other test of this file uses. */
function newVin(): string {
  count += 1;
  return `TEST${String(count).padStart(13, '0')}`;
}

unlessMissing(`telemetry from an MQTT broker${name}`, () => {
  let db: ScratchDatabase;
  let broker: Broker;
  let server: MqttClient;
  beforeAll(async () => {
    db = await scratchDatabase('embedded');
    broker = await startBroker();
    server = await broker.client('telemetry-server');
  });
  afterAll(async () => {
    await server.endAsync(true);
    await broker[Symbol.asyncDispose]();
    await db.close();
  });

  /** A source at the broker, with a base of topics and a session of its own. */
  function sourceOf(base: string, over: { intake?: Intake; clock?: () => number } = {}) {
    const clock = over.clock ?? (() => S0);
    const intake = over.intake ?? createIntake({ prisma: db.prisma, clock });
    const { url, username, password } = broker;
    const at = { url, username, password, clientId: `odograph-${base}`, base };
    return startMqttSource({ broker: at, intake, clock, log: silentLog });
  }

  /** Publishes a field as the maker's server does. */
  const publish = (base: string, vin: string, topic: string, value: unknown, retain = false) =>
    server.publishAsync(`${base}/${vin}/${topic}`, JSON.stringify(value), { qos: 1, retain });

  const until = (source: MqttSource, look: () => Promise<boolean> | boolean) =>
    expect
      .poll(look, { timeout: 30_000, interval: 20 })
      .toBe(true)
      .then(() => source);

  const kept = async (vehicleId: string) =>
    (await db.prisma.ingestRecord.findMany({ where: { vehicleId }, orderBy: { at: 'asc' } })).map(
      ({ data }) => JSON.parse(data),
    );

  it('becomes the same drives as records that come over HTTP', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const ingest = streamIngest(db.prisma, S0);
    const source = sourceOf('day', { clock: ingest.clock });
    await until(source, () => source.counts.connected === 1);
    const told: [number, string, unknown][] = [
      [0, 'Gear', 'ShiftStateP'],
      [0, 'Odometer', miles(1_000)],
      [0, 'Soc', '80.5'],
      [60, 'Gear', 'D'],
      [60, 'Location', place(0).locationValue],
      ...[1, 2, 3, 4].flatMap((minute): [number, string, unknown][] => [
        [60 + minute * 60, 'VehicleSpeed', { value: MPH_60 + minute / 10 }],
        [60 + minute * 60, 'Location', place(minute).locationValue],
      ]),
      [320, 'Gear', null],
      [330, 'VehicleSpeed', 0],
      [330, 'Gear', 'ShiftStateP'],
      [331, 'Odometer', miles(1_004.2)],
    ];
    for (const [second, field, value] of told) {
      ingest.clock.at = S0 + second * SECOND_MS;
      const { messages } = source.counts;
      await publish('day', vin, `v/${field}`, value);
      await until(source, () => source.counts.messages > messages);
    }
    await until(
      source,
      async () => (await kept(vehicle.id)).flatMap(({ data }) => data).length === told.length,
    );
    await source.close();
    await ingest.settle();
    const drives = await db.prisma.drive.findMany({ where: { vehicleId: vehicle.id } });
    expect(drives).toMatchObject([
      {
        ...{ state: 'ENDED', distanceKm: 4.2, startBatteryLevelPct: 80.5, source: 'STREAM' },
        ...{ startedAt: new Date(S0 + MINUTE_MS), endedAt: new Date(S0 + 330 * SECOND_MS) },
      },
    ]);
  });

  it('of every topic comes into the journal, and of what is none nothing', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const source = sourceOf('fleet/eu', { clock: () => S0 + HOUR_MS });
    await until(source, () => source.counts.connected === 1);
    const time = '2026-03-02T08:10:00Z';
    await publish('fleet/eu', vin, 'connectivity', {
      ...{ ConnectionId: 'c1', Status: 'CONNECTED', CreatedAt: time },
    });
    await publish('fleet/eu', vin, 'alerts/DI_a175/current', { StartedAt: time, Audiences: [] });
    await publish('fleet/eu', vin, 'alerts/DI_a175/history', [
      { StartedAt: time, EndedAt: null, Audiences: ['Customer'] },
    ]);
    await publish('fleet/eu', vin, 'errors/cloud_down', {
      Body: 'no',
      Tags: { a: 'b' },
      CreatedAt: time,
    });
    await publish('fleet/eu', 'no-vehicle', 'v/Soc', 1);
    await server.publishAsync(`fleet/eu/${vin}/v/Soc`, '{', { qos: 1 });
    await publish('fleet/eu', vin, 'v/Soc', 70);
    await until(source, async () => (await kept(vehicle.id)).length === 4);
    await source.close();
    const [link, wrong, ...others] = await kept(vehicle.id);
    expect([link, wrong]).toEqual(
      expect.arrayContaining([
        { vin, createdAt: time, status: 'CONNECTED', connectionId: 'c1' },
        {
          ...{ vin, createdAt: time },
          errors: [{ name: 'cloud_down', body: 'no', tags: { a: 'b' }, createdAt: time }],
        },
      ]),
    );
    expect(others).toMatchObject([
      { alerts: [{ name: 'DI_a175', startedAt: time, audiences: ['Customer'] }] },
      { data: [{ key: 'Soc', value: { value: 70 } }] },
    ]);
    expect(source.counts).toMatchObject({ rejected: 2, retries: 0 });
  });

  it('waits at the broker while the service is away, also over a restart of the broker', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const first = sourceOf('away');
    await until(first, () => first.counts.connected === 1);
    await publish('away', vin, 'v/Soc', 80);
    await until(first, async () => (await kept(vehicle.id)).length === 1);
    await first.close();
    await publish('away', vin, 'v/Soc', 79);
    await broker.stop();
    await broker.start();
    const second = sourceOf('away', { clock: () => S0 + HOUR_MS });
    await until(second, async () => (await kept(vehicle.id)).length === 2);
    await second.close();
    expect((await kept(vehicle.id)).map(({ data }) => data[0].value.value)).toEqual([80, 79]);
  });

  it('goes on by itself after the broker was gone', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const source = sourceOf('gone');
    await until(source, () => source.counts.connected === 1);
    await broker.stop();
    await until(source, () => source.counts.connected === 0);
    await broker.start();
    await until(source, () => source.counts.connected === 1);
    await publish('gone', vin, 'v/Soc', 60);
    await until(source, async () => (await kept(vehicle.id)).length === 1);
    await source.close();
  });

  it('is acknowledged only when it is committed', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    const real = createIntake({ prisma: db.prisma, clock: () => S0 });
    const outage: Intake = {
      counts: real.counts,
      take: () => Promise.reject(new Error('The database is away.')),
    };
    const failing = sourceOf('held', { intake: outage });
    await until(failing, () => failing.counts.connected === 1);
    for (const level of [50, 49, 48]) await publish('held', vin, 'v/Soc', level);
    await until(failing, () => failing.counts.messages === 3 && failing.counts.retries > 0);
    await failing.close();
    expect(await kept(vehicle.id)).toEqual([]);
    const source = sourceOf('held', { intake: real });
    await until(source, async () => (await kept(vehicle.id)).length === 3);
    await source.close();
    expect((await kept(vehicle.id)).map(({ data }) => data[0].value.value)).toEqual([50, 49, 48]);
  });

  it('that the broker retained is left out, because it has no time', async () => {
    const vin = newVin();
    const vehicle = await newStreamed(db.prisma, vin);
    await publish('old', vin, 'v/Gear', 'ShiftStateD', true);
    const source = sourceOf('old');
    await until(source, () => source.counts.messages === 1);
    await publish('old', vin, 'v/Soc', 55);
    await until(source, async () => (await kept(vehicle.id)).length === 1);
    await source.close();
    expect(await kept(vehicle.id)).toMatchObject([{ data: [{ key: 'Soc' }] }]);
  });

  it('is taken by the service that is set so, and counted in its metrics', async () => {
    await using booted = await boot({
      environment: {
        ODOGRAPH_MQTT_URL: broker.url,
        ODOGRAPH_MQTT_USERNAME: broker.username,
        ODOGRAPH_MQTT_PASSWORD: broker.password,
      },
    });
    const metrics = async () => (await booted.get('/metrics')).text();
    await expect.poll(metrics, { timeout: 30_000 }).toContain('odograph_mqtt_connected 1');
    await publish('telemetry', newVin(), 'v/Soc', 55);
    await expect
      .poll(metrics, { timeout: 30_000 })
      .toContain('odograph_telemetry_unknown_vehicle 1');
    expect(booted.logLines.join('\n')).not.toContain(broker.password);
  });
});
