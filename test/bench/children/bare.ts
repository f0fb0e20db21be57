/** A bare node:http server that sends the same bytes with the same headers, whatever it is asked: `bare.ts URL`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [url = ''] = process.argv.slice(2);
const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
const body = Buffer.from(await answer.arrayBuffer());
const OWN = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding']);
const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN.has(name)));
process.once('SIGINT', () => process.exit());
const server = createServer((_, response) => {
  response.writeHead(answer.status, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
