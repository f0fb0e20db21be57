import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteCountStore } from '../../../src/sidecar/limits/sqlite-count-store.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { countingServer } from './counting-server.ts';

const CONNECTIONS = 200;

interface Client {
  /** The status of each request; null where the connection ended without an answer. */
  ask: (port: number, count: number, onAnswer?: () => void) => Promise<(number | null)[]>;
}

function client(): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  onTestFinished(() => agent.destroy());
  const askOnce = (port: number) =>
    new Promise<number | null>((resolve) => {
      const request = get({ port, host: '127.0.0.1', agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!));
        response.on('error', () => resolve(null));
      });
      request.on('error', () => resolve(null));
    });
  return {
    ask: (port, count, onAnswer) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const status = await askOnce(port);
          if (status !== null) onAnswer?.();
          return status;
        }),
      ),
  };
}

async function startChild(path: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'counting-server.ts'), path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, port: Number(line.toString()) };
}

function countOf(path: string): Promise<number> {
  const store = openSqliteCountStore(path);
  return store.count('2025-12-01', 'academics', 'holder:h-1').finally(() => store.close());
}

const answered = (statuses: (number | null)[]) => statuses.filter((status) => status === 200).length;

describe('a limit of 1 000 a day', () => {
  test('lets exactly 1 000 of 3 000 parallel requests through', async () => {
    const { server, limiter } = countingServer(join(await temporaryFolder(), 'limits.db'));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await limiter.close();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const statuses = await client().ask((server.address() as AddressInfo).port, 3_000);
    expect(answered(statuses)).toBe(1_000);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2_000);
  });

  test('is one limit for two processes that share a file', async () => {
    const path = join(await temporaryFolder(), 'limits.db');
    // Both make the file at the same moment.
    const children = await Promise.all([startChild(path), startChild(path)]);
    const { ask } = client();
    const statuses = (await Promise.all(children.map(({ port }) => ask(port, 1_500)))).flat();
    expect(answered(statuses)).toBe(1_000);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2_000);
  });

  test.each([50, 200, 400])(
    'forgets no answered request when the process is killed after %d',
    async (killAfter) => {
      const path = join(await temporaryFolder(), 'limits.db');
      const { child, port } = await startChild(path);
      const { ask } = client();
      let answers = 0;
      const first = await ask(port, 900, () => {
        answers += 1;
        if (answers === killAfter) child.kill('SIGKILL');
      });
      const counted = await countOf(path);
      expect(answered(first)).toBeLessThan(900);
      expect(counted).toBeGreaterThanOrEqual(answered(first));
      // What was counted and did not arrive was under way on one of the connections.
      expect(counted - answered(first)).toBeLessThanOrEqual(CONNECTIONS);
      const again = await startChild(path);
      const second = await ask(again.port, 1_100);
      expect(answered(second)).toBe(1_000 - counted);
      expect(await countOf(path)).toBe(1_000);
    },
  );
});
