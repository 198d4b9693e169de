import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks that may be called although they are not of the public internet. */
export type Networks = readonly [Address, number][];

/** IPv6 gives out public addresses from this network alone (RFC 4291 2.4); ipaddr.js counts what is unassigned as public. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Networks from their texts, an address alone standing for itself. Throws for what is neither. */
export function networksOf(texts: readonly string[]): Networks {
  return texts.map((text) => {
    const [address = '', bits] = text.split('/');
    const parsed = ipaddr.parse(address);
    return [parsed, bits === undefined ? parsed.toByteArray().length * 8 : Number(bits)];
  });
}

/** The address of an IP literal as a host in a URL writes it, IPv4 in IPv6 as IPv4; null for a name. */
function addressOf(host: string): Address | null {
  const text = host.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

/** Whether a host is an address and no name. */
export function isAddressLiteral(host: string): boolean {
  return addressOf(host) !== null;
}

/** Whether an address is of one of the networks. */
export function isWithin(host: string, networks: Networks): boolean {
  const address = addressOf(host);
  if (address === null) return false;
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

/**
 * Whether an address is of the public internet: neither private, local, shared, reserved nor a way to an IPv4 address
 * inside IPv6 (IANA special-purpose address registries).
 */
export function isPublic(host: string): boolean {
  const address = addressOf(host);
  if (address === null || address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || isWithin(host, [globalUnicast]);
}
