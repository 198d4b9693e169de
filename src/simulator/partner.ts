import { createPublicKey } from 'node:crypto';
import { SECOND_MS } from '../base/units.ts';
import { failure, ok, type Reply } from './reply.ts';

/** Where the maker looks for an application's key on its domain. */
const KEY_PATH = '/.well-known/appspecific/com.tesla.3p.public-key.pem';
const FETCH_MS = 5 * SECOND_MS;
const LARGEST_KEY = 10_000;

/** Subjects of tokens that an application holds for itself begin with it; a person's never do. */
const SELF = 'application:';

/** The stand-in's register of applications. */
export type PartnerDesk = {
  /** Public keys by domain, as points in hex. */
  keys: Map<string, string>;
  /** Where a domain is answered, such as a service on loopback; over HTTPS on the domain itself unless given. */
  origins: Map<string, string>;
};

/** Whether a token is of an application itself. */
export function isApplication(subject: string): boolean {
  return subject.startsWith(SELF);
}

/** Subject of a token that an application holds for itself. */
export function applicationSubject(clientId: string): string {
  return `${SELF}${clientId}`;
}

function domainIn(body: string): string | null {
  try {
    const asked: unknown = JSON.parse(body);
    const domain = typeof asked === 'object' && asked !== null && Reflect.get(asked, 'domain');
    return typeof domain === 'string' ? domain : null;
  } catch {
    return null;
  }
}

/** Point of a P-256 key in hex, null for anything else. */
function pointOf(pem: string): string | null {
  try {
    const { crv, x = '', y = '' } = createPublicKey(pem).export({ format: 'jwk' });
    const hex = (part: string) => Buffer.from(part, 'base64url').toString('hex');
    return crv === 'P-256' ? `04${hex(x)}${hex(y)}` : null;
  } catch {
    return null;
  }
}

async function fetched(origin: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(FETCH_MS);
    const answer = await fetch(`${origin}${KEY_PATH}`, { redirect: 'error', signal });
    const text = await answer.text();
    return answer.ok && text.length <= LARGEST_KEY ? text : null;
  } catch {
    return null;
  }
}

/** Registers a domain: its public key is fetched from it, as vehicles will do (maker.md §1.3). */
export async function register({ keys, origins }: PartnerDesk, body: string): Promise<Reply> {
  const domain = domainIn(body);
  if (domain === null || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) {
    const shown = domain ?? '';
    return failure(
      400,
      `Invalid domain: ${shown}. Ensure that domain is lowercase and starts without https://`,
    );
  }
  const pem = await fetched(origins.get(domain) ?? `https://${domain}`);
  if (pem === null) return failure(424, 'Public key download failed');
  const point = pointOf(pem);
  if (point === null) return failure(422, 'Public key is not on the curve prime256v1');
  keys.set(domain, point);
  return ok({ domain, public_key: point });
}

/** The key that a domain was registered with. */
export function registeredKey({ keys }: PartnerDesk, url: URL): Reply {
  const point = keys.get(url.searchParams.get('domain') ?? '');
  return point === undefined ? failure(404, 'not_found') : ok({ public_key: point });
}
