import type { SignalValues } from '../contract/signals.ts';
import { applyEvents } from '../ingest/apply.ts';
import { gateTo, type VehicleGate } from '../ingest/maker-gate.ts';
import type { MakerSession } from '../ingest/session.ts';
import { type MakerApi, makerApi } from '../maker/api.ts';
import type { Connectivity, Observation } from '../maker/observation.ts';
import { observationOfListItem, observationOfVehicleData } from '../maker/parse-vehicle-data.ts';
import { plainSigner, proxySigner, type Signer } from '../maker/signer.ts';
import { dataEndpoints } from '../maker/wire.ts';
import type { Command } from '../store/generated/prisma/client.ts';
import type { CommandPace, CommandParts } from './command-parts.ts';

/** The way to one vehicle at its maker. */
export type VehicleLink = {
  vin: string;
  api: MakerApi;
  signer: Signer;
  session: MakerSession;
  gate: VehicleGate;
  /** Whether the vehicle answers, by the maker's free list; null where the list did not say. */
  look: () => Promise<Connectivity | null>;
  /** What the vehicle says of itself now, kept like any other observation; null where it does not answer. Billed. */
  readState: () => Promise<SignalValues | null>;
};

/** The command that a way is opened for. */
type LinkedFor = Pick<Command, 'id' | 'overrideBudget'>;

/** Opens the way to a vehicle; null where it is linked to no maker account that works. `signal` breaks off what is under way. */
export async function linkTo(
  vehicleId: string,
  { prisma, clock, log, sessionOf, proxyUrl, limits }: CommandParts,
  { command, pace, signal }: { command: LinkedFor; pace: CommandPace; signal: AbortSignal },
): Promise<VehicleLink | null> {
  const vehicle = await prisma.vehicle.findUnique({
    where: { id: vehicleId },
    select: { vin: true, archivedAt: true, rightHandDrive: true, makerAccount: true },
  });
  const account = vehicle?.makerAccount ?? null;
  if (vehicle === null || vehicle.archivedAt !== null || account?.status !== 'ACTIVE') return null;
  const session = sessionOf(account);
  if (session === null) return null;
  const target = { makerAccountId: account.id, vehicleId, commandId: command.id };
  const gate = gateTo({ ...target, override: command.overrideBudget }, limits);
  const options = {
    gate: gate.pass,
    baseUrl: account.baseUrl,
    token: session.accessToken,
    clock,
    signal,
    timeoutMs: pace.request,
  };
  const api = makerApi(options);
  const { vin } = vehicle;
  // What was seen is worth keeping, and not worth failing a command for.
  const keep = (observation: Observation) =>
    applyEvents(prisma, vehicleId, [{ kind: 'observation', observation }]).then(
      () => {},
      (error: unknown) =>
        log.warn({ err: error, vehicleId }, 'What a command showed of a vehicle was not kept.'),
    );
  return {
    vin,
    api,
    gate,
    session,
    signer: proxyUrl === null ? plainSigner(options) : proxySigner(options, proxyUrl),
    look: async () => {
      const answer = await api.vehicle(vin);
      if (answer.kind === 'unauthorized') session.refused();
      if (answer.kind === 'asleep') return 'asleep';
      if (answer.kind !== 'ok') return null;
      const parsed = observationOfListItem(answer.value, {
        receivedAt: clock(),
        source: 'COMMAND',
      });
      if (!parsed.ok) return null;
      if (parsed.value.connectivity === 'online') await keep(parsed.value);
      return parsed.value.connectivity;
    },
    readState: async () => {
      const answer = await api.vehicleData(vin, dataEndpoints);
      if (answer.kind === 'unauthorized') session.refused();
      if (answer.kind !== 'ok') return null;
      const { rightHandDrive } = vehicle;
      const reception = { receivedAt: clock(), source: 'COMMAND', rightHandDrive } as const;
      const parsed = observationOfVehicleData(answer.value, reception);
      if (!parsed.ok) return null;
      await keep(parsed.value);
      return parsed.value.signals;
    },
  };
}
