import { mintSecret, signOf } from '../auth/token-format.ts';
import { ServiceError } from '../base/errors.ts';
import { newUuid, typeIdOf, uuidOf } from '../base/ids.ts';
import { DAY_MS } from '../base/units.ts';
import { type AuditDetails, type AuditFact, audited } from '../store/audit.ts';
import type { IngestToken } from '../store/generated/prisma/client.ts';
import {
  endIngestToken,
  ingestTokenById,
  ingestTokens,
  insertIngestToken,
} from '../store/ingest-tokens.ts';
import type { AccessContext } from './access-context.ts';
import type { Revocation } from './manage-access.ts';
import { daysMessages, nameMessages, refuse, TOKEN_DEFAULT_DAYS } from './token-request.ts';

/** An ingest token as it is told to the operator: never its secret; instants in RFC 3339. */
export type IngestTokenView = {
  id: string;
  name: string;
  lastFour: string;
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
  lastIp: string | null;
  revokedAt: string | null;
};

/** A new ingest token: its secret, told this once, and what it is. */
export type NewIngestTokenView = IngestTokenView & { token: string };

function viewOf(token: IngestToken): IngestTokenView {
  return {
    id: typeIdOf('IngestToken', token.id),
    name: token.name,
    lastFour: token.lastFour,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt.toISOString(),
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    lastIp: token.lastIp,
    revokedAt: token.revokedAt?.toISOString() ?? null,
  };
}

function fact(
  { actor, requestId, clock }: AccessContext,
  action: string,
  object: string,
  details: AuditDetails,
): AuditFact {
  return { at: clock(), actor, action, object, details, requestId };
}

/**
 * Makes an ingest token, which brings telemetry of every vehicle of the instance in and opens nothing else; the audit of
 * the named account tells of it. Throws `validation_failed` with the fields that are wrong, `not_found` for the account.
 */
export async function createIngestToken(
  context: AccessContext,
  request: { accountId: string; name: string; expiresInDays?: number | undefined },
): Promise<NewIngestTokenView> {
  const name = request.name.trim();
  const days = request.expiresInDays ?? TOKEN_DEFAULT_DAYS;
  refuse('The ingest token cannot be made as asked.', {
    name: nameMessages(name),
    expiresInDays: daysMessages(days),
  });
  const { accountId } = request;
  const { secret, hash, lastFour } = mintSecret('INGEST');
  const createdAt = context.clock();
  const expiresAt = createdAt + days * DAY_MS;
  return audited(context.prisma, accountId, async (tx) => {
    const row = { id: newUuid(), accountId, name, hash, lastFour, createdAt, expiresAt };
    const view = viewOf(await insertIngestToken(tx, row));
    const details = { ...signOf('INGEST', view), name, expiresAt: view.expiresAt };
    return {
      result: { token: secret, ...view },
      facts: [fact(context, 'ingest_token.create', view.id, details)],
    };
  });
}

/** The instance's ingest tokens, newest first, at most `limit`; `more` says that there are others. */
export async function listIngestTokens(
  { prisma }: AccessContext,
  { revoked, limit }: { revoked: boolean; limit: number },
): Promise<{ tokens: IngestTokenView[]; more: boolean }> {
  const tokens = await ingestTokens(prisma, { revoked, limit: limit + 1 });
  return { tokens: tokens.slice(0, limit).map(viewOf), more: tokens.length > limit };
}

/** Revokes an ingest token. Throws `not_found` when it is not there. */
export async function revokeIngestToken(
  context: AccessContext,
  { id }: { id: string },
): Promise<Revocation> {
  const { prisma, clock } = context;
  const uuid = uuidOf('IngestToken', id);
  const token = uuid === null ? null : await ingestTokenById(prisma, uuid);
  if (token === null) throw new ServiceError('not_found', 'There is no ingest token with this id.');
  const { accountId, name } = token;
  try {
    // Its account may be gone, and the audit with it.
    if (accountId === null) return { id, changed: await endIngestToken(prisma, token.id, clock()) };
    return await audited(prisma, accountId, async (tx) => {
      const changed = await endIngestToken(tx, token.id, clock());
      const details = { ...signOf('INGEST', token), name };
      const facts = changed ? [fact(context, 'ingest_token.revoke', id, details)] : [];
      return { result: { id, changed }, facts };
    });
  } finally {
    context.forget(token.hash);
  }
}
