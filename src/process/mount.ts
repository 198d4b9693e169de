import type { FastifyInstance } from 'fastify';
import { applicationPublicKey } from '../actions/application-key.ts';
import type { CommandDesk } from '../actions/command-desk.ts';
import type { EventFeed } from '../actions/event-feed.ts';
import type { MakerDoor } from '../actions/maker-door.ts';
import type { WebhookDesk } from '../actions/webhook-desk.ts';
import type { WebhookCounts } from '../actions/webhook-parts.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { createCallerWatch } from '../auth/caller-watch.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { snakeCase } from '../base/spelling.ts';
import type { IngestCounts } from '../ingest/backlog.ts';
import type { Intake, IntakeCounts } from '../ingest/intake.ts';
import type { PumpCounts } from '../ingest/pump.ts';
import { FLEET_MAKER, PUBLIC_KEY_PATH } from '../maker/connector.ts';
import type { Database } from '../store/client.ts';
import { isDatabaseUnavailable, isDiskFull } from '../store/database-errors.ts';
import { staticPages } from '../transports/console/static-pages.ts';
import { type GraphqlParts, graphqlPlugin } from '../transports/graphql/plugin.ts';
import { graphqlSockets } from '../transports/graphql/sockets.ts';
import { createHttpApp } from '../transports/http/app.ts';
import type { Listener } from '../transports/http/listener.ts';
import type { GaugeRow } from '../transports/http/metrics.ts';
import { addPublicKey } from '../transports/http/public-key.ts';
import { addStartPage, type Door } from '../transports/http/start-page.ts';
import { ingestPlugin } from '../transports/ingest/plugin.ts';
import type { MqttCounts } from '../transports/mqtt/source.ts';
import { restPlugin } from '../transports/rest/plugin.ts';

/** What the transports are made of. */
export type MountParts = {
  config: Config;
  log: Log;
  clock: Clock;
  listener: Listener;
  database: Database;
  authenticator: Authenticator;
  counts: IngestCounts;
  maker: MakerDoor;
  intake: Intake;
  journals: PumpCounts;
  /** Null where no broker is set. */
  mqtt: MqttCounts | null;
  feed: EventFeed;
  desk: CommandDesk;
  webhooks: WebhookDesk;
};

