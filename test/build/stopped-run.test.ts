import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { writeSample } from '../../pipeline/sample/write-sample.ts';

const CLI = new URL('../../src/cli.ts', import.meta.url).pathname;

test('a run that is stopped while it writes a release leaves nothing of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopped-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
  await writeSample({ out: ledger, to: '2025-08-01', seed: 3 });
  const options = [
    '--ledger',
    ledger,
    '--out',
    out,
    '--publisher-key',
    join(folder, 'key'),
    '--without-site',
  ];
  const child = spawn(process.execPath, [CLI, 'build', ...options, '--allow-placeholders'], {
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  while (staged(out).length === 0 && child.exitCode === null) await sleep(5);
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(143);
  expect(staged(out)).toEqual([]);
});

/** Before the run has made its folder, there is nothing. */
function staged(out: string): string[] {
  return existsSync(out) ? readdirSync(out).filter((name) => name.startsWith('staging-')) : [];
}
