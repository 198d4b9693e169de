// Runs the service with its garage on the data folder in the first argument, on the port in the second, and prints a token of
// the account and the public id of the car at home as JSON. With a third argument the maker never answers a command. Then
// it waits to be killed.
import { createToken } from '../../../src/actions/manage-access.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { loadConfig } from '../../../src/base/config.ts';
import { silentLog } from '../../../src/base/log.ts';
import { startServer } from '../../../src/server.ts';

const [, , dataDir = '', port = '', silent] = process.argv;
const config = loadConfig({
  PORT: port,
  ODOGRAPH_DATA_DIR: dataDir,
  ODOGRAPH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ODOGRAPH_GARAGE: 'on',
});
const service = await startServer(config, {
  log: silentLog,
  clock: systemClock,
  historyDays: 0,
  commandPace: { request: silent === undefined ? 10_000 : 600_000 },
});
const { access, garage } = service;
if (garage === null) throw new Error('There is no garage.');
const { token } = await createToken(access, {
  accountId: garage.accountId,
  name: 'watched',
  scopes: ['controls'],
  vehicleIds: null,
});
const { simulator } = garage;
if (silent !== undefined) simulator.fault({ kind: 'hang', on: ['command'] });
const home = simulator.cars.find(({ spec }) => spec.whenShown === 'charges');
process.stdout.write(`${JSON.stringify({ token, publicId: home?.spec.key })}\n`);
