import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createMcpServer, type ServerOptions } from './mcp-server.ts';

interface Message {
  body: Buffer;
  headers: Headers;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

interface HttpAnswer {
  status: number;
  /** Null without a body. */
  type: string | null;
  bytes: Buffer | null;
}

/** The first version without batches, by date. */
const WITHOUT_BATCHES = '2025-06-18';

/** Answers one message, whose sender was checked. The answer is complete: there are no streams and no sessions. */
export async function answerMessage(
  { body, headers, signal }: Message,
  options: ServerOptions,
): Promise<HttpAnswer> {
  if (isBatch(body)) return refusal(headers.get('mcp-protocol-version'));
  // Only its headers matter. Every answer is JSON, so it does not matter either which types the client accepts.
  headers.set('accept', 'application/json, text/event-stream');
  const init = { method: 'POST', headers, body: new Uint8Array(body), signal };
  const request = new Request('http://localhost/mcp', init);
  const answer = (await isLegacyRequest(request)) ? answerWithHandshake : answerModern;
  const { response, close } = await answer(request, options);
  const bytes = Buffer.from(await response.arrayBuffer());
  await close();
  const type = response.headers.get('content-type');
  return { status: response.status, type, bytes: bytes.length > 0 ? bytes : null };
}

interface Answered {
  response: Response;
  close: () => Promise<void>;
}

/** Version 2026-07-28: each message says who sends it and which version it speaks. */
async function answerModern(request: Request, options: ServerOptions): Promise<Answered> {
  // A subscription is a stream without an end; releases have a feed.
  const limits = { maxSubscriptions: 0, legacy: 'reject' } as const;
  const handler = createMcpHandler(() => createMcpServer(options), limits);
  return { response: await handler.fetch(request), close: handler.close };
}

/** The versions of 2024 and 2025, which begin with a handshake that leaves nothing here. */
async function answerWithHandshake(request: Request, options: ServerOptions): Promise<Answered> {
  const server = createMcpServer(options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return { response: await transport.handleRequest(request), close: () => server.close() };
}

function isBatch(body: Buffer): boolean {
  return /^\s*\[/.test(body.toString('utf8', 0, 64));
}

/** Versions from 2025-06-18 on have no batches, and earlier ones let a server refuse them. */
function refusal(version: string | null): HttpAnswer {
  const message = `Send one message in a request: there are no batches since version ${WITHOUT_BATCHES}${version === null ? '' : `, and this client speaks ${version.slice(0, 20)}`}.`;
  const error = { jsonrpc: '2.0', id: null, error: { code: -32600, message } };
  return { status: 400, type: 'application/json', bytes: Buffer.from(JSON.stringify(error)) };
}
