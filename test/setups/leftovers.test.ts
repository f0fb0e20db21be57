import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { belongings, leftSince, putBack } from './leftovers.ts';

describe('what a test file leaves behind', () => {
  /** Each leaves something, and returns how to end it. */
  const LEFT: Record<string, [RegExp, () => Promise<() => unknown>]> = {
    'a listener': [
      /^1 × listener$/,
      async () => {
        const server = createServer().listen(0, '127.0.0.1');
        await once(server, 'listening');
        return () => server.close();
      },
    ],
    'a timer': [
      /^1 × timer$/,
      async () => {
        const timer = setInterval(() => undefined, 1000);
        return () => clearInterval(timer);
      },
    ],
    'a child process': [
      /^1 × child process, process \d+ \(sleep 60\)$/,
      async () => {
        const child = spawn('sleep', ['60'], { stdio: 'ignore' });
        return () => child.kill('SIGKILL');
      },
    ],
    'a process whose parent is gone': [
      /process \d+ \(sleep 61\)$/,
      async () => {
        const shell = spawn('sh', ['-c', 'sleep 61 & echo $!'], { stdio: ['ignore', 'pipe', 'ignore'] });
        const [id] = await once(shell.stdout!, 'data');
        shell.stdout!.destroy();
        await once(shell, 'exit');
        // Until then it is a copy of the shell.
        await expect.poll(() => readFile(`/proc/${Number(id)}/cmdline`, 'utf8')).toContain('sleep\0');
        return () => process.kill(Number(id), 'SIGKILL');
      },
    ],
    'an environment variable': [
      /^environment variable LEFT$/,
      async () => {
        process.env.LEFT = 'here';
        return () => delete process.env.LEFT;
      },
    ],
    'a folder': [
      /\/left-\w+$/,
      async () => {
        const folder = await mkdtemp(join(tmpdir(), 'left-'));
        return () => rm(folder, { recursive: true });
      },
    ],
  };

  test.each(Object.entries(LEFT))('%s is found, until it is ended', async (_, [expected, leave]) => {
    const before = belongings();
    const end = await leave();
    expect((await leftSince(before, 0)).join(', ')).toMatch(expected);
    await end();
    expect(await leftSince(before)).toEqual([]);
  });

  test('is not what ends by itself a little later', async () => {
    const before = belongings();
    const server = createServer((connection) => connection.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await once(connect((server.address() as { port: number }).port).resume(), 'connect');
    server.close();
    expect(await leftSince(before)).toEqual([]);
  });

  test('is taken back where that is possible', async () => {
    const before = belongings();
    process.env.LEFT = 'here';
    process.env.TZ = 'UTC';
    await mkdtemp(join(tmpdir(), 'left-'));
    const child = spawn('sleep', ['62'], { stdio: 'ignore' });
    await once(child, 'spawn');
    putBack(before);
    expect(await leftSince(before)).toEqual([]);
    expect(process.env.TZ).toBe(before.environment.TZ);
  });
});
