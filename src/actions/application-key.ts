import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import type { Vault } from '../base/vault.ts';
import { newKeyPair } from '../maker/application-key.ts';
import { FLEET_MAKER } from '../maker/connector.ts';
import { audited } from '../store/audit.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { ensureMakerKey, makerKey, privateKeyOf } from '../store/maker-keys.ts';
import type { AccessContext } from './access-context.ts';

/** Makes the key pair of the application where there is none; the public half, PEM. */
export async function ensureApplicationKey(
  { prisma, vault, clock }: { prisma: PrismaClient; vault: Vault; clock: Clock },
  maker: string,
): Promise<string> {
  const key = await ensureMakerKey(prisma, vault, { maker, make: newKeyPair, at: clock() });
  return key.publicKey;
}

/** The public half of the key pair, PEM; null before it is made. */
export async function applicationPublicKey(
  prisma: PrismaClient,
  maker: string,
): Promise<string | null> {
  return (await makerKey(prisma, maker))?.publicKey ?? null;
}

/** Both halves of a key pair, PEM. */
export type ExportedKey = { maker: string; publicKey: string; privateKey: string };

/**
 * The whole key pair, for the maker's signing proxy; the audit of the named account tells of it. Throws `not_found`
 * before a pair was made.
 */
export async function exportApplicationKey(
  { prisma, clock, actor, requestId }: AccessContext,
  vault: Vault,
  { accountId }: { accountId: string },
): Promise<ExportedKey> {
  const maker = FLEET_MAKER;
  const key = await makerKey(prisma, maker);
  if (key === null) {
    const message = 'There is no key pair: it is made when the service starts with a client id.';
    throw new ServiceError('not_found', message);
  }
  const exported = { maker, publicKey: key.publicKey, privateKey: privateKeyOf(vault, key) };
  return audited(prisma, accountId, async () => {
    const action = 'maker_key.export';
    const fact = { at: clock(), actor, action, object: null, details: { maker }, requestId };
    return { result: exported, facts: [fact] };
  });
}
