import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether the host of an address is this machine: only there may a secret travel unencrypted. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const version = isIP(host);
  if (version === 0) return host === 'localhost' || host.endsWith('.localhost');
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
