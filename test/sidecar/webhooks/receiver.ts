import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Heard {
  id: string;
  type: string;
  body: string;
  /** Whether the signature holds, computed as the specification says. */
  isSigned: boolean;
}

export interface Receiver {
  url: string;
  /** In the order of arrival. */
  heard: Heard[];
  /** How the next requests are answered. */
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  /** Of its subscription. */
  secret: string;
}

export const OK: Receiver['answer'] = (_, response) => void response.end('ok');

/** Answers challenges, and everything else with 200. */
export const WILLING: Receiver['answer'] = (_, response, body) => {
  const { type, data } = JSON.parse(body);
  response.end(type === 'webhook.challenge' ? JSON.stringify({ challenge: data.challenge }) : '');
};

/** A real server on this machine. */
export async function startReceiver(answer: Receiver['answer'] = OK): Promise<Receiver> {
  const receiver: Receiver = { url: '', heard: [], answer, secret: 'whsec_AAAA' };
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const id = String(request.headers['webhook-id']);
    receiver.heard.push({
      id,
      type: JSON.parse(body).type,
      body,
      isSigned: isSigned(request, body, receiver.secret),
    });
    receiver.answer(request, response, body);
  });
  server.keepAliveTimeout = 1;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`;
  return receiver;
}

function isSigned({ headers }: IncomingMessage, body: string, secret: string): boolean {
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(content).digest();
  const [version, signature = ''] = String(headers['webhook-signature']).split(',');
  const found = Buffer.from(signature, 'base64');
  return version === 'v1' && found.length === expected.length && timingSafeEqual(found, expected);
}
