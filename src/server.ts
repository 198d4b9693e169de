import { type AccessContext, operatorContext } from './actions/access-context.ts';
import { ensureApplicationKey } from './actions/application-key.ts';
import { checkGroupNames } from './actions/command-checks.ts';
import type { CommandPace } from './actions/command-parts.ts';
import { examine } from './actions/doctor.ts';
import { createEventFeed } from './actions/event-feed.ts';
import { mintDemoToken } from './actions/manage-access.ts';
import { openWebhookDesk } from './actions/webhook-desk.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import type { Clock } from './base/clock.ts';
import { type Config, runsGarage } from './base/config.ts';
import { Disposables } from './base/disposables.ts';
import type { Log } from './base/log.ts';
import { systemResolve } from './base/name-lookup.ts';
import { packageVersion } from './base/package-root.ts';
import { secretKeyOf } from './base/secret-key.ts';
import { SECOND_MS } from './base/units.ts';
import { type Vault, vaultOf } from './base/vault.ts';
import { createIntake } from './ingest/intake.ts';
import { FLEET_MAKER } from './maker/connector.ts';
import { startDesks } from './process/desks.ts';
import { type Garage, openDemoGarage } from './process/garage.ts';
import { openMakerSide } from './process/maker-side.ts';
import { mountTransports } from './process/mount.ts';
import { openMqtt } from './process/mqtt-side.ts';
import { HISTORY_DAYS } from './simulator/garage.ts';
import { ensureOwnerAccount } from './store/accounts.ts';
import { type Database, openDatabase } from './store/client.ts';
import { layDatabaseTemplate } from './store/embedded-template.ts';
import { lockDataDir } from './store/lock.ts';
import { startControlServer } from './transports/control/control-server.ts';
import type { VerbContext } from './transports/control/verbs.ts';
import { type Listener, openListener } from './transports/http/listener.ts';
import { reachableHost } from './transports/http/port-holder.ts';

/** How long running requests may take to end when the service stops; with the rest it stays under 10 s. */
const DRAIN_MS = 5 * SECOND_MS;

const CLOSE_STEP_MS = 6 * SECOND_MS;

/** A running service. */
export type RunningService = {
  baseUrl: string;
  port: number;
  /** The demo token of the garage; null without one. */
  token: string | null;
  /** The simulated garage; null where it is off. */
  garage: Garage | null;
  /** Changes access as the operator does. */
  access: AccessContext;
  /** Ends everything in reverse order; a second call waits for the first. Never rejects. */
  close: () => Promise<void>;
};

/** What a service needs besides its settings. */
export type ServerParts = {
  log: Log;
  clock: Clock;
  /** Days of history of a new garage; `HISTORY_DAYS` unless given. */
  historyDays?: number;
  /** How fast commands are followed; the usual pace unless given. */
  commandPace?: Partial<CommandPace>;
  /** Gives up a start that is under way. */
  signal?: AbortSignal;
};

/**
 * Starts the service: port, lock, database, garage, ingest, transports, in this order. When a step fails, what was
 * started is ended again and the step's error is thrown: the system's for the port, ServiceError for a held data folder.
 */
export async function startServer(config: Config, parts: ServerParts): Promise<RunningService> {
  checkGroupNames(config.commandGroups);
  const { log } = parts;
  const started = new Disposables(CLOSE_STEP_MS, (name, cause) =>
    log.error({ err: cause, part: name }, 'A part of the service did not end well.'),
  );
  try {
    return await startParts(config, parts, started);
  } catch (error) {
    await started.close();
    throw error;
  }
}

