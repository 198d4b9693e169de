import type { Clock } from '../base/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../base/units.ts';
import type { MakerLimits } from '../ingest/maker-gate.ts';
import type { MakerSession } from '../ingest/session.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import type { CommandLimits } from './command-limits.ts';

/** How fast commands are followed; all in milliseconds. */
export type CommandPace = {
  /** From the wish to wake a vehicle until it is given up (contract §11). */
  wakeLimit: number;
  /** Between looks at a vehicle that is waking; the list is free. */
  wakeLook: number;
  /** One request to the maker. */
  request: number;
  /** Before each look at the state of a vehicle that said yes; each look is billed. */
  verify: readonly number[];
  /** Before a command that surely did not happen is sent again, times the attempt. */
  again: number;
  /** How long a process may be silent before another takes its commands up. */
  lease: number;
};

export const usualPace: CommandPace = {
  wakeLimit: 90 * SECOND_MS,
  wakeLook: 2 * SECOND_MS,
  request: 10 * SECOND_MS,
  verify: [300, 2 * SECOND_MS, 5 * SECOND_MS, 10 * SECOND_MS],
  again: SECOND_MS,
  lease: 15 * SECOND_MS,
};

export type CommandLog = {
  info: (facts: object, message: string) => void;
  warn: (facts: object, message: string) => void;
  error: (facts: object, message: string) => void;
};

/** What commands are carried out with. */
export type CommandParts = {
  prisma: PrismaClient;
  clock: Clock;
  log: CommandLog;
  /** Whether no other process can be on the database, so that what another left is taken up at once. */
  alone?: boolean;
  /** The session of a linked account; null for a maker that is not configured. */
  sessionOf: (makerAccount: { id: string; maker: string }) => MakerSession | null;
  /** Address of the maker's signing proxy; null sends everything unsigned. */
  proxyUrl: string | null;
  limits: CommandLimits;
  /** Groups that may be sent; `all` is every one. */
  groups: readonly string[];
  /** Whether the pass-through may send what is otherwise never offered. */
  adminCommands: boolean;
  /** The budget and the maker's limits, which whoever else calls the maker from this process shares. */
  makerLimits: MakerLimits;
  pace?: Partial<CommandPace>;
};

/** Bounds and default of the time a command has [s] (contract §11). */
export const deadlineS = { least: 5, most: 1800, usual: (2.5 * MINUTE_MS) / SECOND_MS } as const;
