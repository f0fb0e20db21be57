import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';

export interface ClientAddress {
  /** IP address of who asks. */
  ip: (request: IncomingMessage) => string;
  /** Whether the client came over TLS, to the proxy at least. */
  isSecure: (request: IncomingMessage) => boolean;
}

const UNKNOWN = '0.0.0.0';

/** `trusted`: addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; null: none. */
export function clientAddress(trusted: readonly string[] | null): ClientAddress {
  const nearest = ({ socket }: IncomingMessage) => socket.remoteAddress ?? UNKNOWN;
  if (!trusted) return { ip: nearest, isSecure: () => false };
  const trusts = proxyAddress.compile([...trusted]);
  return {
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
