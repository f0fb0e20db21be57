import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { COMMON_HEADERS } from '../../pipeline/publish/headers.ts';
import type { Answer } from './answer.ts';

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
}