async function startParts(
  config: Config,
  parts: ServerParts,
  started: Disposables,
): Promise<RunningService> {
  const { log, clock } = parts;
  const startedAt = clock();
  // First, so that a taken port is known before anything slow happens.
  const listener = await openListener(config);
  started.add('port', () => listener.close(0));
  const { vault, database } = await openStore(config, parts, started);
  const { prisma } = database;

  const authenticator = createAuthenticator({ prisma, clock, log, apiKeys: config.legacyApiKeys });
  started.add('notes of use', () => authenticator.settle());
  const access = operatorContext(prisma, clock, authenticator.forget);

  const garage = await fillGarage(config, { ...parts, vault, database }, started);
  const baseUrl = baseUrlAt(config, listener);
  if (config.makerClientId !== null) {
    // Somebody has to be able to link: the operator makes tokens for an account that is there.
    await ensureOwnerAccount(prisma, clock());
    await ensureApplicationKey({ prisma, vault, clock }, FLEET_MAKER);
  }
  const { maker, counts, desk } = openMakerSide(
    config,
    { ...parts, vault, prisma, garage, baseUrl, engine: database.engine },
    started,
  );
  const intake = createIntake({ prisma, clock });
  const { journals } = startDesks(config, { prisma, clock, log }, started);
  const mqtt = await openMqtt(config, { intake, clock, log }, started);
  const feed = createEventFeed({ prisma, onEvents: database.onEvents, log });
  const webhooks = openWebhookDesk({
    ...{ prisma, onEvents: database.onEvents, vault, clock, log, keepDays: config.webhookDays },
    policy: { allowed: config.outboundAllow, resolve: systemResolve },
  });
  started.add('webhooks', () => webhooks.close());
  const app = await mountTransports({
    ...{
      config,
      log,
      clock,
      listener,
      database,
      authenticator,
      maker,
      desk,
      intake,
      feed,
      webhooks,
    },
    counts,
    journals,
    mqtt: mqtt?.counts ?? null,
  });
  started.add('transports', () => app.close());

  const token = garage === null ? null : await mintDemoToken(access, garage.accountId);
  const doctorParts = { config, prisma, clock, vault: () => vault, door: maker, running: true };
  const doctor = () => examine(doctorParts);
  const verbs = { access, doctor, connectors: maker.connectors };
  await openControl(config, { ...verbs, log, vault, startedAt, baseUrl }, started);
  started.add('requests', () => listener.close(DRAIN_MS));
  // First of all: what is followed never ends by itself, and would hold up the rest.
  started.add('subscriptions', () => feed.close());
  return {
    baseUrl,
    port: listener.port,
    token: token?.token ?? null,
    garage,
    access,
    close: () => started.close(),
  };
}

function baseUrlAt({ baseUrl, host }: Config, { port }: Listener): string {
  return baseUrl ?? `http://${reachableHost(host)}:${port}`;
}

async function openStore(
  { dataDir, databaseUrl, secretKey, garage, makerClientId }: Config,
  { log, clock }: ServerParts,
  started: Disposables,
): Promise<{ vault: Vault; database: Database }> {
  const from = clock();
  const lock = await lockDataDir(dataDir);
  started.add('lock', () => lock.release());
  const key = secretKeyOf({
    configured: secretKey,
    dataDir,
    garage: runsGarage({ garage, makerClientId }),
  });
  log.info(databaseUrl === null ? 'Opening the embedded database.' : 'Opening the database.');
  if (databaseUrl === null) layDatabaseTemplate(dataDir);
  const database = await openDatabase({ dataDir, databaseUrl, log });
  started.add('database', () => database.close());
  log.info({ engine: database.engine, ms: clock() - from }, 'Database ready.');
  return { vault: vaultOf(key), database };
}

type Kept = ServerParts & { vault: Vault; database: Database };

async function fillGarage(
  config: Config,
  { log, clock, vault, database, ...parts }: Kept,
  started: Disposables,
): Promise<Garage | null> {
  const { historyDays = HISTORY_DAYS, signal = new AbortController().signal } = parts;
  signal.throwIfAborted();
  const { dataDir } = config;
  if (!runsGarage(config)) return null;
  log.info('Bringing the simulated garage up to date.');
  const { prisma } = database;
  const garage = await openDemoGarage({ prisma, vault, dataDir, historyDays, clock, log, signal });
  started.add('simulator', () => garage.simulator.close());
  log.info({ vehicles: garage.vehicles.length, ...garage.history }, 'Garage ready.');
  return garage;
}

async function openControl(
  { dataDir }: Config,
  about: Pick<VerbContext, 'access' | 'doctor' | 'connectors'> & {
    log: Log;
    vault: Vault;
    startedAt: number;
    baseUrl: string;
  },
  started: Disposables,
): Promise<void> {
  const { log, vault, startedAt, baseUrl, ...verbs } = about;
  const status = () => ({
    running: true,
    version: packageVersion,
    pid: process.pid,
    startedAt: new Date(startedAt).toISOString(),
    urls: {
      service: baseUrl,
      graphql: `${baseUrl}/graphql`,
      graphiql: `${baseUrl}/graphiql`,
      rest: `${baseUrl}/api`,
    },
  });
  const context = { ...verbs, status, vault: () => vault };
  const control = await startControlServer({ dataDir, context, log });
  started.add('control socket', () => control.close());
}
