import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { closed } from '../closed.ts';

const HANDSHAKE = [
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

export interface RawClient {
  socket: Socket;
  /** Everything that came after the head. */
  received: () => Buffer;
  closed: Promise<unknown>;
}

/** A connection that speaks frames by hand, to send what no library would. */
export async function rawClient(port: number): Promise<RawClient> {
  const socket = await sendHead(port, '/philosophy/simulation', HANDSHAKE);
  const chunks: Buffer[] = [];
  const [head] = (await once(socket, 'data')) as [Buffer];
  if (!head.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(head.toString('latin1'));
  chunks.push(head.subarray(head.indexOf('\r\n\r\n') + 4));
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { socket, received: () => Buffer.concat(chunks), closed: closed(socket) };
}

/** The answer to an upgrade, as text; `replace` takes the place of a header, or leaves it out. */
export async function askUpgrade(
  port: number,
  {
    path = '/philosophy/simulation',
    replace = {},
    version = '1.1',
  }: { path?: string; replace?: Record<string, string | null>; version?: string } = {},
): Promise<string> {
  const names = Object.keys(replace).map((name) => name.toLowerCase());
  const kept = HANDSHAKE.filter((line) => !names.includes(line.split(':')[0]!.toLowerCase()));
  const added = Object.entries(replace).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  );
  const socket = await sendHead(port, path, [...kept, ...added], version);
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
    if (text.startsWith('HTTP/1.1 101')) socket.destroy();
  });
  await closed(socket);
  return text;
}

async function sendHead(
  port: number,
  path: string,
  lines: readonly string[],
  version = '1.1',
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A masked frame (RFC 6455 §5.2) of less than 64 KiB. */
export function frame(opcode: number, payload: Buffer | string, { fin = true, masked = true } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const first = (fin ? 0x80 : 0) | opcode;
  const bit = masked ? 0x80 : 0;
  const head =
    bytes.length < 126
      ? Buffer.from([first, bit | bytes.length])
      : Buffer.from([first, bit | 126, bytes.length >> 8, bytes.length & 255]);
  if (!masked) return Buffer.concat([head, bytes]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, bytes.map((byte, i) => byte ^ mask[i % 4]!)]);
}

/** The code of the close frame at the end of what came; null where there is none. */
export function closeCode(received: Buffer): number | null {
  let at = 0;
  while (at + 2 <= received.length) {
    const opcode = received[at]! & 15;
    let length = received[at + 1]! & 127;
    at += 2;
    if (length === 126) {
      length = received.readUInt16BE(at);
      at += 2;
    }
    if (opcode === OPCODES.close) return length >= 2 ? received.readUInt16BE(at) : 1005;
    at += length;
  }
  return null;
}
