// Runs the service on the data folder in the first argument, sends the commands of the scene in the second, and prints
// their ids as JSON once each is in its state. Then it waits to be killed.
import { createToken } from '../../../src/actions/manage-access.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { loadConfig } from '../../../src/base/config.ts';
import { uuidOf } from '../../../src/base/ids.ts';
import { silentLog } from '../../../src/base/log.ts';
import { startServer } from '../../../src/server.ts';
import { at } from '../../schema/ask.ts';
import { type Scene, scenes } from '../crash-scenes.ts';

const [, , dataDir = '', sceneName = ''] = process.argv;
const scene: readonly Scene[] = scenes.get(sceneName) ?? [];
const config = loadConfig({
  PORT: '0',
  ODOGRAPH_DATA_DIR: dataDir,
  ODOGRAPH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ODOGRAPH_GARAGE: 'on',
});
const service = await startServer(config, {
  log: silentLog,
  clock: systemClock,
  historyDays: 0,
  commandPace: { request: 60_000, verify: [60_000], wakeLook: 100 },
});
const { access, baseUrl, garage } = service;
if (garage === null) throw new Error('There is no garage.');
const { token } = await createToken(access, {
  accountId: garage.accountId,
  name: 'crash',
  scopes: ['controls'],
  vehicleIds: null,
});
const { simulator } = garage;
const cars = simulator.cars.map(({ spec }) => spec);
const specs = {
  HOME: cars.find(({ whenShown }) => whenShown === 'charges'),
  OTHER: cars.find(({ whenShown }) => whenShown === 'drives'),
};

async function send({ car, name, params, fault }: Scene): Promise<string> {
  const spec = specs[car];
  if (fault !== undefined) simulator.fault({ ...fault, vin: spec?.vin });
  if (fault?.kind === 'asleep') simulator.setWakeTime('never');
  const response = await fetch(
    `${baseUrl}/api/vehicle/${spec?.key}/command/${name}?wait=0&deadline_s=1800`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    },
  );
  const said: unknown = await response.json();
  return String(at(said, 'response.id'));
}

async function reached(id: string, state: string): Promise<void> {
  for (;;) {
    const where = { id: uuidOf('Command', id) ?? '' };
    const command = await access.prisma.command.findUniqueOrThrow({ where });
    if (command.state === state) return;
    if (command.completedAt !== null) throw new Error(`${command.name} is ${command.state}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const ids: string[] = [];
for (const step of scene) {
  const id = await send(step);
  await reached(id, step.killedIn);
  ids.push(id);
}
process.stdout.write(`${JSON.stringify(ids)}\n`);
