import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isAddressLiteral, isPublic, isWithin, type Networks } from './address-range.ts';
import { within } from './disposables.ts';
import type { Resolve } from './name-lookup.ts';
import { SECOND_MS } from './units.ts';

/** What may be called: the public internet by https, and the allowed networks by http too. */
export type OutboundPolicy = { allowed: Networks; resolve: Resolve };

/** Longest address that may be called [characters]. */
const LONGEST_URL = 2_048;

/** How long a look-up or a connection may take; whoever asks sets a limit to the whole. */
const CONNECT_MS = 5 * SECOND_MS;

/** Ports below 1024 that speak HTTP; the others belong to protocols that a request could be mistaken in. */
const lowPorts = ['', '80', '443'];

const ONLY_HTTPS = 'Only https is called, and http in networks that ODOGRAPH_OUTBOUND_ALLOW names.';

/** An address that must not be called; the message says why in a sentence, without the address. */
export class RefusedTarget extends Error {}

/** The form of an address that may be called. Throws RefusedTarget; what its name resolves to is another question. */
export function outboundUrl(text: string): URL {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new RefusedTarget('Give an address such as https://example.org/hook.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new RefusedTarget(ONLY_HTTPS);
  }
  if (url.username !== '' || url.password !== '') {
    throw new RefusedTarget('An address with a user name or password is not called.');
  }
  if (!lowPorts.includes(url.port) && Number(url.port) < 1_024) {
    throw new RefusedTarget('Of the ports below 1024 only 80 and 443 are called.');
  }
  url.hash = '';
  return url;
}

/**
 * Whether an address may be called as it resolves now. Throws RefusedTarget where it may not, or is not found. A name may
 * resolve otherwise a moment later, so an agent looks again at every connection.
 */
export async function checkTarget(text: string, policy: OutboundPolicy): Promise<URL> {
  const url = outboundUrl(text);
  const { hostname, protocol } = url;
  if (isAddressLiteral(hostname)) refuseAddress(hostname, protocol, policy);
  else await addressesOf(hostname, protocol, policy);
  return url;
}

function refuseAddress(address: string, protocol: string, { allowed }: OutboundPolicy): void {
  if (isWithin(address, allowed)) return;
  if (protocol === 'http:') throw new RefusedTarget(ONLY_HTTPS);
  if (isPublic(address)) return;
  throw new RefusedTarget(
    'This address is not of the public internet, and ODOGRAPH_OUTBOUND_ALLOW does not name its network.',
  );
}

/** The addresses of a name, when every one of them may be called: whoever mixes in a private one means harm. */
async function addressesOf(
  host: string,
  protocol: string,
  policy: OutboundPolicy,
): Promise<LookupAddress[]> {
  const found = await within(CONNECT_MS, policy.resolve(host), 'Looking up a name').catch(() => []);
  if (found.length === 0) throw new RefusedTarget('The host is not found.');
  for (const { address } of found) refuseAddress(address, protocol, policy);
  return found;
}

/**
 * Makes the connections of whatever is called for somebody else: it refuses an address at the moment it connects, after
 * the name was resolved and before a packet is sent (security §4.6). Its requests follow no redirect.
 */
export function guardedAgent(policy: OutboundPolicy): Agent {
  const connectors = new Map(
    ['http:', 'https:'].map((protocol) => [protocol, connectorFor(protocol, policy)]),
  );
  return new Agent({
    connect: (options, callback) => {
      const connector = connectors.get(options.protocol);
      try {
        if (connector === undefined) throw new RefusedTarget(ONLY_HTTPS);
        // No name is looked up for an address, so nothing else would see it.
        if (isAddressLiteral(options.hostname)) {
          refuseAddress(options.hostname, options.protocol, policy);
        }
        connector(options, callback);
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null);
      }
    },
    maxHeaderSize: 16_384,
  });
}

function connectorFor(protocol: string, policy: OutboundPolicy): buildConnector.connector {
  const lookup: LookupFunction = (host, options, callback) => {
    addressesOf(host, protocol, policy).then(
      (found) => give(found, options, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
  return buildConnector({ lookup, timeout: CONNECT_MS });
}

function give(
  found: readonly LookupAddress[],
  options: LookupOptions,
  callback: Parameters<LookupFunction>[2],
): void {
  const family =
    options.family === 4 || options.family === 'IPv4'
      ? 4
      : options.family === 6 || options.family === 'IPv6'
        ? 6
        : 0;
  const fitting = found.filter((one) => family === 0 || one.family === family);
  const [first] = fitting;
  if (first === undefined) callback(new RefusedTarget('The host is not found.'), '');
  else if (options.all === true) callback(null, [...fitting]);
  else callback(null, first.address, first.family);
}
