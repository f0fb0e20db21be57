import { isIPv4, isIPv6 } from 'node:net';

/** `::ffff:203.0.113.7` in groups: the name of an IPv4 client on a dual-stack socket (RFC 4291 §2.5.5.2). */
const MAPPED_PREFIX = '0:0:0:0:0:ffff';

/**
 * What counts as one client: an IPv4 address (`203.0.113.7`), or the /64 of an IPv6 address (`2001:db8:0:1::/64`), because
 * every subscriber has at least a /64 (RFC 6177). An IPv4-mapped address counts as its IPv4 address. Ignores a zone (`%eth0`).
 * Throws a RangeError for anything else.
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) throw new RangeError(`not an IP address: ${JSON.stringify(address.slice(0, 64))}`);
  const groups = expand(address.split('%', 1)[0]!);
  if (groups.slice(0, 6).join(':') === MAPPED_PREFIX) return toIPv4(groups[6]!, groups[7]!);
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** The eight groups in lower case without leading zeros. `address` must be a valid IPv6 address. */
function expand(address: string): string[] {
  const [before, after] = address.split('::') as [string, string?];
  const [head, tail] = [groupsOf(before), groupsOf(after ?? '')];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(16));
}

/** Two groups for a trailing IPv4 address. */
function groupsOf(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return group;
    const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number];
    return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  });
}

function toIPv4(high: string, low: string): string {
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}
