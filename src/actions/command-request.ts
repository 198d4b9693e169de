import { createHash } from 'node:crypto';
import type { Principal } from '../auth/principal.ts';
import { redactedParams } from '../contract/command-params.ts';
import type { CommandConfirm, CommandVia } from '../contract/command-states.ts';
import type { CommandParams } from '../contract/commands/command.ts';
import { type CommandName, commandRow } from '../contract/commands.ts';
import type { Command, Vehicle } from '../store/generated/prisma/client.ts';
import type { KeyedRequest } from '../store/idempotency.ts';

/** A command as a caller asks for it; the vehicle is one the caller may see. */
export type CommandRequest = {
  vehicle: Vehicle;
  name: CommandName;
  params: CommandParams;
  principal: Principal;
  requestId: string;
  via: CommandVia;
  confirm: CommandConfirm;
  /** Whether the vehicle may be woken for it. */
  wake: boolean;
  /** How long it may take [s]. */
  deadlineSeconds: number;
  /** How long the caller waits for its end [s]; 0 not at all. */
  waitSeconds: number;
  idempotencyKey: string | null;
  overrideBudget: boolean;
};

/** The command, and whether it is that of an earlier request with the same key. */
export type SentCommand = { command: Command; replayed: boolean };

/** The key of a request, with a hash of all it asks; null where it has none. */
export function keyedRequest(request: CommandRequest): KeyedRequest | null {
  const { idempotencyKey: key, vehicle, name, principal } = request;
  if (key === null) return null;
  const { confirm, wake, overrideBudget, deadlineSeconds } = request;
  // Without PINs: a hash of one among ten thousand would tell it.
  const params = Object.entries(redactedParams(commandRow(name), request.params));
  params.sort(([a], [b]) => (a < b ? -1 : 1));
  const asked = JSON.stringify([params, confirm, wake, overrideBudget, deadlineSeconds]);
  return {
    credentialId: principal.credential.id,
    route: `${vehicle.id}:${name}`,
    key,
    requestHash: createHash('sha256').update(asked).digest('hex'),
  };
}

/** Whose points a request costs. */
export const spenderOf = ({ principal, vehicle }: CommandRequest) => ({
  accountId: principal.accountId,
  credential: principal.credential,
  vehicleId: vehicle.id,
});

/** Whether a command may be sent although the budget is used up; a tool that acts by itself may not decide that (contract §0). */
export function overrides({ overrideBudget, via }: CommandRequest): boolean {
  return overrideBudget && via !== 'MCP';
}
