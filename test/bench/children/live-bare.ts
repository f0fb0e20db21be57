/**
 * The least that can tell of a line: watches a head, reads all of it after each change, and sends 150 bytes with the last
 * event's time, to whoever asks and to whoever listens. Nothing is verified and nothing computed. `live-bare.ts LEDGER`.
 */
import { readFileSync, watch } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { announce } from './announce.ts';

const [ledger = ''] = process.argv.slice(2);
const listeners = new Set<ServerResponse>();
let body = '';

function read(): void {
  const line = readFileSync(join(ledger, 'head.ndjson'), 'utf8').trimEnd().split('\n').at(-1);
  const { timestamp } = JSON.parse(line || '{}') as { timestamp?: string };
  body = JSON.stringify({ timestamp, filling: 'x'.repeat(100) });
}

read();
watch(ledger, () => {
  read();
  for (const listener of listeners) listener.write(`data: ${body}\n\n`);
});
const server = createServer((request, response) => {
  if (request.url !== '/live') return void response.end(body);
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(`data: ${body}\n\n`);
  listeners.add(response);
  response.on('close', () => listeners.delete(response));
});
await announce(server);
