import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ADD_CHECKPOINT, LONGEST_REQUEST } from '../ledger/log/add-checkpoint.ts';
import { refusal, type Witness, type WitnessAnswer } from './witness.ts';

/** A request has one megabyte at most, and a log sends it at once. */
const REQUEST_MS = 10_000;
const IDLE_MS = 65_000;
const MOST_CONNECTIONS = 1000;
const MAX_HEADER_BYTES = 16_384;

const CHECKPOINT = /^\/([0-9a-f]{64})\/checkpoint$/;

interface ServerOptions {
  witness: Witness;
  /** What `GET /` says: who this is. */
  about: string;
  /** Told of errors that are this machine's. */
  report: (error: Error) => void;
}

/** The HTTP interface of a witness: c2sp.org/tlog-witness, with one prefix for submission and monitoring. */
export function witnessServer(options: ServerOptions): Server {
  const settings = { requestTimeout: REQUEST_MS, keepAliveTimeout: IDLE_MS, maxHeaderSize: MAX_HEADER_BYTES };
  const server = createServer(settings, (request, response) => void answer(request, response, options));
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions,
): Promise<void> {
  try {
    send(response, await route(request, options));
  } catch (error) {
    // Nobody is left to answer after a connection that broke.
    if (request.destroyed && !request.complete) return;
    options.report(error as Error);
    send(response, refusal(500, 'the witness cannot read or write its record'));
  }
}

async function route(request: IncomingMessage, { witness, about }: ServerOptions): Promise<WitnessAnswer> {
  const { method, url = '/' } = request;
  const path = url.replace(/\?.*$/s, '');
  if (path === `/${ADD_CHECKPOINT}`) {
    if (method !== 'POST') return { ...refusal(405, 'POST a checkpoint here'), allow: 'POST' };
    const body = await bodyOf(request);
    if (body === null) return refusal(413, `a request has at most ${LONGEST_REQUEST} bytes`);
    if (!isUtf8(body)) return refusal(400, 'a request is UTF-8');
    return witness.addCheckpoint(body.toString());
  }
  if (method !== 'GET' && method !== 'HEAD') return { ...refusal(405, 'GET or HEAD'), allow: 'GET, HEAD' };
  const [, originHash] = CHECKPOINT.exec(path) ?? [];
  if (originHash) return witness.checkpoint(originHash);
  if (path === '/' || path === '/healthz')
    return { ...refusal(200, ''), body: path === '/' ? about : 'ok\n' };
  return refusal(404, 'no such address');
}

/** Null if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > LONGEST_REQUEST) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, type, body, allow }: WitnessAnswer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(allow !== undefined && { Allow: allow }),
    // The rest of a request that was not read is not the next one.
    ...(status === 413 && { Connection: 'close' }),
  });
  response.end(bytes);
}
