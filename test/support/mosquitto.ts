import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as openSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { freePort } from './port.ts';

const program = '/usr/sbin/mosquitto';

/** Why no broker can be started here; null where one can. In CI its absence is a failure. */
export function mosquittoMissing(): string | null {
  if (existsSync(program)) return null;
  if (process.env.CI === 'true') throw new Error('Mosquitto is not installed.');
  return 'Mosquitto is not installed';
}

/** A broker on a loopback port of its own that knows one name, and keeps sessions over a restart. */
export type Broker = AsyncDisposable & {
  url: string;
  username: string;
  password: string;
  stop: () => Promise<void>;
  start: () => Promise<void>;
  /** A connected client of the given id. */
  client: (clientId: string) => Promise<MqttClient>;
};

/** Starts a Mosquitto in a new folder; disposing ends it and removes the folder. */
export async function startBroker(): Promise<Broker> {
  const folder = mkdtempSync(join(tmpdir(), 'odo-mqtt-'));
  const [username, password] = ['telemetry', 'a word that only tests know'];
  const passwords = join(folder, 'passwords');
  execFileSync('/usr/bin/mosquitto_passwd', ['-b', '-c', passwords, username, password]);
  const port = await freePort();
  const settings = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous false',
    `password_file ${passwords}`,
    'persistence true',
    `persistence_location ${folder}/`,
    'log_dest none',
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ];
  writeFileSync(join(folder, 'mosquitto.conf'), `${settings.join('\n')}\n`);
  let running: ChildProcess | null = null;
  const start = async () => {
    running = spawn(program, ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' });
    await answering(port);
  };
  const stop = async () => {
    const ending = running;
    running = null;
    if (ending === null || ending.exitCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGTERM');
    await ended;
  };
  await start();
  const url = `mqtt://127.0.0.1:${port}`;
  return {
    ...{ url, username, password, start, stop },
    client: (clientId) => connectAsync(url, { clientId, username, password, protocolVersion: 4 }),
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(port: number): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt += 1) {
    const socket = openSocket(port, '127.0.0.1');
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
    await sleep(25);
  }
  throw new Error('The broker does not answer.');
}
