import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenInTest } from '../listen.ts';
import { type ForeignKey, isConsistent, treeHash } from './foreign-log.ts';

/** How an answer differs from that of an honest witness. */
export type Behave = (
  response: ServerResponse,
  request: { body: string; text: string },
) => boolean | Promise<boolean>;

export interface ForeignWitness {
  url: string;
  /** Of each request: its old size, the size of the checkpoint, and the status of the answer. */
  asked: [old: number, size: number, status: number][];
  /** True: it has answered. */
  behave: Behave | null;
  /** The tree that it remembers. */
  last: { size: number; root: Buffer };
}

/** A witness of one log as c2sp.org/tlog-witness has it, written for tests and sharing no code with the product. */
export async function foreignWitness({
  keys,
  log,
  now,
}: {
  keys: readonly ForeignKey[];
  log: (text: string, lines: string) => boolean;
  now: () => number;
}): Promise<ForeignWitness> {
  const last = { size: 0, root: treeHash([]) };
  const witness: ForeignWitness = { url: '', asked: [], behave: null, last };
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const [head = '', checkpoint = '', lines = ''] = body.split('\n\n');
    const text = `${checkpoint}\n`;
    const old = Number(/^old (\d+)$/m.exec(head)?.[1]);
    const [, size, root] = checkpoint.split('\n');
    const end = (status: number, content: string, type = 'text/plain') => {
      witness.asked.push([old, Number(size), status]);
      response.writeHead(status, { 'Content-Type': type }).end(content);
    };
    if (request.url !== '/prefix/add-checkpoint' || request.method !== 'POST') return end(405, '');
    if (await witness.behave?.(response, { body, text })) return;
    if (!log(text, lines)) return end(403, 'who signed this?\n');
    if (old !== last.size) return end(409, `${last.size}\n`, 'text/x.tlog.size');
    const proof = head
      .split('\n')
      .slice(1)
      .map((line) => Buffer.from(line, 'base64'));
    const next: readonly [number, Buffer] = [Number(size), Buffer.from(root!, 'base64')];
    const isSame = next[0] === last.size;
    const holds = isSame
      ? next[1].equals(last.root) && proof.length === 0
      : isConsistent([last.size, last.root], next, proof);
    if (!holds) return end(isSame ? 409 : 422, 'not consistent\n');
    Object.assign(last, { size: next[0], root: next[1] });
    end(200, keys.map((key) => key.line(text, now())).join(''));
  });
  witness.url = `${(await listenInTest(server)).origin}/prefix`;
  return witness;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
