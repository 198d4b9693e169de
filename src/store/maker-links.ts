import type { Vault } from '../base/vault.ts';
import type { MakerLink, Prisma, PrismaClient } from './generated/prisma/client.ts';

function placeOf(id: string): string {
  return `maker_link:${id}:code_verifier`;
}

/** A sign-in that begins; instants in epoch milliseconds, the verifier in the clear. */
export type NewMakerLink = Pick<
  MakerLink,
  'id' | 'accountId' | 'makerAccountId' | 'maker' | 'label' | 'stateHash' | 'redirectUrl'
> & { codeVerifier: string; createdAt: number; expiresAt: number };

/** Stores a sign-in, and removes those of the account that ended before it. */
export async function insertMakerLink(
  tx: Prisma.TransactionClient,
  vault: Vault,
  { codeVerifier, createdAt, expiresAt, ...link }: NewMakerLink,
): Promise<void> {
  const at = new Date(createdAt);
  await tx.makerLink.deleteMany({ where: { accountId: link.accountId, expiresAt: { lt: at } } });
  await tx.makerLink.create({
    data: {
      ...link,
      codeVerifier: vault.seal(codeVerifier, placeOf(link.id)),
      createdAt: at,
      expiresAt: new Date(expiresAt),
    },
  });
}

/** The sign-in with a state, whether or not it still counts; of this account alone where one is given. */
export function makerLinkBy(
  prisma: PrismaClient,
  stateHash: string,
  accountId: string | null,
): Promise<MakerLink | null> {
  return prisma.makerLink.findFirst({
    where: { stateHash, ...(accountId === null ? {} : { accountId }) },
  });
}

/** Uses a sign-in up; false where that has been done before. */
export async function spendMakerLink(
  prisma: PrismaClient,
  link: MakerLink,
  at: number,
): Promise<boolean> {
  const used = await prisma.makerLink.updateMany({
    where: { id: link.id, usedAt: null },
    data: { usedAt: new Date(at) },
  });
  return used.count === 1;
}

/** The code verifier of a sign-in, in the clear. */
export function codeVerifierOf(vault: Vault, link: MakerLink): string {
  return vault.open(link.codeVerifier, placeOf(link.id));
}
