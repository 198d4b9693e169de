/**
 * Every error word a caller may see, with its HTTP status and what the caller can do (contract §12).
 * REST answers the word in lower case, GraphQL in upper case under `extensions.code`.
 */
export const errorTable = {
  invalid_request: { status: 400, resolution: 'fix_request' },
  invalid_command: { status: 400, resolution: 'fix_request' },
  query_too_costly: { status: 400, resolution: 'fix_request' },
  missing_token: { status: 401, resolution: 'reauthenticate' },
  invalid_token: { status: 401, resolution: 'reauthenticate' },
  expired_token: { status: 401, resolution: 'reauthenticate' },
  bearer_required: { status: 401, resolution: 'reauthenticate' },
  budget_exhausted: { status: 402, resolution: 'contact_admin' },
  insufficient_scope: { status: 403, resolution: 'reauthenticate' },
  consent_denied: { status: 403, resolution: 'relink_maker' },
  setting_forbids: { status: 403, resolution: 'contact_admin' },
  command_group_disabled: { status: 403, resolution: 'contact_admin' },
  not_found: { status: 404, resolution: 'fix_request' },
  method_not_allowed: { status: 405, resolution: 'fix_request' },
  not_acceptable: { status: 406, resolution: 'fix_request' },
  vehicle_unavailable: { status: 408, resolution: 'wake_vehicle' },
  idempotency_in_flight: { status: 409, resolution: 'retry_later' },
  command_in_progress: { status: 409, resolution: 'retry_later' },
  relink_required: { status: 409, resolution: 'relink_maker' },
  merge_conflict: { status: 409, resolution: 'fix_request' },
  api_key_removed: { status: 410, resolution: 'reauthenticate' },
  precondition_failed: { status: 412, resolution: 'fix_request' },
  payload_too_large: { status: 413, resolution: 'fix_request' },
  unsupported_media_type: { status: 415, resolution: 'fix_request' },
  validation_failed: { status: 422, resolution: 'fix_request' },
  idempotency_key_reused: { status: 422, resolution: 'fix_request' },
  rate_limited: { status: 429, resolution: 'retry_later' },
  maker_rate_limited: { status: 429, resolution: 'retry_later' },
  internal_error: { status: 500, resolution: 'contact_admin' },
  unsupported_by_vehicle: { status: 501, resolution: null },
  maker_error: { status: 502, resolution: 'retry_later' },
  maker_unavailable: { status: 503, resolution: 'retry_later' },
  service_unavailable: { status: 503, resolution: 'retry_later' },
  maker_timeout: { status: 504, resolution: 'retry_later' },
} as const satisfies Record<string, { status: number; resolution: string | null }>;

export type ErrorCode = keyof typeof errorTable;

/** Field name to the sentences that say what is wrong with it. */
export type FieldMessages = Record<string, string[]>;

export type ErrorDetails = {
  cause?: unknown;
  fields?: FieldMessages;
  retryAfterS?: number;
  requiredScope?: string;
};

/** An error whose code and message the caller may see; everything else becomes `internal_error` at the edge. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldMessages | null;
  readonly retryAfterS: number | null;
  readonly requiredScope: string | null;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.fields = details.fields ?? null;
    this.retryAfterS = details.retryAfterS ?? null;
    this.requiredScope = details.requiredScope ?? null;
  }

  /** HTTP status of the code. */
  get status(): number {
    return errorTable[this.code].status;
  }
}
