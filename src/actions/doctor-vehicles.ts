import { DAY_MS } from '../base/units.ts';
import { telemetryNext, telemetryTable } from '../contract/telemetry-standing.ts';
import type { Vehicle } from '../store/generated/prisma/client.ts';
import { type Check, fine, odd } from './doctor-check.ts';

const SILENT_MS = 7 * DAY_MS;
const TELEMETRY_ENDS_SOON_MS = 30 * DAY_MS;

/** What vehicles are held against: what the instance has set, and the present in epoch milliseconds. */
export type VehicleScale = {
  now: number;
  pairingUrl: string | null;
  signs: boolean;
  streams: boolean;
};

/** How a followed vehicle does: whether it is heard, and for a real one its key, its commands and its telemetry. */
export function vehicleChecks(row: Vehicle, scale: VehicleScale): Check[] {
  const heard = heardCheck(row, scale.now);
  if (row.simulated) return [heard];
  const streams = scale.streams ? [telemetryCheck(row, scale.now)] : [];
  return [heard, keyCheck(row, scale), ...streams];
}

function heardCheck({ publicId, lastSeenAt, logging }: Vehicle, now: number): Check {
  const id = `vehicle.${publicId}.heard`;
  if (!logging)
    return odd(id, `${publicId} is not recorded: its logging is off.`, 'Switch logging on.');
  if (lastSeenAt === null) {
    const next = 'Wait until it wakes by itself; its account has to work for that.';
    return odd(id, `${publicId} was never heard.`, next);
  }
  const at = lastSeenAt.toISOString().slice(0, 16).replace('T', ' ');
  if (now - lastSeenAt.getTime() <= SILENT_MS)
    return fine(id, `${publicId} was heard at ${at} UTC.`);
  return odd(
    id,
    `${publicId} was last heard at ${at} UTC.`,
    'See that its maker account works, and that the vehicle is online in the maker’s app.',
  );
}

function keyCheck(row: Vehicle, { pairingUrl, signs }: VehicleScale): Check {
  const { publicId, keyPaired, commandProtocolRequired } = row;
  const id = `vehicle.${publicId}.key`;
  if (keyPaired === null) {
    const next = 'Ask: GET /api/account/maker-vehicles.';
    return odd(id, `Nobody asked yet whether ${publicId} has the service’s key.`, next);
  }
  if (!keyPaired) {
    const says = `${publicId} does not have the service’s key: it streams nothing${commandProtocolRequired ? ' and takes no commands' : ''}.`;
    return odd(
      id,
      says,
      `Open ${pairingUrl ?? 'the pairing address'} on the phone that has the maker’s app.`,
    );
  }
  if (commandProtocolRequired && !signs) {
    const says = `${publicId} takes signed commands only, and no signing proxy is set.`;
    return odd(id, says, 'Run the maker’s signing proxy and set ODOGRAPH_COMMAND_PROXY_URL.');
  }
  const signing = commandProtocolRequired ? 'signed commands only' : 'unsigned commands too';
  return fine(id, `${publicId} has the service’s key and takes ${signing}.`);
}

function telemetryCheck(row: Vehicle, now: number): Check {
  const { publicId, telemetryReason: reason, telemetryExpiresAt } = row;
  const id = `vehicle.${publicId}.telemetry`;
  const status = row.telemetryStatus ?? 'NOT_CONFIGURED';
  const says = `${publicId}: ${telemetryTable[status].description}${reason === null ? '' : ` (${reason})`}`;
  const endsInMs = telemetryExpiresAt === null ? null : telemetryExpiresAt.getTime() - now;
  if (status === 'SYNCED' && endsInMs !== null && endsInMs < TELEMETRY_ENDS_SOON_MS) {
    const day = telemetryExpiresAt?.toISOString().slice(0, 10);
    const next = telemetryTable.OTHER.next;
    return odd(id, `${publicId} streams until ${day} only.`, next);
  }
  const next = telemetryNext(status, reason);
  return next === null ? fine(id, says) : odd(id, says, next);
}
