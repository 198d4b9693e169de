import { type CommandDesk, openCommandDesk } from '../actions/command-desk.ts';
import type { CommandLimits } from '../actions/command-limits.ts';
import type { CommandPace } from '../actions/command-parts.ts';
import { startFirstLists } from '../actions/first-lists.ts';
import type { MakerDoor } from '../actions/maker-door.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import type { Disposables } from '../base/disposables.ts';
import type { Log } from '../base/log.ts';
import type { Vault } from '../base/vault.ts';
import { byCall, byCategory } from '../contract/spend.ts';
import type { IngestCounts } from '../ingest/backlog.ts';
import { callWindows } from '../ingest/call-windows.ts';
import type { MakerLimits } from '../ingest/maker-gate.ts';
import type { Recorder } from '../ingest/record-answers.ts';
import { type MakerSessions, makerSessions } from '../ingest/sessions.ts';
import { spendLedger } from '../ingest/spend-ledger.ts';
import { type Ingest, startIngest } from '../ingest/worker.ts';
import type { Connector } from '../maker/connector.ts';
import type { Database } from '../store/client.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { CALLBACK_PATH, configuredConnector } from './connectors.ts';
import { type Garage, garageConnector } from './garage.ts';
import { openRecorder } from './trace-file.ts';

type MakerParts = {
  prisma: PrismaClient;
  vault: Vault;
  clock: Clock;
  log: Log;
  /** The simulated garage; null where it is off. */
  garage: Garage | null;
  /** Where the service answers. */
  baseUrl: string;
  engine: Database['engine'];
  commandPace?: Partial<CommandPace>;
};

/** What of the service talks to makers: the way to them, the counts of ingest, and where commands are carried out. */
type MakerSide = { maker: MakerDoor; counts: IngestCounts; desk: CommandDesk };

/** Starts to follow the vehicles of every linked account and to carry out commands, until `started` is closed. */
export function openMakerSide(config: Config, parts: MakerParts, started: Disposables): MakerSide {
  const connectors = connectorsOf(config, parts.baseUrl, parts.garage);
  const sessions = sessionsUntilClosed(parts, started);
  const makerLimits = makerLimitsOf(config, parts, started);
  const record = openRecorder(config, parts, started);
  const ingest = followVehicles(parts, { connectors, sessions, makerLimits, record }, started);
  const { vault } = parts;
  const { ledger } = makerLimits;
  const maker: MakerDoor = { connectors, vault, sessions, ledger, changed: ingest.lookAgain };
  const desk = openDesk(config, { ...parts, makerLimits }, maker, started);
  const { prisma, clock, log } = parts;
  const lists = startFirstLists({ prisma, clock, log, door: maker });
  started.add('first lists', () => lists.close());
  return { maker, counts: ingest.counts, desk };
}

/** The budget and the maker's limits, as the operator set them. */
function makerLimitsOf(
  { makerPrices, makerCurrency: currency, makerBudget: limit, ...config }: Config,
  { prisma, clock }: MakerParts,
  started: Disposables,
): MakerLimits {
  const rates = { prices: byCategory(makerPrices), currency, limit };
  const ledger = spendLedger({ prisma, clock, rates });
  started.add('spending', () => ledger.close());
  const vehicle = byCall(config.makerLimits);
  const account = byCall(config.makerAccountLimits);
  return { ledger, windows: callWindows(clock, { vehicle, account }) };
}

type Limited = { makerLimits: MakerLimits };

/** The makers that accounts can be linked at: the configured one, then the garage's stand-in. */
function connectorsOf(
  config: Config,
  baseUrl: string,
  garage: Garage | null,
): ReadonlyMap<string, Connector> {
  const configured = configuredConnector(config, baseUrl);
  const found: Connector[] = configured === null ? [] : [configured];
  if (garage !== null) found.push(garageConnector(garage, `${baseUrl}${CALLBACK_PATH}`));
  return new Map(found.map((connector) => [connector.maker, connector]));
}

function sessionsUntilClosed(
  { clock, vault, prisma }: MakerParts,
  started: Disposables,
): MakerSessions {
  const stop = new AbortController();
  started.add('sessions', () => stop.abort());
  return makerSessions({ prisma, vault, clock, signal: stop.signal });
}

function followVehicles(
  { log, clock, vault, prisma }: MakerParts,
  {
    connectors,
    makerLimits: limits,
    ...shared
  }: Pick<MakerDoor, 'connectors' | 'sessions'> & Limited & { record: Recorder | undefined },
  started: Disposables,
): Ingest {
  const ingest = startIngest({
    prisma,
    vault,
    clock,
    log,
    tokenEndpoint: (maker) => connectors.get(maker) ?? null,
    limits,
    ...shared,
  });
  started.add('ingest', () => ingest.close());
  return ingest;
}

function limitsOf(config: Config): CommandLimits {
  return {
    tokenPerMinute: config.commandTokenPerMinute,
    vehiclePerMinute: config.commandVehiclePerMinute,
    wakes: { perMinute: config.commandWakesPerMinute, perDay: config.commandWakesPerDay },
    waiting: config.commandQueue,
  };
}

/** Opens the desk and takes up the commands that the last stop left; what fails of it is tried again by the next start. */
function openDesk(
  config: Config,
  { prisma, clock, log, makerLimits, commandPace: pace, engine }: MakerParts & Limited,
  maker: MakerDoor,
  started: Disposables,
): CommandDesk {
  const { commandProxyUrl: proxyUrl, commandGroups: groups, adminCommands } = config;
  const desk = openCommandDesk({
    prisma,
    clock,
    log,
    sessionOf: ({ id, maker: name }) => {
      const connector = maker.connectors.get(name);
      return connector === undefined ? null : maker.sessions.of(id, connector);
    },
    // The folder of the embedded database is locked; a server has other clients.
    alone: engine === 'embedded',
    limits: limitsOf(config),
    proxyUrl,
    groups,
    adminCommands,
    makerLimits,
    pace,
  });
  started.add('commands', () => desk.close());
  desk
    .recover()
    .catch((cause: unknown) =>
      log.error({ err: cause }, 'Commands that were under way could not be taken up.'),
    );
  return desk;
}
