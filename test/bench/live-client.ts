import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

const agent = new Agent({ keepAlive: true });

/** Characters that a listener remembers: more than the messages of an event that follow the first one. */
const TAIL = 2048;

export interface Listener {
  /** When a message with this time in it came, on the clock of `performance.now`. */
  untilTold: (timestamp: string) => Promise<number>;
  close: () => void;
}

let clients = 0;

/** `10.0.3.232`: an address of its own for each listener, since the service limits those of one client. */
function nextClient(): string {
  clients += 1;
  return `10.0.${clients >> 8}.${clients & 255}`;
}

/** Listens to a stream of events, and has read its first message. */
export async function listenTo(url: string): Promise<Listener> {
  const headers = { 'X-Forwarded-For': nextClient() };
  const asked = request(url, { agent: false, headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.setEncoding('utf8').on('error', () => {});
  let [tail, at] = ['', 0];
  let look = () => {};
  response.on('data', (chunk: string) => {
    [tail, at] = [tail + chunk, performance.now()];
    look();
    tail = tail.slice(-TAIL);
  });
  await once(response, 'data');
  const untilTold = (timestamp: string) =>
    new Promise<number>((resolve) => {
      look = () => {
        if (tail.includes(timestamp)) resolve(at);
      };
      // On a busy machine the message may be here before the writer knows that its event is written.
      look();
    });
  return { untilTold, close: () => asked.destroy() };
}

/** Asks again and again until the answer has this time in it; when it had. */
export async function untilSeen(url: string, timestamp: string): Promise<number> {
  for (;;) {
    const asked = request(url, { agent }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if ((await text(response)).includes(timestamp)) return performance.now();
  }
}
