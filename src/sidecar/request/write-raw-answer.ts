import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { COMMON_HEADERS } from '../../../pipeline/release/format/headers.ts';
import type { Answer } from './answer.ts';

/**
 * How long a client may go on sending after its answer, ms. A connection that is closed while bytes arrive is reset, and the
 * client may lose the answer (RFC 9112 §9.6); one that stays half open is cut off.
 */
const LINGER_MS = 1000;

/** Writes a whole answer, as every other one has it, where there is no response object, and closes the connection. */
export function writeRawAnswer(
  { status, headers, body }: Answer,
  socket: Duplex,
  { id, now }: { id: string; now: number },
): void {
  const text = String(body);
  const all = {
    ...COMMON_HEADERS,
    ...headers,
    Date: new Date(now).toUTCString(),
    'X-Request-Id': id,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}
