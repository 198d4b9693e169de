import { apiKeyById } from '../store/api-keys.ts';
import type { Prisma } from '../store/generated/prisma/client.ts';
import { tokenById } from '../store/tokens.ts';
import type { Principal } from './principal.ts';
import { ofApiKey, ofToken, type StoredCredential } from './stored-credential.ts';

/** Whether a credential that vouches for something still does, and if not why. */
export type Standing =
  | { principal: Principal; lost: null }
  | { principal: null; lost: 'credential_revoked' | 'credential_expired' };

/** How a credential stands at `now` (epoch ms), by its stored kind and id; one that is gone counts as revoked. */
export async function standingOf(
  db: Prisma.TransactionClient,
  credential: { kind: string; id: string },
  now: number,
): Promise<Standing> {
  const stored = await storedWithId(db, credential);
  if (stored === null || stored.revoked) return { principal: null, lost: 'credential_revoked' };
  const { principal } = stored;
  if (principal.expiresAt <= now) return { principal: null, lost: 'credential_expired' };
  return { principal, lost: null };
}

async function storedWithId(
  db: Prisma.TransactionClient,
  { kind, id }: { kind: string; id: string },
): Promise<StoredCredential | null> {
  if (kind === 'TOKEN') {
    const token = await tokenById(db, id, null);
    return token === null ? null : ofToken(token);
  }
  const key = kind === 'API_KEY' ? await apiKeyById(db, id, null) : null;
  return key === null ? null : ofApiKey(key);
}
