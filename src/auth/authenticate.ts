import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { PrismaClient } from '../store/generated/prisma/client.ts';
import { type PresentedCredentials, readCredential, readIngestCredential } from './credential.ts';
import { createCredentialCache } from './credential-cache.ts';
import type { PersonalKind, Principal } from './principal.ts';
import { lookUpCredential, lookUpIngestToken, noteUse } from './stored-credential.ts';
import type { ParsedSecret } from './token-format.ts';
import { createUseRecorder } from './use-recorder.ts';

/** How callers of a route are looked up. */
export type RouteRule = {
  /** Whether it takes an `api_key` (contract §19). */
  allowsApiKey: boolean;
  /** How old a look-up may be [ms], half a second unless given; a revocation in this process shows at once anyway. */
  maxAgeMs?: number;
};

/** Who is calling, from what a request carries. Every method throws ServiceError with the 401 and 400 words of contract §12. */
export type Authenticator = {
  /** The caller; throws `missing_token` when the request carries no credential. */
  authenticate: (presented: PresentedCredentials, route: RouteRule) => Promise<Principal>;
  /** The caller, or null without a credential; a wrong one throws on public routes too (contract §0). */
  identify: (presented: PresentedCredentials, route: RouteRule) => Promise<Principal | null>;
  /**
   * Passes whoever brings telemetry with an ingest token; throws `insufficient_scope` for a good personal token, which
   * opens nothing there.
   */
  authenticateIngest: (presented: PresentedCredentials) => Promise<void>;
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
  const cache = createCredentialCache(
    (parsed: ParsedSecret<PersonalKind>) => lookUpCredential(prisma, parsed),
    clock,
  );
  const ingestCache = createCredentialCache(
    (parsed: ParsedSecret<'INGEST'>) => lookUpIngestToken(prisma, parsed),
    clock,
  );
  const uses = createUseRecorder(
    (credential, use) => noteUse(prisma, credential, use),
    clock,
    (cause) => log.warn({ err: cause }, 'The last use of a credential was not noted.'),
  );

  async function identify(
    presented: PresentedCredentials,
    { allowsApiKey, maxAgeMs }: RouteRule,
  ): Promise<Principal | null> {
    const policy = !allowsApiKey ? 'REFUSED' : apiKeys ? 'TAKEN' : 'OFF';
    const parsed = readCredential(presented, policy);
    return parsed === null ? null : personal(parsed, presented.ip, maxAgeMs);
  }

  async function personal(
    parsed: ParsedSecret<PersonalKind>,
    ip: string | null,
    maxAgeMs?: number,
  ): Promise<Principal> {
    const stored = await cache.find(parsed, maxAgeMs);
    const what = parsed.kind === 'TOKEN' ? 'token' : 'API key';
    const { principal } = good(
      stored === null ? null : { ...stored, expiresAt: stored.principal.expiresAt },
      what,
    );
    uses.record(principal.credential, ip);
    return principal;
  }

  /** What was found, if it still opens anything. */
  function good<C extends { revoked: boolean; expiresAt: number }>(
    stored: C | null,
    what: string,
  ): C {
    if (stored === null) throw new ServiceError('invalid_token', `The ${what} is not known.`);
    if (stored.revoked) throw new ServiceError('invalid_token', `The ${what} was revoked.`);
    if (stored.expiresAt > clock()) return stored;
    const endedAt = new Date(stored.expiresAt).toISOString();
    throw new ServiceError('expired_token', `The ${what} ended at ${endedAt}.`);
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
    async authenticateIngest(presented) {
      const parsed = readIngestCredential(presented);
      if (parsed === null) {
        throw new ServiceError(
          'missing_token',
          'Send an ingest token in the header `Authorization: Bearer <token>`.',
        );
      }
      const { kind, hash } = parsed;
      if (kind === 'TOKEN') {
        await personal({ kind, hash }, presented.ip);
        const message = 'A personal token does not open /ingest; it takes an ingest token.';
        throw new ServiceError('insufficient_scope', message);
      }
      const stored = good(await ingestCache.find({ kind, hash }), 'ingest token');
      uses.record(stored.credential, presented.ip);
    },
    forget(hash) {
      cache.forget(hash);
      ingestCache.forget(hash);
    },
    settle: uses.settle,
  };
}
