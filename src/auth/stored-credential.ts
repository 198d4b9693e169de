import { isScope, type Scope } from '../contract/scopes.ts';
import { apiKeyByHash, noteApiKeyUse } from '../store/api-keys.ts';
import type { ApiKey, PrismaClient, Token } from '../store/generated/prisma/client.ts';
import { ingestTokenByHash, noteIngestTokenUse } from '../store/ingest-tokens.ts';
import { noteTokenUse, tokenByHash } from '../store/tokens.ts';
import type { CredentialKind, PersonalKind, Principal } from './principal.ts';
import type { ParsedSecret } from './token-format.ts';

/** A credential as the store has it: whom it makes the caller, and whether it still does. */
export type StoredCredential = { principal: Principal; revoked: boolean };

const keyScopes: readonly Scope[] = ['vehicles'];
const controlKeyScopes: readonly Scope[] = ['vehicles', 'controls'];

/** What a personal access token opens. */
export function ofToken(token: Token): StoredCredential {
  const principal: Principal = {
    accountId: token.accountId,
    vehicleIds: token.vehicleIds.length === 0 ? null : token.vehicleIds,
    credential: { kind: 'TOKEN', id: token.id, name: token.name },
    scopes: new Set(token.scopes.filter(isScope)),
    locationPrecision: token.locationPrecision ?? 'EXACT',
    commandGroups: token.commandGroups.length === 0 ? null : token.commandGroups,
    expiresAt: token.expiresAt.getTime(),
  };
  return { principal, revoked: token.revokedAt !== null };
}

/** What an API key opens. */
export function ofApiKey(key: ApiKey): StoredCredential {
  const principal: Principal = {
    accountId: key.accountId,
    vehicleIds: null,
    credential: { kind: 'API_KEY', id: key.id, name: `API key …${key.lastFour}` },
    scopes: new Set(key.controls ? controlKeyScopes : keyScopes),
    locationPrecision: 'EXACT',
    commandGroups: null,
    expiresAt: key.expiresAt.getTime(),
  };
  return { principal, revoked: key.revokedAt !== null };
}

/** The credential with the hash of a secret, also when it is revoked or over; null when there is none. */
export async function lookUpCredential(
  prisma: PrismaClient,
  { kind, hash }: ParsedSecret<PersonalKind>,
): Promise<StoredCredential | null> {
  if (kind === 'TOKEN') {
    const token = await tokenByHash(prisma, hash);
    return token === null ? null : ofToken(token);
  }
  const key = await apiKeyByHash(prisma, hash);
  return key === null ? null : ofApiKey(key);
}

/** An ingest token as the store has it: who brings telemetry in, and until when (epoch ms). */
export type StoredIngestToken = {
  credential: { kind: 'INGEST'; id: string; name: string };
  expiresAt: number;
  revoked: boolean;
};

/** The ingest token with the hash of a secret, also when it is revoked or over; null when there is none. */
export async function lookUpIngestToken(
  prisma: PrismaClient,
  { hash }: ParsedSecret<'INGEST'>,
): Promise<StoredIngestToken | null> {
  const token = await ingestTokenByHash(prisma, hash);
  if (token === null) return null;
  return {
    credential: { kind: 'INGEST', id: token.id, name: token.name },
    expiresAt: token.expiresAt.getTime(),
    revoked: token.revokedAt !== null,
  };
}

/** Notes that a credential was used at `at` (epoch ms), at most once a minute. */
export function noteUse(
  prisma: PrismaClient,
  { kind, id }: { kind: CredentialKind; id: string },
  use: { at: number; ip: string | null },
): Promise<void> {
  switch (kind) {
    case 'TOKEN':
      return noteTokenUse(prisma, id, use);
    case 'API_KEY':
      return noteApiKeyUse(prisma, id, use.at);
    case 'INGEST':
      return noteIngestTokenUse(prisma, id, use);
  }
}
