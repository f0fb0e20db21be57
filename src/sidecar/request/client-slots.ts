import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork } from '../limits/client-network.ts';
import type { ClientAddress } from './client-address.ts';
import { Slots } from './slots.ts';

/**
 * What one client may have open at once, by its address or IPv6 /64. A connection counts for whom it is from. One from a
 * trusted proxy does not: what counts there is each request, for the address that the proxy names.
 */
export class ClientSlots {
  readonly #slots: Slots;
  readonly #address: ClientAddress;

  constructor(perClient: number, address: ClientAddress) {
    const what = 'connections and requests are open';
    this.#slots = new Slots({ what, parallel: Number.POSITIVE_INFINITY, perHolder: perClient });
    this.#address = address;
  }

  /** Closes a connection that is one too many. */
  admit(socket: Socket): void {
    const { remoteAddress } = socket;
    // It is gone already.
    if (remoteAddress === undefined) return;
    if (this.#address.isProxy(remoteAddress)) return;
    try {
      socket.once('close', this.#slots.take(clientNetwork(remoteAddress)));
    } catch {
      socket.destroy();
    }
  }

  /** A slot for a request that came through a proxy: returns what gives it back, null where it needs none. Throws a Problem overloaded. */
  take(request: IncomingMessage): (() => void) | null {
    if (!this.#address.isProxy(request.socket.remoteAddress ?? '')) return null;
    const client = this.#address.ip(request);
    // The proxy asks for itself, for instance whether the service is well.
    return this.#address.isProxy(client) ? null : this.#slots.take(clientNetwork(client));
  }
}
