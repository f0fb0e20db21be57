import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** What is not on the public internet: the special-purpose registries of IANA (RFC 6890), as far as they are not globally reachable. */
const PRIVATE: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Multicast, reserved, broadcast.
  '224.0.0.0/3',
];

/** Of IPv6, only what is allocated for the public internet, without what leads into other networks: Teredo, documentation, 6to4, SRv6. */
const PUBLIC_IPV6 = '2000::/3';
const NOT_PUBLIC_IPV6: readonly string[] = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const privateIpv4 = blockListOf(PRIVATE, 'ipv4');
const publicIpv6 = blockListOf([PUBLIC_IPV6], 'ipv6');
const notPublicIpv6 = blockListOf(NOT_PUBLIC_IPV6, 'ipv6');

function blockListOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Whether an address is on the public internet. False for IPv4-mapped addresses and those of NAT64, which hide another one. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !privateIpv4.check(address, 'ipv4');
  // A zone (`fe80::1%eth0`) only exists on a link.
  if (family !== 6 || address.includes('%')) return false;
  return publicIpv6.check(address, 'ipv6') && !notPublicIpv6.check(address, 'ipv6');
}

export class PrivateAddress extends Error {
  constructor() {
    super('the host has an address that is not on the public internet');
    this.name = 'PrivateAddress';
  }
}

/**
 * Looks a name up for a connection, which then goes to one of the addresses that were checked here, whatever the name leads to a moment
 * later. Fails if any of them is not public.
 */
export function publicLookup(lookup: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      if (!addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new PrivateAddress(), '', 0);
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first!.address, first!.family);
    });
  };
}
