import type { LookupAddress } from 'node:dns';
import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { SECOND_MS } from './units.ts';

/** Finds every address of a host name; rejects where there is none. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** How long name servers are asked for one name [ms]. */
const ASK_MS = 4 * SECOND_MS;

/** How long a name waits for its turn at the system's look-up [ms]. */
const WAIT_MS = 4 * SECOND_MS;

/** Look-ups of the system at a time; each holds one of the four threads that files and passwords need too. */
const MOST_IN_SYSTEM = 2;

/** Where names are looked for; what is absent is the system's own. */
export type NameSources = {
  hostsFile?: string;
  /** Addresses of name servers, with or without a port. */
  servers?: readonly string[];
  system?: Resolve;
};

/**
 * Looks names up: in the hosts file, at the name servers over sockets of our own, and where these know of no such name as
 * the system does, which knows others. A server that is slow for one name holds up no other, and no thread.
 */
export function nameLookup({
  hostsFile = '/etc/hosts',
  servers,
  system = (host) => systemLookup(host, { all: true }),
}: NameSources = {}): Resolve {
  const inSystem = inTurns(MOST_IN_SYSTEM);
  return async (host) => {
    const name = host.replace(/\.$/, '').toLowerCase();
    const listed = inHosts(await readFile(hostsFile, 'utf8').catch(() => ''), name);
    if (listed.length > 0) return listed;
    const found = await askServers(name, servers);
    return found.length > 0 ? found : inSystem(() => system(host));
  };
}

/** Every address of a host name, as the system and its name servers know it. */
export const systemResolve: Resolve = nameLookup();

/** The addresses of a name in the text of a hosts file (hosts(5)). */
function inHosts(text: string, name: string): LookupAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    const family = isIP(address);
    const named = names.some((one) => one.toLowerCase() === name);
    return family === 0 || !named ? [] : [{ address, family }];
  });
}

/** What the name servers know; nothing where they know of no such name. Rejects where they do not answer. */
async function askServers(
  name: string,
  servers: readonly string[] | undefined,
): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: ASK_MS / 2, tries: 2 });
  if (servers !== undefined) resolver.setServers([...servers]);
  const timer = setTimeout(() => resolver.cancel(), ASK_MS);
  try {
    const asked = await Promise.allSettled([
      resolver.resolve4(name).catch(noneWhere),
      resolver.resolve6(name).catch(noneWhere),
    ]);
    const found = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const failed = asked.find((one) => one.status === 'rejected');
    // Many servers answer for one family only: what is found is enough.
    if (found.length === 0 && failed !== undefined) throw failed.reason;
    return found.map((address) => ({ address, family: isIP(address) }));
  } finally {
    clearTimeout(timer);
  }
}

/** Failures after which the system may still know the name; after silence it would be silent too. */
const nothingThere = ['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ECONNREFUSED', 'EREFUSED', 'ESERVFAIL'];

function noneWhere(cause: unknown): string[] {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (nothingThere.includes(code)) return [];
  throw cause;
}

/** Runs at most `most` at a time; what waited too long for its turn is rejected instead of run. */
function inTurns(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    const askedAt = performance.now();
    while (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    if (performance.now() - askedAt > WAIT_MS) {
      waiting.shift()?.();
      throw new Error('The system is busy with other names.');
    }
    running += 1;
    try {
      return await run();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
