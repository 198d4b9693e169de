import type { Vault } from '../base/vault.ts';
import type { MakerKey, PrismaClient } from './generated/prisma/client.ts';

function placeOf(maker: string): string {
  return `maker_key:${maker}:private_key`;
}

/** A new key pair, PEM. */
type NewPair = { publicPem: string; privatePem: string };

/** The key pair of the application at a maker; null before one was made. */
export function makerKey(prisma: PrismaClient, maker: string): Promise<MakerKey | null> {
  return prisma.makerKey.findUnique({ where: { maker } });
}

/**
 * The key pair of the application at a maker, made the first time: of several processes that make one at once, the
 * first to store it wins, and all get that one.
 */
export async function ensureMakerKey(
  prisma: PrismaClient,
  vault: Vault,
  { maker, make, at }: { maker: string; make: () => NewPair; at: number },
): Promise<MakerKey> {
  const known = await makerKey(prisma, maker);
  if (known !== null) return known;
  const { publicPem, privatePem } = make();
  const privateKey = vault.seal(privatePem, placeOf(maker));
  const data = { maker, publicKey: publicPem, privateKey, createdAt: new Date(at) };
  await prisma.makerKey.createMany({ data, skipDuplicates: true });
  return prisma.makerKey.findUniqueOrThrow({ where: { maker } });
}

/** The private half, PEM. Throws where the vault has another key than the one it was sealed with. */
export function privateKeyOf(vault: Vault, { maker, privateKey }: MakerKey): string {
  return vault.open(privateKey, placeOf(maker));
}
