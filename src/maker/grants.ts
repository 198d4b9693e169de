import { DAY_MS } from '../base/units.ts';

/** What charging and its history are behind (maker documentation, "Authentication"). */
export const chargingScope = 'vehicle_charging_cmds';

/** What the service asks of the maker for an account, in the maker's words (maker documentation, "Authentication"). */
export const wantedScopes = [
  'openid',
  'offline_access',
  'user_data',
  'vehicle_device_data',
  'vehicle_location',
  'vehicle_cmds',
  chargingScope,
] as const;

/** What the application asks for itself, when it registers and reads what vehicles report of their telemetry. */
export const applicationScopes = [
  'openid',
  'vehicle_device_data',
  'vehicle_cmds',
  chargingScope,
] as const;

/** Without these nothing can be recorded, or only for some hours; without the others there is less to record. */
const neededScopes: readonly string[] = ['offline_access', 'vehicle_device_data'];

/** How long a refresh token lives that is not used (maker.md §1.2). */
export const REFRESH_LIFETIME_MS = 90 * DAY_MS;

/** How a grant stands against what is wanted. */
export type Grant = {
  grantedScopes: string[];
  missingScopes: string[];
  /** Whether the link can work at all. */
  enough: boolean;
};

/** What an access token grants; a token that does not say is taken to grant what was asked for. */
export function grantOf(scopes: readonly string[] | null): Grant {
  const granted = scopes ?? wantedScopes;
  const missingScopes = wantedScopes.filter((scope) => !granted.includes(scope));
  return {
    grantedScopes: [...granted],
    missingScopes,
    enough: neededScopes.every((scope) => granted.includes(scope)),
  };
}
