import type { MakerRegistration, PrismaClient } from './generated/prisma/client.ts';

/** What was found of a region; instants in epoch milliseconds. */
export type RegistrationFound = Pick<
  MakerRegistration,
  'maker' | 'region' | 'domain' | 'status' | 'detail'
> & { at: number };

/** How the application stands with the regions of a maker that were ever tried. */
export function makerRegistrations(
  prisma: PrismaClient,
  maker: string,
): Promise<MakerRegistration[]> {
  return prisma.makerRegistration.findMany({ where: { maker }, orderBy: { region: 'asc' } });
}

/** Stores how the application stands with a region. */
export async function storeRegistration(
  prisma: PrismaClient,
  { at, ...found }: RegistrationFound,
): Promise<void> {
  const { maker, region, status } = found;
  const triedAt = new Date(at);
  const registered = status === 'REGISTERED' ? { registeredAt: triedAt } : {};
  const data = { ...found, ...registered, triedAt };
  await prisma.makerRegistration.upsert({
    where: { maker_region: { maker, region } },
    create: data,
    update: data,
  });
}
