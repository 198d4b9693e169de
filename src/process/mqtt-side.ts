import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import type { Disposables } from '../base/disposables.ts';
import type { Log } from '../base/log.ts';
import type { Intake } from '../ingest/intake.ts';
import type { MqttSource } from '../transports/mqtt/source.ts';

/** Takes telemetry from the configured MQTT broker until `started` is closed; null where none is set. */
export async function openMqtt(
  { mqttUrl: url, mqttUsername: username, mqttPassword: password, ...config }: Config,
  parts: { intake: Intake; clock: Clock; log: Log },
  started: Disposables,
): Promise<MqttSource | null> {
  if (url === null) return null;
  // Loaded where it is wanted: few have a broker.
  const { startMqttSource } = await import('../transports/mqtt/source.ts');
  const { mqttClientId: clientId, mqttTopic: base } = config;
  const broker = { url, username, password, clientId, base };
  const source = startMqttSource({ ...parts, broker });
  started.add('MQTT', () => source.close());
  return source;
}
