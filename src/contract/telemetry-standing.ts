/** How a vehicle can stand with the telemetry that it is asked for: what that means, and what a person does next. */
export const telemetryTable = {
  NOT_CONFIGURED: {
    description: 'The vehicle is not told to stream.',
    next: 'Tell it: POST /api/account/maker-accounts/:id/telemetry.',
  },
  PENDING: {
    description: 'The vehicle is told to stream, and has not taken it yet.',
    next: 'Wait until it is awake and online; it takes what it is told by itself.',
  },
  SYNCED: {
    description: 'The vehicle has taken what it is told to stream.',
    next: null,
  },
  OTHER: {
    description: 'The vehicle is told to stream something else, or elsewhere.',
    next: 'Tell it anew: POST /api/account/maker-accounts/:id/telemetry.',
  },
  SKIPPED: {
    description: 'The maker did not tell the vehicle.',
    next: 'Do what the reason asks for, then tell it anew.',
  },
  FAILED: {
    description: 'The maker did not say how the vehicle stands.',
    next: 'Ask again later.',
  },
} as const satisfies Record<string, { description: string; next: string | null }>;

/** A word of the table. */
export type TelemetryWord = keyof typeof telemetryTable;

/** What to do where the maker gives a reason; its words (maker documentation, "fleet_telemetry_config create"). */
const nextByReason: { readonly [reason: string]: string } = {
  missing_key: 'Put the service’s key on the vehicle: open the pairing address on the phone that has the maker’s app.',
  unsupported_firmware: 'Update the software of the vehicle to 2024.26 or later.',
  unsupported_hardware: 'Nothing: the vehicle cannot stream, and is polled.',
  max_configs: 'Let another application that the vehicle streams to go, then tell it anew.',
  limit_reached: 'Let another application that the vehicle streams to go, then tell it anew.',
};

/** What a person does next about a vehicle's telemetry; null for nothing. */
export function telemetryNext(status: TelemetryWord, reason: string | null): string | null {
  return (reason === null ? undefined : nextByReason[reason]) ?? telemetryTable[status].next;
}
