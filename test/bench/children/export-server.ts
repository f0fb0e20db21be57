/** `export-server.ts OUT`: the exporter behind a bare server, without keys, limits and log. Prints its address. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ExportQuery } from '../../../src/api/query/export-query.ts';
import { readQuery } from '../../../src/api/query/query.ts';
import { createExporter } from '../../../src/sidecar/export/exporter.ts';
import { Releases } from '../../../src/sidecar/files/releases.ts';
import type { StreamedBody } from '../../../src/sidecar/request/streamed-body.ts';
import { announce } from './announce.ts';

const releases = new Releases(process.argv[2]!, console.error);
const exporter = createExporter({ current: () => releases.current() });
const release = (await releases.current())!;

async function answer({ method, headers, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, query = ''] = url!.split('?', 2);
  const prepared = await exporter.prepare(
    { method: method!, headers },
    readQuery(ExportQuery, query),
    'bench',
    release,
  );
  response.writeHead(prepared.status, prepared.headers);
  await (prepared.body as StreamedBody).writeTo(response);
}

const server = createServer((request, response) => {
  answer(request, response).catch(console.error);
});
await announce(server);
