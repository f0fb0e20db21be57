import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import { clientNetwork } from '../limits/client-network.ts';
import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';

export interface ClientAddress {
  /** IP address of the client. */
  ip: (request: IncomingMessage) => string;
  /** Whether the client used TLS, at least as far as the proxy. */
  isSecure: (request: IncomingMessage) => boolean;
  /** Whether this is the address of a trusted proxy. */
  isProxy: (address: string) => boolean;
}

const UNKNOWN = '0.0.0.0';
/** Parsing an address takes longer than counting a request, so the results for this many are kept. */
const MAX_ADDRESSES = 10_000;

/**
 * `trusted`: addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; null: none. `onUnreadable` is called
 * once for each request of theirs that names its client in a way that cannot be read, with the address of the proxy.
 */
export function clientAddress(
  trusted: readonly string[] | null,
  onUnreadable: (proxy: string) => void = () => {},
): ClientAddress {
  const nearest = ({ socket }: IncomingMessage) => socket.remoteAddress ?? UNKNOWN;
  if (!trusted) return { ip: nearest, isSecure: () => false, isProxy: () => false };
  const isTrusted = proxyAddress.compile([...trusted]);
  const trusts = memoized((named) => isIP(bare(named)) !== 0 && isTrusted(bare(named), 0));
  const unreadable = new WeakSet<IncomingMessage>();
  return {
    isProxy: (address) => trusts(address, 0),
    ip(request) {
      const named = bare(proxyAddress(request, trusts));
      const proxy = nearest(request);
      // A proxy that says nothing asks on its own behalf, unless it says it in another header.
      const isReadable = named === proxy ? request.headers.forwarded === undefined : isIP(named) !== 0;
      if (isReadable || !trusts(proxy, 0)) return named;
      if (!unreadable.has(request)) onUnreadable(proxy);
      unreadable.add(request);
      return proxy;
    },
    isSecure(request) {
      const scheme = request.headers['x-forwarded-proto'];
      if (scheme === undefined || !trusts(nearest(request), 0)) return false;
      return String(scheme).split(',').at(-1)!.trim() === 'https';
    },
  };
}

/** Some proxies add a port: `203.0.113.9:4711`, `[2001:db8::1]:4711` (Azure, IIS). */
function bare(address: string): string {
  const [, v6, v4] = /^"?(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)"?$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}

function memoized(trusts: (address: string) => boolean): (address: string, hop: number) => boolean {
  const known = new Map<string, boolean>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    if (known.size >= MAX_ADDRESSES) known.clear();
    const found = trusts(address);
    known.set(address, found);
    return found;
  };
}

/**
 * Limits what one client, by its address or IPv6 /64, may have open at once. A connection counts for the address it comes
 * from. Connections of a trusted proxy are not counted; instead each request counts for the address that the proxy names.
 */
export class ClientLimits {
  readonly #limit: ConcurrencyLimit;
  readonly #address: ClientAddress;

  constructor(perClient: number, address: ClientAddress) {
    const what = 'connections and requests are open';
    this.#limit = new ConcurrencyLimit({ what, parallel: Number.POSITIVE_INFINITY, perHolder: perClient });
    this.#address = address;
  }

  /** Closes a connection beyond the limit. */
  admit(socket: Socket): void {
    const { remoteAddress } = socket;
    // The client has disconnected already.
    if (remoteAddress === undefined) return;
    if (this.#address.isProxy(remoteAddress)) return;
    try {
      socket.once('close', this.#limit.take(clientNetwork(remoteAddress)));
    } catch {
      socket.destroy();
    }
  }

  /** Counts a request that came through a proxy. Returns what to call at its end; null for others. Throws a Problem overloaded. */
  take(request: IncomingMessage): (() => void) | null {
    if (!this.#address.isProxy(request.socket.remoteAddress ?? '')) return null;
    const client = this.#address.ip(request);
    // The proxy asks on its own behalf, for instance to check the server's health.
    return this.#address.isProxy(client) ? null : this.#limit.take(clientNetwork(client));
  }
}
