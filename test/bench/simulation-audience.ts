import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

const PACE_MS = 1000;
/** At once, so that no handshake waits for long. */
const TOGETHER = 100;

export interface Heard {
  /** Of each message, how long after its beat it came, ms. */
  late: number[];
  /** Mean length of a message. */
  bytes: number;
}

/** Clients that each get a message a second. */
export class Audience {
  readonly #sockets: WebSocket[];

  private constructor(sockets: WebSocket[]) {
    this.#sockets = sockets;
  }

  /** Connects as many and has each say one thing, spread over a second: as people come, not all at once. */
  static async gather(url: string, count: number, messageOf: (place: number) => object): Promise<Audience> {
    const sockets: WebSocket[] = [];
    while (sockets.length < count) {
      const group = Array.from(
        { length: Math.min(TOGETHER, count - sockets.length) },
        () => new WebSocket(url, { perMessageDeflate: false }),
      );
      await Promise.all(group.map((socket) => once(socket, 'open')));
      sockets.push(...group);
    }
    for (const [place, socket] of sockets.entries()) {
      socket.send(JSON.stringify(messageOf(place)));
      if (place % Math.ceil(count / 100) === 0) await sleep(10);
    }
    return new Audience(sockets);
  }

  /** The beat of a client is that of its earliest message: a tick a second from then on. */
  async listen(seconds: number): Promise<Heard> {
    const arrivals = this.#sockets.map(() => [] as number[]);
    let [bytes, messages] = [0, 0];
    for (const [place, socket] of this.#sockets.entries())
      socket.on('message', (data) => {
        arrivals[place]!.push(performance.now());
        bytes += (data as Buffer).length;
        messages += 1;
      });
    await sleep(seconds * 1000);
    for (const socket of this.#sockets) socket.removeAllListeners('message');
    return { late: arrivals.flatMap(lateness), bytes: bytes / messages };
  }

  leave(): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}

function lateness(arrivals: readonly number[]): number[] {
  const beats = arrivals.map((at, beat) => at - beat * PACE_MS);
  const earliest = beats.reduce((least, beat) => Math.min(least, beat), Number.POSITIVE_INFINITY);
  return beats.map((beat) => beat - earliest);
}
