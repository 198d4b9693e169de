import type { Principal } from '../auth/principal.ts';
import { ConfigError } from '../base/config.ts';
import type { ErrorCode } from '../base/errors.ts';
import { ServiceError } from '../base/errors.ts';
import { MINUTE_MS } from '../base/units.ts';
import {
  type CommandParams,
  type CommandRow,
  capabilities,
  commandGroups,
  type Precondition,
} from '../contract/commands/command.ts';
import type { KnownState } from '../store/known-state.ts';

/** Why a command is kept in the ledger and never sent. */
export type Rejection = { code: ErrorCode; message: string };

/** The vehicle as far as a command needs it. */
export type CommandedVehicle = {
  allowControls: boolean;
  allowUnlock: boolean;
  capabilities: readonly string[];
};

/** What was seen longer ago says nothing about now: somebody may have plugged the cable in since. */
const FRESH_MS = MINUTE_MS;

/** Throws ConfigError where an instance is to offer groups that there are not: it would refuse more than it was told to. */
export function checkGroupNames(groups: readonly string[]): void {
  const known = [...Object.keys(commandGroups), 'all', 'none'];
  const unknown = groups.filter((group) => !known.includes(group));
  if (unknown.length === 0) return;
  const message = `ODOGRAPH_COMMAND_GROUPS must be names of ${known.join(', ')}`;
  throw new ConfigError([`${message} (it has ${unknown.join(', ').slice(0, 60)}).`]);
}

type Offer = { groups: readonly string[]; adminCommands: boolean };

/** Whether the instance offers a command at all. */
export function isOffered(row: CommandRow, { groups, adminCommands }: Offer): boolean {
  const grouped = groups.includes('all') || groups.includes(row.group);
  return grouped && (row.surface === 'all' || adminCommands);
}

/** Throws `command_group_disabled` where the instance does not offer the command's group, or the command at all. */
export function checkOffered(row: CommandRow, offer: Offer): void {
  if (isOffered(row, offer)) return;
  throw new ServiceError(
    'command_group_disabled',
    isOffered(row, { ...offer, adminCommands: true })
      ? 'This instance does not offer this command; ODOGRAPH_ADMIN_COMMANDS would.'
      : `This instance sends no commands of the group ${row.group}.`,
  );
}

/** A command of the catalogue or of the ledger, which may hold groups that this version does not know. */
type Grouped = { group: string };

/** Whether a caller's credential may send a command of the group. */
export function isAllowed({ group }: Grouped, { commandGroups }: Principal): boolean {
  return commandGroups === null || commandGroups.includes(group);
}

/** Throws `command_group_disabled` where the caller's credential is limited to other groups. */
export function checkAllowed(row: Grouped, principal: Principal): void {
  if (isAllowed(row, principal)) return;
  throw new ServiceError(
    'command_group_disabled',
    `The token sends no commands of the group ${row.group}.`,
  );
}

/** Whether a vehicle can do it; one that never told what it can do may be able to. */
export function isSupported({ needs }: CommandRow, { capabilities }: CommandedVehicle): boolean {
  return needs === undefined || capabilities.length === 0 || capabilities.includes(needs);
}

/** Why a command is not sent to a vehicle: its settings, what it can do, and how it was last seen; null where nothing is against it. */
export function rejectionOf(
  row: CommandRow,
  params: CommandParams,
  { vehicle, state, at }: { vehicle: CommandedVehicle; state: KnownState; at: number },
): Rejection | null {
  if (!vehicle.allowControls) {
    return {
      code: 'setting_forbids',
      message: forbidding('allow_controls', 'every command'),
    };
  }
  if (row.unlocks === true && !vehicle.allowUnlock) {
    return { code: 'setting_forbids', message: forbidding('allow_unlock', 'this') };
  }
  if (!isSupported(row, vehicle)) {
    const lacking = row.needs === undefined ? 'way to do this' : capabilities[row.needs];
    return { code: 'unsupported_by_vehicle', message: `The vehicle has no ${lacking}.` };
  }
  const { precondition } = row;
  if (precondition === undefined) return null;
  const { unless } = precondition;
  if (unless !== undefined && params[unless.param] === unless.is) return null;
  return standsAgainst(precondition.is, state, at);
}

function forbidding(setting: string, what: string): string {
  return `The vehicle’s setting \`${setting}\` is off, which forbids ${what}; \`PATCH /api/vehicle/:public_id\` or \`updateVehicle\` switches it on.`;
}

function standsAgainst(
  precondition: Precondition,
  { signals, seenAt }: KnownState,
  at: number,
): Rejection | null {
  const fresh = (section: string) => at - (seenAt[section] ?? Number.NEGATIVE_INFINITY) <= FRESH_MS;
  const against = (message: string): Rejection => ({ code: 'precondition_failed', message });
  switch (precondition) {
    case 'parked': {
      const { gear } = signals;
      const moves = gear === 'D' || gear === 'R' || gear === 'N';
      return moves && fresh('drive') ? against('The vehicle is not parked.') : null;
    }
    case 'plugged_in':
      return signals.pluggedIn === false && fresh('charge')
        ? against('No cable is in the charge port.')
        : null;
    case 'climate_on':
      return signals.climateOn === false && fresh('climate')
        ? against('The climate has to be on.')
        : null;
  }
}
