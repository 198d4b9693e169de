import type { CommandPace } from '../../src/actions/command-parts.ts';
import { plugIn } from '../../src/simulator/charging.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import type { Car } from '../../src/simulator/state.ts';
import { at } from '../schema/ask.ts';
import { type BootedService, boot } from '../support/boot.ts';

/** Fast enough for a test, and slow enough for a busy machine. */
export const testPace: Partial<CommandPace> = {
  wakeLimit: 2_500,
  wakeLook: 50,
  request: 700,
  verify: [20, 60, 150],
  again: 30,
};

/** More than any test sends. */
const unlimited = {
  ODOGRAPH_COMMAND_TOKEN_PER_MINUTE: '10000',
  ODOGRAPH_COMMAND_VEHICLE_PER_MINUTE: '10000',
  ODOGRAPH_COMMAND_WAKES_PER_MINUTE: '10000',
  ODOGRAPH_COMMAND_WAKES_PER_DAY: '10000',
  ODOGRAPH_COMMAND_QUEUE: '10000',
  ODOGRAPH_MAKER_LIMITS: 'data=10000,commands=10000,wakes=10000',
  ODOGRAPH_MAKER_ACCOUNT_LIMITS: 'data=10000,commands=10000,wakes=10000',
};

/** The fields of a command that tests look at. */
const COMMAND = `id name group parameters state attempts wakeUsed noOp verified via confirm idempotencyKey
  history { state note } requestedBy { kind id name } result { makerResult makerReason }
  failure { code message makerReason retryable } createdAt completedAt expiresAt`;

export type CommandService = AsyncDisposable & {
  service: BootedService;
  simulator: Simulator;
  /** A token with `controls` alone. */
  token: string;
  /** The simulated car that stands at home, and its public id. */
  car: Car;
  publicId: string;
  /** The public id of another car. */
  otherPublicId: string;
  /** Puts the car back: awake, parked, plugged in below its limit, climate on, without faults, unlocking allowed. */
  ready: () => Promise<void>;
  /** Runs a mutation that answers a command, such as `lock`; its input is completed by the vehicle and a wait. */
  send: (mutation: string, input?: Record<string, unknown>) => Promise<Sent>;
  /** The command as the ledger has it now. */
  find: (id: unknown) => Promise<unknown>;
  /** Waits until the command is in one of some states. */
  until: (id: unknown, ...states: string[]) => Promise<unknown>;
};

/** What a mutation answered: a command, or the errors instead. */
export type Sent = { command: unknown; replayed: unknown; errors: unknown };

/** Boots the service with the simulated garage. */
export async function commandService(
  environment: Record<string, string> = {},
  pace: Partial<CommandPace> = {},
): Promise<CommandService> {
  const service = await boot({
    garageDays: 0,
    commandPace: { ...testPace, ...pace },
    environment: { ...unlimited, ...environment },
  });
  const { garage } = service.service;
  if (garage === null) throw new Error('There is no garage.');
  const { simulator } = garage;
  const car = simulator.cars.find(({ spec }) => spec.whenShown === 'charges');
  if (car === undefined) throw new Error('No car stands at home.');
  const publicId = car.spec.key;
  const token = await service.token({ scopes: ['controls'] });
  const ask = async (query: string, variables: object) => {
    const response = await service.graphql({ query, variables }, token);
    const body: unknown = await response.json();
    return body;
  };
  const find = async (id: unknown) =>
    at(await ask(`query($id: ID!) { command(id: $id) { ${COMMAND} } }`, { id }), 'data.command');
  return {
    service,
    simulator,
    token,
    car,
    publicId,
    otherPublicId: simulator.cars.find((other) => other !== car)?.spec.key ?? '',
    ready: async () => {
      simulator.clearFaults();
      simulator.setWakeTime(0);
      simulator.advance();
      const { state } = car;
      Object.assign(state, { awake: true, wakeAtMs: null, gear: 'P', climateOn: true });
      state.lastActivityMs = state.atMs;
      state.energyKwh = car.spec.capacityKwh * 0.4;
      plugIn(car, { cable: 'ac', limitPct: 70, startAtMs: null });
      await service.prisma.vehicle.updateMany({
        where: { publicId },
        data: { allowUnlock: true, allowControls: true, capabilities: [] },
      });
    },
    send: async (mutation, input = {}) => {
      const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
      const query = `mutation($input: ${type}!) { sent: ${mutation}(input: $input) { replayed command { ${COMMAND} } } }`;
      const body = await ask(query, { input: { publicId, waitSeconds: 20, ...input } });
      return {
        command: at(body, 'data.sent.command'),
        replayed: at(body, 'data.sent.replayed'),
        errors: at(body, 'errors'),
      };
    },
    find,
    until: async (id, ...states) => {
      for (let look = 0; look < 2_400; look += 1) {
        const command = await find(id);
        if (states.includes(String(at(command, 'state')))) return command;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(
        `The command did not become ${states.join(' or ')}: ${JSON.stringify(await find(id))}`,
      );
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The states a command went through, without repetitions. */
export function statesOf(command: unknown): unknown[] {
  const history = at(command, 'history');
  const states = Array.isArray(history) ? history.map((step) => at(step, 'state')) : [];
  return states.filter((state, index) => state !== states[index - 1]);
}
