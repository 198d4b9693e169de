import { type AccessContext, operatorContext } from '../../src/actions/access-context.ts';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import type { Clock } from '../../src/base/clock.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { newUuid } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import type { PrismaClient } from '../../src/store/generated/prisma/client.ts';

/** A clock that a test moves. */
export type TestClock = Clock & { at: number };

/** A clock that stands at noon of 1 December 2026 until it is moved. */
export function testClock(): TestClock {
  const clock: TestClock = Object.assign(() => clock.at, { at: Date.UTC(2026, 11, 1, 12) });
  return clock;
}

/** A new person's account. */
export async function newAccount(prisma: PrismaClient): Promise<string> {
  const account = await prisma.account.create({ data: { id: newUuid(), name: 'Somebody' } });
  return account.id;
}

/** A new vehicle of an account. */
export async function newVehicle(
  prisma: PrismaClient,
  accountId: string,
): Promise<{ id: string; publicId: string }> {
  const id = newUuid();
  const publicId = `car-${id.slice(-10)}`;
  const vin = id.replaceAll('-', '').slice(-17);
  await prisma.vehicle.create({ data: { id, accountId, publicId, vin, maker: 'simulator' } });
  return { id, publicId };
}

/** What the service of a test holds: one clock, an authenticator, and the operator's way to change access. */
export function newService(prisma: PrismaClient, apiKeys = true) {
  const clock = testClock();
  const authenticator = createAuthenticator({ prisma, clock, log: silentLog, apiKeys });
  const access: AccessContext = operatorContext(prisma, clock, authenticator.forget);
  return { clock, authenticator, access };
}

/** What a request with this bearer token presents. */
export function bearing(token: string, ip: string | null = null) {
  return { authorization: [`Bearer ${token}`], apiKey: [], ip };
}

/** What a request with this `api_key` presents. */
export function keyed(key: string) {
  return { authorization: [], apiKey: [key], ip: null };
}

/** Names of the fields that a request is refused for. */
export async function refusedFields(work: Promise<unknown>): Promise<string[]> {
  const error: unknown = await work.then(
    () => null,
    (cause) => cause,
  );
  if (!(error instanceof ServiceError) || error.code !== 'validation_failed') throw error;
  return Object.keys(error.fields ?? {}).sort();
}
