import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';

export interface ClientAddress {
  /** IP address of who asks. */
  ip: (request: IncomingMessage) => string;
  /** Whether the client came over TLS, to the proxy at least. */
  isSecure: (request: IncomingMessage) => boolean;
  /** Whether this is the address of a proxy whose word is taken. */
  isProxy: (address: string) => boolean;
}

const UNKNOWN = '0.0.0.0';
/** Of which it is remembered whether they are trusted: to read an address takes longer than to count a request. */
const MAX_ADDRESSES = 10_000;

/** `trusted`: addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; null: none. */
export function clientAddress(trusted: readonly string[] | null): ClientAddress {
  const nearest = ({ socket }: IncomingMessage) => socket.remoteAddress ?? UNKNOWN;
  if (!trusted) return { ip: nearest, isSecure: () => false, isProxy: () => false };
  const trusts = remembering(proxyAddress.compile([...trusted]));
  return {
    isProxy: (address) => trusts(address, 0),
    ip(request) {
      const named = proxyAddress(request, trusts);
      // A proxy that says nonsense is counted itself.
      return isIP(named) ? named : nearest(request);
    },
    isSecure(request) {
      const scheme = request.headers['x-forwarded-proto'];
      if (scheme === undefined || !trusts(nearest(request), 0)) return false;
      return String(scheme).split(',').at(-1)!.trim() === 'https';
    },
  };
}

function remembering(trusts: (address: string, hop: number) => boolean): typeof trusts {
  const known = new Map<string, boolean>();
  return (address, hop) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    if (known.size >= MAX_ADDRESSES) known.clear();
    const found = trusts(address, hop);
    known.set(address, found);
    return found;
  };
}
