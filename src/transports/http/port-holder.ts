import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { z } from 'zod';
import { SECOND_MS } from '../../base/units.ts';

/** Who listens on a port, as far as it can be known. */
export type PortHolder = {
  /** Null where the system does not tell, or the process belongs to somebody else. */
  process: { id: number; name: string } | null;
  /** Whether it answers `/healthz` as this service does. */
  odograph: boolean;
};

/** Looks at who holds a TCP port; never throws, because it only makes an error message better. */
export async function portHolder(place: { host: string; port: number }): Promise<PortHolder> {
  return { process: listeningProcess(place.port), odograph: await answersAsOdograph(place) };
}

/** State `0A` of Linux's `/proc/net/tcp` is LISTEN; the second column ends in the port in hex, the tenth is the inode. */
function listeningInodes(port: number): Set<string> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => linesOf(file));
  const columns = rows.map((row) => row.trim().split(/\s+/));
  const listening = columns.filter(
    ([, local, , state]) => local?.endsWith(wanted) && state === '0A',
  );
  return new Set(listening.map((row) => `socket:[${row[9]}]`));
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

function listeningProcess(port: number): PortHolder['process'] {
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return null;
  const ids = entriesOf('/proc').filter((name) => /^\d+$/.test(name));
  const holder = ids.find((id) =>
    entriesOf(`/proc/${id}/fd`).some((fd) => inodes.has(linkAt(`/proc/${id}/fd/${fd}`))),
  );
  if (holder === undefined) return null;
  return { id: Number(holder), name: linesOf(`/proc/${holder}/comm`)[0] ?? '' };
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const health = z.object({ service: z.literal('odograph') });

async function answersAsOdograph({ host, port }: { host: string; port: number }): Promise<boolean> {
  try {
    const answer = await fetch(`http://${reachableHost(host)}:${port}/healthz`, {
      signal: AbortSignal.timeout(5 * SECOND_MS),
      redirect: 'error',
    });
    return health.safeParse(await answer.json()).success;
  } catch {
    return false;
  }
}

/** Where a caller on this machine reaches a server that listens on `host`, as it stands in a URL. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
