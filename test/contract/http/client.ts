import { once } from 'node:events';
import { connect } from 'node:net';

export interface Answer {
  status: number;
  /** Names as they were sent; values of a repeated name joined with `, `. */
  headers: Map<string, string>;
  /** Without the chunks of the transfer. */
  body: Buffer;
}

/**
 * Sends the bytes of requests as they are, which no HTTP client does, and reads until the server closes the connection, or has answered all
 * and keeps it.
 */
export async function exchange(url: string, requests: readonly Buffer[]): Promise<Answer[]> {
  const bytes = Buffer.concat(requests);
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const isHead = bytes.subarray(0, 5).toString() === 'HEAD ';
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    if (isKept(Buffer.concat(parts), isHead, requests.length)) socket.end();
  });
  socket.write(bytes);
  await once(socket, 'close');
  return readAnswers(Buffer.concat(parts), isHead);
}

/** The answers are complete, and the server waits for another request. */
function isKept(received: Buffer, isHead: boolean, requests: number): boolean {
  if (!/^Connection: keep-alive\r$/m.test(received.subarray(0, 4096).toString('latin1'))) return false;
  try {
    return readAnswers(received, isHead).length >= requests;
  } catch {
    return false;
  }
}

/** All answers on one connection, one after another. */
function readAnswers(received: Buffer, isHead: boolean): Answer[] {
  const answers: Answer[] = [];
  for (let rest = received; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`no HTTP: ${JSON.stringify(rest.toString('latin1').slice(0, 300))}`);
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
      headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
    }
    const status = Number(first.split(' ')[1]);
    rest = rest.subarray(end + 4);
    if (status < 200) continue;
    const hasBody = !isHead && status !== 204 && status !== 304;
    const [body, next] = hasBody ? readBody(rest, headers) : [Buffer.alloc(0), 0];
    answers.push({ status, headers, body });
    rest = rest.subarray(next);
  }
  return answers;
}

/** The body, and where it ends. */
function readBody(rest: Buffer, headers: Map<string, string>): [body: Buffer, end: number] {
  if (headers.get('Transfer-Encoding') === 'chunked') return readChunks(rest);
  const length = headers.get('Content-Length');
  const end = length === undefined ? rest.length : Number(length);
  if (end > rest.length) throw new Error(`a body of ${rest.length} bytes, announced as ${end}`);
  return [rest.subarray(0, end), end];
}

function readChunks(rest: Buffer): [body: Buffer, end: number] {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) throw new Error('the body was cut off');
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString(), 16);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return [Buffer.concat(parts), at];
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
  }
}
