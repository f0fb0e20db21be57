import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * What counts as one client: an IPv4 address (`203.0.113.7`), or the /64 of an IPv6 address (`2001:db8:0:1::/64`), because
 * every subscriber has at least a /64 (RFC 6177). An IPv4-mapped address, the name of an IPv4 client on a dual-stack socket
 * (RFC 4291 §2.5.5.2), counts as its IPv4 address, and so does a compatible one. Ignores a zone (`%eth0`). Throws a RangeError for anything else.
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) throw new RangeError(`not an IP address: ${JSON.stringify(address.slice(0, 64))}`);
  const parsed = ipaddr.IPv6.parse(address.split('%', 1)[0]!);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
