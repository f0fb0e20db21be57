/** A bare node:http server that sends the same bytes with the same headers, whatever it is asked: `bare.ts URL`. */
import { createServer } from 'node:http';
import { announce } from './announce.ts';

const [url = ''] = process.argv.slice(2);
const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
const body = Buffer.from(await answer.arrayBuffer());
const OWN = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding']);
const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN.has(name)));
const server = createServer((_, response) => {
  response.writeHead(answer.status, headers);
  response.end(body);
});
await announce(server);
