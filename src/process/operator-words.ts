import { ConfigError } from '../base/config.ts';
import { type ErrorCode, ServiceError } from '../base/errors.ts';
import { redacted } from '../base/redact.ts';
import type { VerbResult } from '../transports/control/verbs.ts';

type TokenRow = VerbResult<'token.list'>['tokens'][number];

/** How the command line calls what the verbs call otherwise. */
const flagByField: { readonly [field: string]: string } = {
  name: '--name',
  scopes: '--scopes',
  expiresInDays: '--days',
  vehicleIds: '--vehicle',
  locationPrecision: '--precision',
  commandGroups: '--groups',
  account: '--account',
};

const hints: { readonly [C in ErrorCode]?: string } = {
  validation_failed: 'add --help to see what the command takes.',
  not_found:
    'an account exists once the service was started (`npm start`); `odograph token list` shows the ids of its tokens.',
  service_unavailable: 'try again, and look at the log of the running service.',
  internal_error: 'look at the log of the running service.',
};

/** What a failed command says on standard error: what was wrong with what, and what to do. */
export function failureText(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : null;
  const fields = cause instanceof ServiceError ? Object.entries(cause.fields ?? {}) : [];
  const hint = cause instanceof ServiceError ? hints[cause.code] : undefined;
  const lines = [
    `error: ${message}`,
    ...fields.flatMap(([field, messages]) =>
      messages.map((sentence) => `  ${flagByField[field] ?? field}: ${sentence}`),
    ),
    // The caller's own words need no deeper cause.
    ...(inner === null || fields.length > 0 ? [] : [`  because: ${inner}`]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ];
  return redacted(`${lines.join('\n')}\n`);
}

/** Exit code of a failed command: 2 for what was typed or set wrongly, 1 for everything else. */
export function exitCodeOf(cause: unknown): 1 | 2 {
  const typed =
    cause instanceof ConfigError ||
    (cause instanceof ServiceError && (cause.status === 400 || cause.status === 422));
  return typed ? 2 : 1;
}

/** What a token opens, in words without its end. */
export function grantText({ scopes, vehicleIds, commandGroups }: TokenRow): string {
  const opened = scopes
    .map((scope) =>
      scope === 'controls' && commandGroups !== null
        ? `${scope} of ${commandGroups.join(' and ')}`
        : scope,
    )
    .join(', ');
  if (vehicleIds === null) return opened;
  return `${opened} (${vehicleIds.length} ${vehicleIds.length === 1 ? 'vehicle' : 'vehicles'} only)`;
}

type IngestTokenRow = VerbResult<'ingestToken.list'>['tokens'][number];

/** When a token ends, was last used and was revoked. */
function lifeCells(token: IngestTokenRow): string[] {
  return [
    token.expiresAt.slice(0, 10),
    token.lastUsedAt?.slice(0, 16).replace('T', ' ') ?? 'never',
    token.revokedAt?.slice(0, 10) ?? '',
  ];
}

/** A list of tokens as a table for people; the newest is first. */
export function tokenTable(tokens: readonly TokenRow[]): string {
  const rows = tokens.map((token) => [token.id, token.name, grantText(token), ...lifeCells(token)]);
  return tableOf(['ID', 'NAME', 'OPENS', 'ENDS', 'LAST USED', 'REVOKED'], rows);
}

/** A list of ingest tokens as a table for people; the newest is first. */
export function ingestTokenTable(tokens: readonly IngestTokenRow[]): string {
  const rows = tokens.map((token) => [token.id, token.name, ...lifeCells(token)]);
  return tableOf(['ID', 'NAME', 'ENDS', 'LAST USED', 'REVOKED'], rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
