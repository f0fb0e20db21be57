import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { freePort } from '../../engines/free-port.ts';
import { liveLedger } from './live-ledger.ts';
import { serveLive } from './live-server.ts';
import { listenTo } from './reader.ts';
import { until } from './until.ts';

const NEVER_MS = 3_600_000;

async function text(url: string, path = 'economy/supply'): Promise<string> {
  return (await fetch(`${url}/${path}`)).text();
}

describe('an event', () => {
  test('is seen because the system reports it, without polling', async () => {
    const ledger = await liveLedger();
    const server = await serveLive(ledger, { pollMs: NEVER_MS });
    onTestFinished(server.close);
    for (const minutes of [1, 30, 200]) {
      await ledger.advance(minutes);
      const files = await ledger.rebuild();
      await until(async () => (await text(server.url)) === files['economy/supply']);
    }
  });

  test('is seen by polling if the system does not report it', async () => {
    const ledger = await liveLedger();
    // The system does not report changes of a file behind a link.
    const head = `${ledger.ledger}/head.ndjson`;
    await rename(head, `${head}.elsewhere`);
    await symlink(`${head}.elsewhere`, head);
    const server = await serveLive(ledger, { pollMs: 20 });
    onTestFinished(server.close);
    await ledger.advance(30);
    const files = await ledger.rebuild();
    await until(async () => (await text(server.url)) === files['economy/supply']);
  });

  test('is seen after the folder was moved away and back', async () => {
    const ledger = await liveLedger();
    const server = await serveLive(ledger, { pollMs: 20 });
    onTestFinished(server.close);
    await rename(ledger.ledger, `${ledger.ledger}.away`);
    await until(() => server.live.fault() !== null);
    await rename(`${ledger.ledger}.away`, ledger.ledger);
    await until(() => server.live.fault() === null);
    await ledger.advance(30);
    const files = await ledger.rebuild();
    await until(async () => (await text(server.url)) === files['economy/supply']);
    expect(server.reports).toHaveLength(1);
  });
});

describe('a real-time path', () => {
  test('has the entity tag of the release while the release is as new', async () => {
    const ledger = await liveLedger();
    await rename(`${ledger.ledger}/head.ndjson`, `${ledger.ledger}/head.away`);
    const server = await serveLive(ledger);
    onTestFinished(server.close);
    const { manifest } = (await readCurrent(ledger.out))!;
    const answer = await fetch(`${server.url}/economy/supply`, { headers: { range: 'bytes=0-9' } });
    const { sha256 } = manifest.files.find(({ path }) => path === 'economy/supply')!;
    expect([answer.status, answer.headers.get('etag')]).toEqual([206, `"${sha256}"`]);
    expect((await answer.text()).length).toBe(10);
  });
});

test('a server that is killed and restarted sends its listeners what they missed, and nothing else', async () => {
  const ledger = await liveLedger();
  // The system may give any other port to a client that connects meanwhile, such as the listener that tries again.
  const first = await startServer(ledger, await freePort());
  const reader = listenTo(`http://127.0.0.1:${first.port}/live`);
  await reader.untilHolds(await ledger.rebuild());
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await ledger.advance(200);
  await startServer(ledger, first.port);
  await reader.untilHolds(await ledger.rebuild());
  for (const path of LIVE_PATHS)
    for (const [step, value] of reader.seen(path).entries())
      expect(value).not.toEqual(reader.seen(path)[step - 1]);
});

async function startServer(
  { ledger, out }: { ledger: string; out: string },
  port: number,
): Promise<{ child: ChildProcess; port: number }> {
  const file = fileURLToPath(new URL('live-child.ts', import.meta.url));
  const child = spawn(process.execPath, [file, ledger, out, `${port}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout!, 'data');
  return { child, port };
}
