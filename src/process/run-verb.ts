import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorContext } from '../actions/access-context.ts';
import { examine } from '../actions/doctor.ts';
import type { MakerDoor } from '../actions/maker-door.ts';
import { systemClock } from '../base/clock.ts';
import { type Config, runsGarage } from '../base/config.ts';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { secretKeyOf } from '../base/secret-key.ts';
import { SECOND_MS } from '../base/units.ts';
import { vaultOf } from '../base/vault.ts';
import { openDatabase } from '../store/client.ts';
import { type DataDirLock, lockDataDir } from '../store/lock.ts';
import { callService } from '../transports/control/control-client.ts';
import {
  callVerb,
  readResult,
  type Status,
  type VerbArgs,
  type VerbName,
  type VerbResult,
} from '../transports/control/verbs.ts';
import { configuredConnector } from './connectors.ts';

/** Where the service of the operator is. */
export type VerbPlace = { config: Config; log: Log };

/** How long a service that holds the lock may take to open its control socket: a first start fills the garage. */
const START_MS = 30 * SECOND_MS;

const RETRY_MS = 250;

const notRunning: Status = {
  running: false,
  version: null,
  pid: null,
  startedAt: null,
  urls: {},
};

/** The maker that is configured, as far as it can be asked without a service. */
function connectorsOf(config: Config): MakerDoor['connectors'] {
  const connector = configuredConnector(config, config.baseUrl ?? 'http://127.0.0.1');
  return new Map(connector === null ? [] : [[connector.maker, connector]]);
}

/** Runs a verb on the database itself, whose lock the caller holds. */
async function runAlone(
  verb: VerbName,
  args: unknown,
  { config, log }: VerbPlace,
): Promise<unknown> {
  const { dataDir, databaseUrl, secretKey } = config;
  const database = await openDatabase({ dataDir, databaseUrl, log });
  try {
    // No other part of this process holds on to a credential.
    const access = operatorContext(database.prisma, systemClock, () => {});
    const keyPlace = { configured: secretKey, dataDir, garage: runsGarage(config) };
    const vault = () => vaultOf(secretKeyOf(keyPlace));
    const { prisma } = database;
    const connectors = connectorsOf(config);
    const parts = { config, prisma, vault, clock: systemClock, door: { connectors } };
    const doctor = () => examine({ ...parts, running: false });
    const context = { access, status: () => notRunning, vault, connectors, doctor };
    return await callVerb(context, verb, args);
  } finally {
    await database.close();
  }
}

/**
 * Has the service that runs on a data folder run a verb, or runs the same action under the folder's lock where none
 * runs (contract §0, Process). Throws ServiceError for what was asked wrongly, and when the folder holds nothing yet.
 */
export async function runVerb<V extends VerbName>(
  verb: V,
  args: VerbArgs<V>,
  place: VerbPlace,
): Promise<VerbResult<V>> {
  const { dataDir, databaseUrl } = place.config;
  const deadline = performance.now() + START_MS;
  for (;;) {
    const answered = await callService(dataDir, verb, args);
    if (answered !== null) return answered.result;
    if (verb === 'status') return readResult(verb, notRunning);
    if (databaseUrl === null && !existsSync(join(dataDir, 'database'))) {
      throw new ServiceError('not_found', `Nothing was ever started on ${dataDir}.`);
    }
    const lock = await lockUnlessHeld(dataDir, performance.now() >= deadline);
    if (lock !== null) {
      try {
        return readResult(verb, await runAlone(verb, args, place));
      } finally {
        lock.release();
      }
    }
    await sleep(RETRY_MS);
  }
}

/** The lock, or null while a service that is starting or stopping holds it; its refusal once it is the `last` try. */
async function lockUnlessHeld(dataDir: string, last: boolean): Promise<DataDirLock | null> {
  try {
    return await lockDataDir(dataDir);
  } catch (cause) {
    if (last || !(cause instanceof ServiceError)) throw cause;
    return null;
  }
}
