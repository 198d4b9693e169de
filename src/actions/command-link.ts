import type { SignalValues } from '../contract/signals.ts';
import { applyEvents } from '../ingest/apply.ts';
import { gateTo, type VehicleGate } from '../ingest/maker-gate.ts';
import { RenewalError } from '../ingest/renewal.ts';
import type { MakerSession } from '../ingest/session.ts';
import type { StateTeller } from '../ingest/state-teller.ts';
import type { Answer } from '../maker/answer.ts';
import { makerApi } from '../maker/api.ts';
import type { Connectivity, Observation } from '../maker/observation.ts';
import { observationOfListItem, observationOfVehicleData } from '../maker/parse-vehicle-data.ts';
import { plainSigner, proxySigner, type Signer } from '../maker/signer.ts';
import { dataEndpoints } from '../maker/wire.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import type { CommandPace, CommandParts } from './command-parts.ts';

/** What stands against a wake: nothing, the budget, or a limit; `sent` where the maker itself told it. */
type WakeAsked =
  | { kind: 'asked' | 'no_budget' }
  | { kind: 'limited'; retryAfterMs: number; sent: boolean };

/** The way to one vehicle at its maker. */
export type VehicleLink = {
  vin: string;
  signer: Signer;
  session: MakerSession;
  gate: VehicleGate;
  /** Asks the vehicle to wake; rejects only where the database does. */
  askToWake: () => Promise<WakeAsked>;
  /** Whether the vehicle answers, by the maker's free list; null where the list did not say. */
  look: () => Promise<Connectivity | null>;
  /** What the vehicle says of itself now, kept like any other observation; null where it does not answer. Billed. */
  readState: () => Promise<SignalValues | null>;
};

/** The command that a way is opened for, and how long its answers are waited for. */
type LinkedFor = {
  command: Pick<Command, 'id' | 'overrideBudget'>;
  pace: CommandPace;
  signal: AbortSignal;
  untilMs: number;
  /** Whether the command may still be sent; asked right before it is. */
  maySend: () => boolean;
  /** Is told of the states that looks at the vehicle led to. */
  teller: Pick<StateTeller, 'after'>;
};

/**
 * Opens the way to a vehicle; null where it is linked to no maker account that works. `signal` breaks off what is under way,
 * and no token is waited for longer than for an answer, or beyond `untilMs` (epoch ms) while that is ahead.
 */
export async function linkTo(
  vehicleId: string,
  { prisma, clock, log, sessionOf, proxyUrl, makerLimits }: CommandParts,
  { command, pace, signal, untilMs, maySend, teller }: LinkedFor,
): Promise<VehicleLink | null> {
  const vehicle = await prisma.vehicle.findUnique({
    where: { id: vehicleId },
    select: { vin: true, archivedAt: true, rightHandDrive: true, makerAccount: true },
  });
  const account = vehicle?.makerAccount ?? null;
  if (vehicle === null || vehicle.archivedAt !== null || account?.status !== 'ACTIVE') return null;
  const session = sessionOf(account);
  if (session === null) return null;
  const token = () => {
    const leftMs = untilMs - clock();
    const limitMs = leftMs > 0 ? Math.min(leftMs, pace.request) : pace.request;
    return inTime(session.accessToken(), limitMs);
  };
  const target = { makerAccountId: account.id, vehicleId, commandId: command.id };
  const gate = gateTo({ ...target, override: command.overrideBudget }, makerLimits);
  const options = {
    gate: gate.pass,
    baseUrl: account.baseUrl,
    token,
    clock,
    signal,
    timeoutMs: pace.request,
  };
  const api = makerApi(options);
  const sending = { ...options, maySend };
  const { vin } = vehicle;
  // What was seen is worth keeping, and not worth failing a command for.
  const keep = (observation: Observation) =>
    applyEvents(prisma, vehicleId, [{ kind: 'observation', observation }]).then(
      (state) => teller.after(vehicleId, state),
      (error: unknown) =>
        log.warn({ err: error, vehicleId }, 'What a command showed of a vehicle was not kept.'),
    );
  return {
    vin,
    session,
    gate,
    signer: proxyUrl === null ? plainSigner(sending) : proxySigner(sending, proxyUrl),
    askToWake: async () => {
      const answer = await orWithoutToken(api.wakeUp(vin));
      if (answer?.kind === 'held_back' && answer.reason === 'budget') return { kind: 'no_budget' };
      if (answer?.kind !== 'rate_limited' && answer?.kind !== 'held_back') return { kind: 'asked' };
      const { kind, retryAfterMs } = answer;
      return { kind: 'limited', retryAfterMs, sent: kind === 'rate_limited' };
    },
    look: async () => {
      const answer = await orWithoutToken(api.vehicle(vin));
      if (answer?.kind === 'unauthorized') session.refused();
      if (answer?.kind === 'asleep') return 'asleep';
      if (answer?.kind !== 'ok') return null;
      const parsed = observationOfListItem(answer.value, {
        receivedAt: clock(),
        source: 'COMMAND',
      });
      if (!parsed.ok) return null;
      if (parsed.value.connectivity === 'online') await keep(parsed.value);
      return parsed.value.connectivity;
    },
    readState: async () => {
      const answer = await orWithoutToken(api.vehicleData(vin, dataEndpoints));
      if (answer?.kind === 'unauthorized') session.refused();
      if (answer?.kind !== 'ok') return null;
      const { rightHandDrive } = vehicle;
      const reception = { receivedAt: clock(), source: 'COMMAND', rightHandDrive } as const;
      const parsed = observationOfVehicleData(answer.value, reception);
      if (!parsed.ok) return null;
      await keep(parsed.value);
      return parsed.value.signals;
    },
  };
}

/** The token, if it comes in time. Throws RenewalError where it does not; the renewal goes on for the next who asks. */
async function inTime(token: Promise<string | null>, limitMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RenewalError('unknown', 'timeout')), limitMs);
  });
  try {
    return await Promise.race([token, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What was answered, or null where the maker gave no token to ask with. */
async function orWithoutToken<T>(asked: Promise<Answer<T>>): Promise<Answer<T> | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RenewalError) return null;
    throw error;
  }
}
