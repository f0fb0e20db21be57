import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { scenarioNamed } from '../../../src/simulation/scenarios.ts';
import { listen } from '../../listen.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { simulationServer } from './simulation-server.ts';

const PAGE = readFileSync(new URL('../../../docs/simulation-protocol.md', import.meta.url), 'utf8');
const SCENARIO = 'model_drift';
/** Bytes after which a connection breaks: some updates. */
const BREAKS_AFTER = 50_000;

const CLIENTS = [
  { language: 'js', program: process.execPath, file: 'client.mjs', needs: '' },
  {
    language: 'python',
    program: 'python3',
    file: 'client.py',
    needs: 'from websockets.asyncio.client import connect',
  },
] as const;

/** Between client and service; the first connection breaks in the middle of the run. */
async function brittleNetwork(port: number): Promise<number> {
  let connections = 0;
  const server = createServer((socket) => {
    const isFirst = connections === 0;
    connections += 1;
    const upstream = connect(port, '127.0.0.1');
    let bytes = 0;
    upstream.on('data', (chunk) => {
      bytes += chunk.length;
      if (isFirst && bytes > BREAKS_AFTER) {
        socket.resetAndDestroy();
        upstream.destroy();
      } else socket.write(chunk);
    });
    socket.on('data', (chunk) => upstream.write(chunk));
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  onTestFinished(() => void server.close());
  return (await listen(server)).port;
}

interface Played {
  said: string;
  faults: string;
  counts: object;
}

async function play({ language, program, file }: (typeof CLIENTS)[number]): Promise<Played> {
  const [, source = ''] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(PAGE) ?? [];
  const path = join(await temporaryFolder(), file);
  await writeFile(path, source);
  const { port, counted } = await simulationServer();
  const address = `ws://127.0.0.1:${await brittleNetwork(port)}/philosophy/simulation`;
  const child = spawn(program, [path, address, SCENARIO]);
  onTestFinished(() => void child.kill());
  const [said, faults] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { said, faults, counts: { started: await counted('started'), errors: await counted('errors') } };
}

test('the clients on the page play to the end as they stand there, over connections that break', async () => {
  const usable = CLIENTS.filter(
    ({ program, needs }) => needs === '' || spawnSync(program, ['-c', needs]).status === 0,
  );
  const titles = scenarioNamed(SCENARIO).endings.map(({ title }) => title);
  // At the same time, since a run takes its time.
  for (const { said, faults, counts } of await Promise.all(usable.map(play))) {
    expect(faults).toBe('');
    const last = said.trimEnd().split('\n').at(-1)!;
    expect(titles.some((title) => last.startsWith(`${title}. `))).toBe(true);
    expect(said).toMatch(/^\d+: you choose “.+”\.$/m);
    expect(counts).toEqual({ started: 2, errors: 0 });
  }
});
