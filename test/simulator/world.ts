import { linkByRefreshToken } from '../../src/actions/link-by-token.ts';
import { HOUR_MS } from '../../src/base/units.ts';
import { newCar } from '../../src/simulator/car.ts';
import { carSpecs } from '../../src/simulator/garage.ts';
import { scripted, type Trouble, type Turn } from '../../src/simulator/scenario.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import type { Car } from '../../src/simulator/state.ts';
import type {
  MakerAccount,
  PrismaClient,
  Vehicle,
} from '../../src/store/generated/prisma/client.ts';
import { storeTokens } from '../../src/store/maker-accounts.ts';
import { vault } from '../link/linked.ts';
import { aMakerAccount, anAccount, aPrincipal, aVehicle } from '../support/rows.ts';
import type { Life } from './life.ts';

/** The maker with its two regions, a person's account there, its car and another one that stands at home. */
export type World = AsyncDisposable & {
  maker: Simulator;
  account: MakerAccount;
  vehicle: Vehicle;
  other: Vehicle;
  trouble: (trouble: Trouble) => void;
  calm: (trouble: Trouble) => void;
  /** Lets a turn of the maker or the person happen; those of the service itself are its owner's. */
  turn: (what: Turn['what'], life: Life) => Promise<void>;
};

/** What a world begins with. */
type Beginning = { car: Car; seed: string; clock: () => number; followsOther: boolean };

/** A linked account whose access token is fresh. */
export async function startWorld(
  prisma: PrismaClient,
  { car, seed, clock, followsOther }: Beginning,
): Promise<World> {
  const atMs = clock();
  const { vin } = car.spec;
  const otherSpec = carSpecs.find((spec) => spec.key !== car.spec.key) ?? car.spec;
  const standing = scripted(otherSpec, atMs, { outings: [] });
  const cars = [car, newCar(standing, { seed, atMs, showings: [] })];
  const regions = [
    await startSimulator({ cars, clock, seed }),
    await startSimulator({ cars, clock, seed }),
  ] as const;
  const [maker, elsewhere] = regions;
  const person = await anAccount(prisma);
  const makerAccount = { makerSubject: person.id, baseUrl: maker.baseUrl, region: 'EU' } as const;
  const account = await aMakerAccount(prisma, person, makerAccount);
  const signIn = () => {
    const vins = [vin, standing.vin];
    elsewhere.seedTokens({ subject: person.id, vins });
    return maker.seedTokens({ subject: person.id, vins });
  };
  const tokens = { ...signIn(), expiresAt: atMs + 8 * HOUR_MS };
  await storeTokens(prisma, vault, account.id, tokens, null, atMs);
  // Alerts and drivers are asked for long after.
  const shared = { makerAccountId: account.id, particularsAt: new Date(Date.UTC(2100, 0)) };
  const vehicle = await aVehicle(prisma, person, { ...shared, vin });
  const other = await aVehicle(prisma, person, {
    ...{ ...shared, vin: standing.vin, logging: followsOther },
  });

  const signInAgain = async ({ sessions, limits: { ledger } }: Life) => {
    const { baseUrl } = await prisma.makerAccount.findUniqueOrThrow({ where: { id: account.id } });
    const connector = {
      ...{ maker: account.maker, simulated: false, clientSecret: null, application: null },
      ...{ clientId: 'odograph', tokenUrl: maker.tokenUrl, authorizeUrl: maker.authorizeUrl },
      ...{ redirectUrl: maker.baseUrl, apiUrlOf: () => baseUrl },
    };
    const connectors = new Map([[account.maker, connector]]);
    const door = { connectors, vault, sessions, ledger, changed: () => {} };
    const principal = aPrincipal(person);
    const call = { prisma, clock, door, principal, requestId: 'scenario' };
    const { refreshToken } = signIn();
    await linkByRefreshToken(call, { maker: null, label: null, refreshToken });
  };
  const sell = (sold: string) => {
    for (const region of regions) region.fault({ kind: 'sold', vin: sold });
  };
  const turns: Partial<Record<Turn['what'], (life: Life) => Promise<void> | void>> = {
    'account moves to another region': () =>
      maker.fault({ kind: 'out_of_region', regionUrl: elsewhere.baseUrl }),
    'car is sold': () => sell(vin),
    'another car is sold': () => sell(standing.vin),
    'person revokes the access': () => {
      for (const region of regions) region.fault({ kind: 'token_expired' });
      maker.fault({ kind: 'login_required' });
    },
    'person signs in again': (life) => {
      for (const region of regions) region.clearFaults('token_expired');
      maker.clearFaults('login_required');
      return signInAgain(life);
    },
  };
  return {
    ...{ maker, account, vehicle, other },
    trouble: ({ fault }) => {
      // Tokens are of the account, all else of the car.
      const whose = fault.kind.startsWith('token_') ? {} : { vin };
      for (const region of regions) region.fault({ ...fault, ...whose });
    },
    calm: ({ fault }) => {
      for (const region of regions) region.clearFaults(fault.kind);
    },
    turn: async (what, life) => turns[what]?.(life),
    [Symbol.asyncDispose]: async () => {
      // Another world's car may have the same number; its telemetry is not of these.
      await prisma.vehicle.updateMany({
        where: { accountId: person.id },
        data: { logging: false },
      });
      for (const region of regions) await region.close();
    },
  };
}
