import { isObject, parsedJson } from './json.ts';
import { isVin } from './vehicle-identity.ts';

/** Why a message is left out. */
export type MqttRefusal = 'unknown_topic' | 'no_vin' | 'not_json' | 'not_an_object';

/** What a message of the maker's telemetry server says: the value of one field, a whole record but for its time, or nothing new. */
export type MqttTold =
  | { kind: 'field'; vin: string; field: string; value: unknown }
  | { kind: 'record'; vin: string; createdAt: string | null; told: Record<string, unknown> }
  | { kind: 'nothing' }
  | { kind: 'refused'; reason: MqttRefusal };

/** The topics of every vehicle under a base (maker.md §5.2; maker documentation of its MQTT datastore). */
export function mqttTopics(base: string): string[] {
  return ['v/+', 'connectivity', 'alerts/+/history', 'errors/+'].map((part) => `${base}/+/${part}`);
}

/** Reads a message by its topic under `base`; never throws. */
export function readMqtt(base: string, topic: string, payload: string): MqttTold {
  const [, rawVin = '', about, name = '', ...rest] = topic.startsWith(`${base}/`)
    ? topic.slice(base.length).split('/')
    : [];
  const vin = rawVin.toUpperCase();
  if (about === undefined) return refused('unknown_topic');
  if (!isVin(vin)) return refused('no_vin');
  const json = parsedJson(payload);
  if (json === undefined) return refused('not_json');
  if (about === 'v' && name !== '' && rest.length === 0)
    return { kind: 'field', vin, field: name, value: bare(json) };
  if (about === 'connectivity' && name === '') return connectivity(vin, json);
  if (about === 'errors' && name !== '') return error(vin, name, json);
  if (about !== 'alerts' || name === '') return refused('unknown_topic');
  // The current one is the newest of its history.
  return rest[0] === 'history' ? alerts(vin, name, json) : { kind: 'nothing' };
}

/** A record of fields that came together, made at `at` (epoch ms), as the other dispatchers of the maker's server write it. */
export function recordOfFields(
  vin: string,
  at: number,
  fields: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  const data = [...fields].map(([key, value]) => ({
    key,
    value: value === null ? { invalid: true } : { value },
  }));
  return { vin, createdAt: new Date(at).toISOString(), data };
}

function refused(reason: MqttRefusal): MqttTold {
  return { kind: 'refused', reason };
}

/** Servers of before 2025 wrap a value in an object. */
function bare(json: unknown): unknown {
  return isObject(json) && Object.keys(json).join() === 'value' ? json.value : json;
}

function connectivity(vin: string, json: unknown): MqttTold {
  if (!isObject(json)) return refused('not_an_object');
  const { Status: status, ConnectionId: connectionId, CreatedAt: createdAt } = json;
  return { kind: 'record', vin, createdAt: text(createdAt), told: { status, connectionId } };
}

function error(vin: string, name: string, json: unknown): MqttTold {
  if (!isObject(json)) return refused('not_an_object');
  const { Body: body, Tags: tags, CreatedAt: createdAt } = json;
  const told = { errors: [{ name, body, tags, createdAt }] };
  return { kind: 'record', vin, createdAt: text(createdAt), told };
}

function alerts(vin: string, name: string, json: unknown): MqttTold {
  if (!Array.isArray(json)) return refused('not_an_object');
  const told = json.filter(isObject).map((alert) => ({
    name,
    startedAt: alert.StartedAt,
    endedAt: alert.EndedAt,
    audiences: alert.Audiences,
  }));
  return { kind: 'record', vin, createdAt: null, told: { alerts: told } };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
