import { newUuid } from '../../src/base/ids.ts';
import { HOUR_MS } from '../../src/base/units.ts';
import { vaultOf } from '../../src/base/vault.ts';
import type { RenewalParts, RenewalPoint, RenewalTimes } from '../../src/ingest/renewal.ts';
import { type MakerSession, makerSession } from '../../src/ingest/session.ts';
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../src/simulator/server.ts';
import type { MakerAccount, PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { storeTokens } from '../../src/store/maker-accounts.ts';
import { anAccount } from '../support/rows.ts';

/** The key of every vault in these tests. */
export const vault = vaultOf(Buffer.alloc(32, 7));

/** Time limits with which a test waits for a claim that a dead process left. */
export const shortTimes: RenewalTimes = {
  askMs: 2_000,
  leaseMs: 400,
  lookMs: 20,
  patienceMs: 10_000,
};

/** A stand-in for the maker without cars, which takes the refresh token used last once more for an hour. */
export function startTokenMaker(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  return startSimulator({
    cars: [],
    clock: Date.now,
    seed: 'link',
    refreshGraceMs: HOUR_MS,
    ...options,
  });
}

/** An account that is linked to the stand-in, with an access token that ends in `leftMs`. */
export async function aLink(
  prisma: PrismaClient,
  simulator: Simulator,
  leftMs = 0,
): Promise<{ id: string; accountId: string }> {
  const { id: accountId } = await anAccount(prisma);
  const id = newUuid();
  await prisma.makerAccount.create({
    data: {
      id,
      accountId,
      maker: 'simulator',
      region: 'SIM',
      makerSubject: 'person',
      baseUrl: simulator.baseUrl,
      status: 'ACTIVE',
      simulated: true,
    },
  });
  const { accessToken, refreshToken } = simulator.seedTokens({ subject: 'person' });
  const expiresAt = Date.now() + leftMs;
  await storeTokens(prisma, vault, id, { accessToken, refreshToken, expiresAt }, null, 0);
  return { id, accountId };
}

/** A session as another process would have it. */
export function aSession(
  prisma: PrismaClient,
  simulator: Pick<Simulator, 'tokenUrl'>,
  id: string,
  more: Partial<RenewalParts> = {},
): MakerSession {
  return makerSession(id, {
    prisma,
    vault,
    clock: Date.now,
    endpoint: { tokenUrl: simulator.tokenUrl, clientId: 'odograph' },
    signal: new AbortController().signal,
    times: shortTimes,
    ...more,
  });
}

/** A process that stands still for ever at a moment: what it holds is left as a death there would leave it. */
export function diesAt(wanted: RenewalPoint): {
  reached: (point: RenewalPoint) => Promise<void>;
  died: Promise<void>;
} {
  let tell = () => {};
  const died = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const reached = async (point: RenewalPoint) => {
    if (point !== wanted) return;
    tell();
    await new Promise<never>(() => {});
  };
  return { reached, died };
}

/** The row of a maker account. */
export function rowOf(prisma: PrismaClient, id: string): Promise<MakerAccount> {
  return prisma.makerAccount.findUniqueOrThrow({ where: { id } });
}