/** Puts every transport on the open port and begins to answer; closing what it returns leaves the port open. */
export async function mountTransports(parts: MountParts): Promise<FastifyInstance> {
  const {
    config,
    log,
    clock,
    listener,
    database,
    authenticator,
    maker,
    intake,
    feed,
    desk,
    webhooks,
  } = parts;
  const app = await createHttpApp({
    config,
    log,
    server: listener.server,
    serve: listener.serve,
    checks: { database: () => ping(database) },
    gauges: ingestGauges(parts),
    explain: outage,
  });
  try {
    addStartPage(app, config, doors);
    const { prisma } = database;
    addPublicKey(app, PUBLIC_KEY_PATH, () => applicationPublicKey(prisma, FLEET_MAKER));
    const newContext: GraphqlParts['newContext'] = (call) => ({
      ...call,
      prisma,
      clock,
      maker,
      feed,
      desk,
      webhooks,
      surface: 'api',
    });
    const restContext: GraphqlParts['newContext'] = (call) => ({
      ...newContext(call),
      via: 'REST',
    });
    const watch = createCallerWatch();
    app.addHook('onClose', async () => watch.close());
    await app.register(graphqlPlugin({ authenticator, newContext, log, watch, feed }));
    await app.register(graphqlSockets({ authenticator, newContext, log, watch, feed }));
    const { baseUrl } = config;
    await app.register(restPlugin({ authenticator, newContext: restContext, log, baseUrl, watch }));
    await app.register(ingestPlugin({ authenticator, intake, clock }));
    await app.register(staticPages);
    await app.ready();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The doors of the start page. */
const doors: readonly Door[] = [
  {
    key: 'graphiql',
    path: '/graphiql',
    title: 'GraphiQL',
    sentence: 'Ask in GraphQL, with the schema beside you.',
  },
  {
    key: 'schema',
    path: '/graphql/schema.graphql',
    title: 'GraphQL schema',
    sentence: 'The contract of /graphql, with units and scopes.',
  },
  {
    key: 'openapi',
    path: '/api/openapi.json',
    title: 'OpenAPI',
    sentence: 'The contract of /api, for REST clients and their generators.',
  },
  { key: 'health', path: '/readyz', title: 'Readiness', sentence: 'Whether everything answers.' },
  { key: 'metrics', path: '/metrics', title: 'Metrics', sentence: 'Numbers for Prometheus.' },
];

const gaugeTable = {
  polls: 'Looks at vehicles since the start.',
  failures: 'Looks that the maker did not answer as asked, since the start.',
  events: 'Observations stored since the start.',
  dropped: 'Observations lost since the start because the database was away too long.',
  refused: 'Observations left out since the start because they could not be applied.',
} as const satisfies Record<keyof IngestCounts, string>;

const intakeTable = {
  requests: 'Requests that brought telemetry since the start.',
  signals: 'Signals in the records taken since the start.',
  accepted: 'Records of telemetry that were new, since the start.',
  duplicate: 'Records that were there already, since the start.',
  late: 'Records that came behind what was reduced, since the start.',
  tooLate: 'Records that came too late to be applied, since the start.',
  unknownVehicle: 'Records of vehicles that no account holds, since the start.',
  rejected: 'Lines that were no record, since the start.',
} as const satisfies Record<keyof IntakeCounts, string>;

const journalTable = {
  reduced: 'Entries of journals that were reduced since the start.',
  again: 'Vehicles that were reduced anew for a late record, since the start.',
  refused:
    'Events of journals that were left out since the start because they could not be applied.',
  failures: 'Times that a journal could not be reduced, since the start.',
  putAside: 'Vehicles put aside since the start because their journals could not be reduced.',
  swept: 'Entries of journals that were kept long enough and forgotten, since the start.',
} as const satisfies Record<keyof PumpCounts, string>;

const webhookTable = {
  calls: 'Calls of webhooks since the start.',
  delivered: 'Events that webhooks took, since the start.',
  failed: 'Events that were given up on their way to a webhook, since the start.',
  stopped: 'Webhooks that are not called any more, since the start.',
  swept: 'Deliveries to webhooks that were kept long enough and forgotten, since the start.',
} as const satisfies Record<keyof WebhookCounts, string>;

const mqttTable = {
  connected: 'Whether the MQTT broker is connected: 1 or 0.',
  messages: 'Messages that came from the broker since the start.',
  rejected: 'Messages that were no telemetry, since the start.',
  retries: 'Times that messages could not be committed at once, since the start.',
} as const satisfies Record<keyof MqttCounts, string>;

function ingestGauges({ counts, intake, journals, mqtt, webhooks }: MountParts): GaugeRow[] {
  return [
    ...gaugesOf('odograph_ingest', gaugeTable, counts),
    ...gaugesOf('odograph_telemetry', intakeTable, intake.counts),
    ...gaugesOf('odograph_journal', journalTable, journals),
    ...gaugesOf('odograph_webhook', webhookTable, webhooks.counts),
    ...(mqtt === null ? [] : gaugesOf('odograph_mqtt', mqttTable, mqtt)),
  ];
}

function gaugesOf(
  prefix: string,
  table: Readonly<Record<string, string>>,
  counts: Readonly<Record<string, number>>,
): GaugeRow[] {
  return Object.entries(table).map(([name, help]) => ({
    name: `${prefix}_${snakeCase(name)}`,
    help,
    read: () => counts[name] ?? 0,
  }));
}

/** The migrations of this program were applied before the database was handed out. */
async function ping({ prisma }: Database): Promise<void> {
  await prisma.$queryRaw`SELECT 1`;
}

/** What the loss of the database means for a caller. */
function outage(cause: unknown): ServiceError | null {
  if (isDatabaseUnavailable(cause)) {
    const message = 'The database is out of reach for now.';
    return new ServiceError('service_unavailable', message, { cause, retryAfterS: 5 });
  }
  if (isDiskFull(cause)) {
    const message = 'The disk of the database is full.';
    return new ServiceError('service_unavailable', message, { cause, retryAfterS: 60 });
  }
  return null;
}
