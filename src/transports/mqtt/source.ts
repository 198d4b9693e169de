import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type IPublishPacket, type MqttClient } from 'mqtt';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { SECOND_MS } from '../../base/units.ts';
import type { Intake } from '../../ingest/intake.ts';
import { type MqttTold, mqttTopics, readMqtt } from '../../maker/telemetry-mqtt.ts';
import { type Arrived, type Gathering, gathering } from './gathering.ts';

/** Where the maker's telemetry server publishes, and who we are there. */
export type MqttBroker = {
  url: string;
  username: string | null;
  password: string | null;
  /** What the broker keeps our session by; two services under one name would push each other out. */
  clientId: string;
  /** First levels of every topic. */
  base: string;
};

/** What the source counts, for the metrics. */
export type MqttCounts = { connected: number; messages: number; rejected: number; retries: number };

export type MqttSource = { counts: MqttCounts; close: () => Promise<void> };

type SourceParts = { broker: MqttBroker; intake: Intake; clock: Clock; log: Log };

const RECONNECT_MS = 2 * SECOND_MS;
/** How long messages that could not be committed wait for the next attempt; the broker holds what follows them. */
const RETRY_MS = 2 * SECOND_MS;
/** Messages taken from the broker and not committed yet; beyond them nothing more is read from the socket. */
const MOST_WAITING = 1_000;

/**
 * Takes what the maker's telemetry server publishes at a broker into the same journal as what comes over HTTP. A message is
 * acknowledged when it is committed, and the session outlives us: what is published while the service is away waits at
 * the broker. What the broker retained is left out, because nobody knows from when it is.
 */
export function startMqttSource(parts: SourceParts): MqttSource {
  const { broker, log } = parts;
  const counts: MqttCounts = { connected: 0, messages: 0, rejected: 0, retries: 0 };
  const stop = new AbortController();
  const client = connect(broker.url, {
    clientId: broker.clientId,
    clean: false,
    protocolVersion: 4,
    reconnectPeriod: RECONNECT_MS,
    reconnectOnConnackError: true,
    ...(broker.username === null ? {} : { username: broker.username }),
    ...(broker.password === null ? {} : { password: broker.password }),
  });
  const desk: Desk = {
    ...{ ...parts, client, counts, stop: stop.signal, gather: gathering() },
    ...{ waiting: [], held: null, running: null },
  };
  client.handleMessage = (packet, next) => arrived(desk, packet, next);
  follow(desk);
  log.info({ base: broker.base }, 'Telemetry is taken from an MQTT broker.');
  return {
    counts,
    close: async () => {
      stop.abort();
      await desk.running;
      await client.endAsync();
    },
  };
}

type Waiting = Arrived & { ack: (() => void) | null };

type Desk = SourceParts & {
  client: MqttClient;
  counts: MqttCounts;
  gather: Gathering;
  waiting: Waiting[];
  /** Lets the library read on. */
  held: (() => void) | null;
  /** The commits that are under way. */
  running: Promise<void> | null;
  stop: AbortSignal;
};

function arrived(
  desk: Desk,
  { topic, payload, qos, messageId, retain }: IPublishPacket,
  next: (error?: Error) => void,
): void {
  desk.counts.messages += 1;
  const told: MqttTold = retain
    ? { kind: 'nothing' }
    : readMqtt(desk.broker.base, topic, payload.toString());
  const ack = qos === 0 ? null : acknowledgement(desk.client, messageId ?? 0);
  desk.waiting.push({ told, at: desk.clock(), ack });
  commitInTurn(desk);
  // An error keeps the library from acknowledging, which is ours to do, and is told to nobody.
  const readOn = () => next(new Error('It is acknowledged when it is committed.'));
  if (desk.waiting.length < MOST_WAITING) readOn();
  else desk.held = readOn;
}

function commitInTurn(desk: Desk): void {
  desk.running ??= commitWaiting(desk).finally(() => {
    desk.running = null;
    if (desk.waiting.length > 0 && !desk.stop.aborted) commitInTurn(desk);
  });
}

/** Subscribes at every connection, because the broker may have forgotten us, and tells of the link once for each change. */
function follow({ client, broker, counts, log }: Desk): void {
  let told = false;
  client.on('connect', () => {
    counts.connected = 1;
    told = false;
    client.subscribe(mqttTopics(broker.base), { qos: 1 }, (error) => {
      if (error) log.error({ err: error }, 'The MQTT broker does not let us subscribe.');
    });
  });
  const away = (error?: Error) => {
    counts.connected = 0;
    if (told) return;
    told = true;
    log.warn({ err: error }, 'The MQTT broker is out of reach or refuses us; it is tried again.');
  };
  client.on('error', away);
  client.on('close', () => away());
}

/** Commits what waits, and what comes meanwhile, until nothing does or the service stops. */
async function commitWaiting(desk: Desk): Promise<void> {
  const { counts, intake, gather, log, waiting, stop } = desk;
  // What the socket has given already is read first: one commit for what came together.
  await new Promise<void>((resolve) => setImmediate(resolve));
  while (waiting.length > 0 && !stop.aborted) {
    const taken = [...waiting];
    const { records, rejected } = gather.recordsOf(taken);
    while (!(await committed(desk, records))) {
      counts.retries += 1;
      await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => {});
      // Unacknowledged, they come again after the next start.
      if (stop.aborted) return;
    }
    if (rejected > 0 && counts.rejected === 0)
      log.warn({ rejected }, 'Messages of the broker that are no telemetry are left out.');
    counts.rejected += rejected;
    intake.counts.rejected += rejected;
    for (const { ack } of waiting.splice(0, taken.length)) ack?.();
    const { held } = desk;
    desk.held = null;
    held?.();
  }
}

async function committed({ intake, log }: Desk, records: Parameters<Intake['take']>[0]) {
  if (records.length === 0) return true;
  try {
    await intake.take(records);
    return true;
  } catch (error) {
    log.warn(
      { err: error },
      'Telemetry from the broker could not be committed; it is tried again.',
    );
    return false;
  }
}

/** Acknowledges a message (MQTT 3.1.1, 3.4) on the connection that it came by; on another one the broker sends it again. */
function acknowledgement({ stream }: MqttClient, messageId: number): () => void {
  return () => {
    if (stream.writable) stream.write(Buffer.from([0x40, 0x02, messageId >> 8, messageId & 0xff]));
  };
}
