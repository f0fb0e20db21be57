import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';

const MODULE = new URL('../../../pipeline/build/site/end-with-parent.ts', import.meta.url).href;

/** Starts a process that loads the module and does `work`, prints its id, and waits forever. */
const PARENT = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['--import', process.argv[1], '-e', process.argv[2]], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('exit', (status) => console.log('ended ' + status));
  child.on('message', () => console.log(child.pid));
  setInterval(() => {}, 1000);
`;

function start(work: string) {
  const parent = spawn(process.execPath, ['-e', PARENT, MODULE, work], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  return { parent, line: async () => String((await once(parent.stdout, 'data'))[0]).trim() };
}

function lives(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

describe('a process with end-with-parent', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)('ends when its parent is ended by %s', async (signal) => {
    const { parent, line } = start(`process.send('ready'); setInterval(() => {}, 1000)`);
    const child = Number(await line());
    expect(lives(child)).toBe(true);
    parent.kill(signal);
    while (lives(child)) await sleep(10);
  });

  test('ends on its own when its work is done', async () => {
    const { line } = start('setTimeout(() => {}, 10)');
    expect(await line()).toBe('ended 0');
  });
});
