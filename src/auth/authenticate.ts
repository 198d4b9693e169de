import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { type PresentedCredentials, readCredential } from './credential.ts';
import { createCredentialCache } from './credential-cache.ts';
import type { Principal } from './principal.ts';
import { lookUpCredential, noteUse } from './stored-credential.ts';
import { createUseRecorder } from './use-recorder.ts';

/** Whether the route that is called takes an `api_key` (contract §19). */
export type RouteRule = { allowsApiKey: boolean };

/** Who is calling, from what a request carries. Every method throws ServiceError with the 401 and 400 words of contract §12. */
export type Authenticator = {
  /** The caller; throws `missing_token` when the request carries no credential. */
  authenticate: (presented: PresentedCredentials, route: RouteRule) => Promise<Principal>;
  /** The caller, or null without a credential; a wrong one throws on public routes too (contract §0). */
  identify: (presented: PresentedCredentials, route: RouteRule) => Promise<Principal | null>;
  /** Makes the revocation of the credential with this hash visible at once. */
  forget: (hash: string) => void;
  /** Waits for the notes of last use; call before the database closes. */
  settle: () => Promise<void>;
};

/** An authenticator over the stored credentials; `apiKeys` says whether the instance takes `api_key` at all. */
export function createAuthenticator(options: {
  prisma: PrismaClient;
  clock: Clock;
  log: Log;
  apiKeys: boolean;
}): Authenticator {
  const { prisma, clock, log, apiKeys } = options;
  const cache = createCredentialCache((parsed) => lookUpCredential(prisma, parsed), clock);
  const uses = createUseRecorder(
    (credential, use) => noteUse(prisma, credential, use),
    clock,
    (cause) => log.warn({ err: cause }, 'The last use of a credential was not noted.'),
  );

  async function identify(
    presented: PresentedCredentials,
    { allowsApiKey }: RouteRule,
  ): Promise<Principal | null> {
    const policy = !allowsApiKey ? 'REFUSED' : apiKeys ? 'TAKEN' : 'OFF';
    const parsed = readCredential(presented, policy);
    if (parsed === null) return null;
    const what = parsed.kind === 'TOKEN' ? 'token' : 'API key';
    const stored = await cache.find(parsed);
    if (stored === null) throw new ServiceError('invalid_token', `The ${what} is not known.`);
    if (stored.revoked) throw new ServiceError('invalid_token', `The ${what} was revoked.`);
    const { principal } = stored;
    if (principal.expiresAt <= clock()) {
      const endedAt = new Date(principal.expiresAt).toISOString();
      throw new ServiceError('expired_token', `The ${what} ended at ${endedAt}.`);
    }
    uses.record(principal.credential, presented.ip);
    return principal;
  }

  return {
    identify,
    async authenticate(presented, route) {
      const principal = await identify(presented, route);
      if (principal !== null) return principal;
      throw new ServiceError(
        'missing_token',
        'Send a token in the header `Authorization: Bearer <token>`.',
      );
    },
    forget: cache.forget,
    settle: uses.settle,
  };
}
