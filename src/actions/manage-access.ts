import { mintSecret, signOf } from '../auth/token-format.ts';
import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf, uuidOf } from '../base/ids.ts';
import { DAY_MS } from '../base/units.ts';
import { scopes } from '../contract/scopes.ts';
import { apiKeyById, endApiKey, insertApiKey } from '../store/api-keys.ts';
import { type AuditDetails, type AuditFact, audited } from '../store/audit.ts';
import type { Prisma } from '../store/generated/prisma/client.ts';
import { endToken, insertToken, tokenById, tokensNamed, tokensOf } from '../store/tokens.ts';
import type { AccessContext } from './access-context.ts';
import {
  DEMO_TOKEN_NAME,
  TOKEN_DEFAULT_DAYS,
  type TokenRequest,
  type TokenTerms,
  termsOf,
} from './token-request.ts';
import { type TokenView, tokenView } from './token-view.ts';

/** Life of an API key [days]: as long as the longest token. */
const API_KEY_DAYS = 366;

/** A new token: its secret, told this once, and what it is. */
export type NewTokenView = TokenView & { token: string };

/** A new API key: its secret, told this once, and what it is. */
export type NewApiKeyView = {
  apiKey: string;
  id: string;
  lastFour: string;
  controls: boolean;
  expiresAt: string;
};

/** What a revocation did; `changed` is false when it had been done before. */
export type Revocation = { id: string; changed: boolean };

function fact(
  { actor, requestId, clock }: AccessContext,
  action: string,
  object: string,
  details: AuditDetails,
): AuditFact {
  return { at: clock(), actor, action, object, details, requestId };
}

async function mint(
  context: AccessContext,
  tx: Prisma.TransactionClient,
  accountId: string,
  terms: TokenTerms,
): Promise<{ result: NewTokenView; fact: AuditFact }> {
  const { secret, hash, lastFour } = mintSecret('TOKEN');
  const stored = await insertToken(tx, { ...terms, id: newUuid(), accountId, hash, lastFour });
  const view = tokenView(stored);
  const { id, name, scopes, vehicleIds, locationPrecision, commandGroups, expiresAt } = view;
  return {
    result: { token: secret, ...view },
    fact: fact(context, 'token.create', id, {
      ...signOf('TOKEN', stored),
      name,
      scopes,
      vehicleIds,
      locationPrecision,
      commandGroups,
      expiresAt,
    }),
  };
}

/**
 * Makes a personal access token. Throws `validation_failed` with the fields that are wrong, or that ask for more than
 * the holder has, and `not_found` for an unknown account.
 */
export async function createToken(
  context: AccessContext,
  request: TokenRequest,
): Promise<NewTokenView> {
  const terms = await termsOf(context, request);
  return audited(context.prisma, request.accountId, async (tx) => {
    const minted = await mint(context, tx, request.accountId, terms);
    return { result: minted.result, facts: [minted.fact] };
  });
}

/** Makes the demo token of the simulated garage, with every scope, and revokes the last (contract §0, Process). */
export async function mintDemoToken(
  context: AccessContext,
  accountId: string,
): Promise<NewTokenView> {
  const createdAt = context.clock();
  const { result, hashes } = await audited(context.prisma, accountId, async (tx) => {
    const former = await tokensNamed(tx, accountId, DEMO_TOKEN_NAME);
    for (const { id } of former) await endToken(tx, id, createdAt);
    const minted = await mint(context, tx, accountId, {
      name: DEMO_TOKEN_NAME,
      scopes,
      vehicleIds: null,
      locationPrecision: null,
      commandGroups: null,
      createdAt,
      expiresAt: createdAt + TOKEN_DEFAULT_DAYS * DAY_MS,
    });
    const revocations = former.map((token) =>
      fact(context, 'token.revoke', typeIdOf('Token', token.id), {
        ...signOf('TOKEN', token),
        name: token.name,
      }),
    );
    return {
      result: { result: minted.result, hashes: former.map(({ hash }) => hash) },
      facts: [...revocations, minted.fact],
    };
  });
  for (const hash of hashes) context.forget(hash);
  return result;
}

/** An account's tokens, newest first, at most `limit`; `more` says that there are others. */
export async function listTokens(
  { prisma }: AccessContext,
  { accountId, revoked, limit }: { accountId: string; revoked: boolean; limit: number },
): Promise<{ tokens: TokenView[]; more: boolean }> {
  const tokens = await tokensOf(prisma, accountId, { revoked, limit: limit + 1 });
  return { tokens: tokens.slice(0, limit).map(tokenView), more: tokens.length > limit };
}

/**
 * Revokes a token of an account, or of any account for the operator (null). Throws `not_found` when it is not there.
 */
export async function revokeToken(
  context: AccessContext,
  { id, accountId }: { id: string; accountId: string | null },
): Promise<Revocation> {
  const uuid = uuidOf('Token', id);
  const token = uuid === null ? null : await tokenById(context.prisma, uuid, accountId);
  if (token === null) throw new ServiceError('not_found', 'There is no token with this id.');
  try {
    return await audited(context.prisma, token.accountId, async (tx) => {
      const changed = await endToken(tx, token.id, context.clock());
      const details = { ...signOf('TOKEN', token), name: token.name };
      const facts = changed ? [fact(context, 'token.revoke', id, details)] : [];
      return { result: { id, changed }, facts };
    });
  } finally {
    context.forget(token.hash);
  }
}

/** Makes an API key, which opens `vehicles` and, if asked, `controls` (spec 5). Throws `not_found` for an unknown account. */
export async function createApiKey(
  context: AccessContext,
  { accountId, controls }: { accountId: string; controls: boolean },
): Promise<NewApiKeyView> {
  const { secret, hash, lastFour } = mintSecret('API_KEY');
  const createdAt = context.clock();
  const expiresAt = createdAt + API_KEY_DAYS * DAY_MS;
  const uuid = newUuid();
  const id = typeIdOf('ApiKey', uuid);
  const ends = new Date(expiresAt).toISOString();
  await audited(context.prisma, accountId, async (tx) => {
    const row = { id: uuid, accountId, hash, lastFour, controls, createdAt, expiresAt };
    await insertApiKey(tx, row);
    const details = { ...signOf('API_KEY', row), controls, expiresAt: ends };
    return { result: null, facts: [fact(context, 'api_key.create', id, details)] };
  });
  return { apiKey: secret, id, lastFour, controls, expiresAt: ends };
}

/** Revokes an API key of an account, or of any account for the operator (null). Throws `not_found` when it is not there. */
export async function revokeApiKey(
  context: AccessContext,
  { id, accountId }: { id: string; accountId: string | null },
): Promise<Revocation> {
  const uuid = uuidOf('ApiKey', id);
  const key = uuid === null ? null : await apiKeyById(context.prisma, uuid, accountId);
  if (key === null) throw new ServiceError('not_found', 'There is no API key with this id.');
  try {
    return await audited(context.prisma, key.accountId, async (tx) => {
      const changed = await endApiKey(tx, key.id, context.clock());
      return {
        result: { id, changed },
        facts: changed ? [fact(context, 'api_key.revoke', id, signOf('API_KEY', key))] : [],
      };
    });
  } finally {
    context.forget(key.hash);
  }
}
