import { excessOver } from '../auth/grant.ts';
import type { LocationPrecision } from '../auth/principal.ts';
import { type FieldMessages, ServiceError } from '../base/errors.ts';
import { redacted } from '../base/redact.ts';
import { DAY_MS } from '../base/units.ts';
import { commandGroups } from '../contract/commands/command.ts';
import { isScope, type Scope, scopes as scopesInOrder } from '../contract/scopes.ts';
import { vehicleIdsByName } from '../store/vehicle-names.ts';
import type { AccessContext } from './access-context.ts';

/** Longest life of a token (contract §0, Process). */
const TOKEN_MAX_DAYS = 366;

/** Life of a token when none is asked for. */
export const TOKEN_DEFAULT_DAYS = 90;

/** Name that only the token of the simulated garage has; each start revokes the last of that name. */
export const DEMO_TOKEN_NAME = 'demo';

const NAME_MAX_LENGTH = 100;

/** What is asked of a new token. */
export type TokenRequest = {
  accountId: string;
  name: string;
  scopes: readonly string[];
  /** Slugs or `veh_` ids of the vehicles it is limited to; null for all. */
  vehicleIds: readonly string[] | null;
  expiresInDays?: number | undefined;
  locationPrecision?: LocationPrecision | undefined;
  /** Groups of commands it is limited to; null or none given for all. */
  commandGroups?: readonly string[] | null | undefined;
};

/** A request that was found right, in stored terms; instants in epoch ms. */
export type TokenTerms = {
  name: string;
  scopes: readonly Scope[];
  vehicleIds: readonly string[] | null;
  locationPrecision: LocationPrecision | null;
  commandGroups: readonly string[] | null;
  createdAt: number;
  expiresAt: number;
};

/** `text` as a message may show it: short, and no secret or VIN that was typed into the wrong place. */
function shown(text: string): string {
  return JSON.stringify(redacted(text).slice(0, 60));
}

/** What is wrong with the name of a token. */
export function nameMessages(name: string): string[] {
  if (name === '') return ['A name is needed, to recognise the token by.'];
  if (name.length > NAME_MAX_LENGTH) return [`At most ${NAME_MAX_LENGTH} characters.`];
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return ['Control characters cannot be part of a name.'];
  if (name === DEMO_TOKEN_NAME) return [`"${name}" is the name of the garage's own token.`];
  return [];
}

function scopeMessages(wanted: readonly string[]): string[] {
  if (wanted.length === 0) return ['At least one scope is needed.'];
  return wanted
    .filter((scope) => !isScope(scope))
    .map((scope) => `Unknown scope ${shown(scope)}; there are ${scopesInOrder.join(', ')}.`);
}

/** What is wrong with the life of a token [days]. */
export function daysMessages(days: number): string[] {
  const right = Number.isInteger(days) && days >= 1 && days <= TOKEN_MAX_DAYS;
  return right ? [] : [`A whole number of days from 1 to ${TOKEN_MAX_DAYS}.`];
}

function vehicleMessages(
  wanted: readonly string[] | null,
  idByName: ReadonlyMap<string, string>,
): string[] {
  if (wanted?.length === 0) return ['Name at least one vehicle, or none at all for every vehicle.'];
  return (wanted ?? [])
    .filter((name) => !idByName.has(name))
    .map((name) => `No vehicle ${shown(name)}.`);
}

function groupMessages(wanted: readonly string[] | null, scopes: readonly string[]): string[] {
  if (wanted === null) return [];
  if (!scopes.includes('controls')) return ['Groups of commands need the scope controls.'];
  if (wanted.length === 0) return ['Name at least one group, or none at all for every group.'];
  return wanted
    .filter((group) => !Object.hasOwn(commandGroups, group))
    .map(
      (group) =>
        `Unknown group ${shown(group)}; there are ${Object.keys(commandGroups).join(', ')}.`,
    );
}

/** Throws `validation_failed` when any field has a message. */
export function refuse(message: string, fields: FieldMessages): void {
  const wrong = Object.entries(fields).filter(([, messages]) => messages.length > 0);
  if (wrong.length > 0) {
    throw new ServiceError('validation_failed', message, { fields: Object.fromEntries(wrong) });
  }
}

/** The terms of a request; throws `validation_failed` with every field that is wrong or more than the holder has. */
export async function termsOf(context: AccessContext, request: TokenRequest): Promise<TokenTerms> {
  const { holder } = context;
  const { accountId, vehicleIds, commandGroups: groups = null } = request;
  const name = request.name.trim();
  const days = request.expiresInDays ?? TOKEN_DEFAULT_DAYS;
  const viewer = { accountId, vehicleIds: holder?.vehicleIds ?? null };
  const idByName = await vehicleIdsByName(context.prisma, viewer, vehicleIds ?? []);
  refuse('The token cannot be made as asked.', {
    name: nameMessages(name),
    scopes: scopeMessages(request.scopes),
    expiresInDays: daysMessages(days),
    vehicleIds: vehicleMessages(vehicleIds, idByName),
    commandGroups: groupMessages(groups, request.scopes),
  });
  const createdAt = context.clock();
  const terms: TokenTerms = {
    name,
    scopes: scopesInOrder.filter((scope) => request.scopes.includes(scope)),
    vehicleIds: vehicleIds === null ? null : [...new Set(idByName.values())],
    locationPrecision: request.locationPrecision ?? null,
    commandGroups: groups === null ? null : [...new Set(groups)],
    createdAt,
    expiresAt: createdAt + days * DAY_MS,
  };
  if (holder !== null) {
    const wanted = { ...terms, locationPrecision: terms.locationPrecision ?? 'EXACT' };
    refuse(
      'A credential makes none that opens more than itself.',
      excessOver(holder, wanted) ?? {},
    );
  }
  return terms;
}
