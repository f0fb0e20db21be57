import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { compare, type Report, runBenchmarks } from './bench/figure.ts';
import { temporaryFolder } from './release/temporary-folder.ts';

const figure = (what: string, value: number) => compare(what, value, 10, 'ms', 1.5);

test('a benchmark prints each figure as soon as it is measured, and one that fails discards no other', async () => {
  const printed: string[] = [];
  const last = () => printed.at(-1);
  const benchmarks = {
    broken: async (report: Report) => {
      report(figure('before it broke', 10));
      expect(last()).toBe('  met     before it broke: 10.0 ms, beside 10.0 ms: 1.00 (≤ 1.5)');
      throw new Error('no room');
    },
    slow: async (report: Report) => report(figure('slow', 20)),
    good: async (report: Report) => report(figure('good', 12)),
  };
  const found = await runBenchmarks(benchmarks, (line) => printed.push(line));
  expect(found).toMatchObject({
    status: 1,
    measured: [
      { name: 'broken', figures: [{ verdict: 'met' }], failed: expect.stringContaining('no room') },
      { name: 'slow', figures: [{ measured: '20.0 ms', bound: '≤ 1.5', verdict: 'MISSED' }], failed: null },
      { name: 'good' },
    ],
  });
  expect(printed.join('\n')).toMatch(/broken FAILED: Error: no room[\s\S]*MISSED {2}slow[\s\S]*met {5}good/);
  expect(printed.slice(-2)).toEqual(['bounds that were missed: slow', 'benchmarks that failed: broken']);
  expect(await runBenchmarks({ good: benchmarks.good }, () => {})).toMatchObject({ status: 0 });
  const { broken } = benchmarks;
  expect(await runBenchmarks({ broken }, () => {})).toMatchObject({ status: 1 });
});

test('a reference that is not installed is named', async () => {
  const printed: string[] = [];
  const missing = () => promisify(execFile)('no-such-load-generator', []).then(() => {});
  const { status } = await runBenchmarks({ missing }, (line) => printed.push(line));
  expect([status, printed[1]]).toEqual([1, 'missing FAILED: no-such-load-generator is missing']);
});

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s leaves no process and no folder of a benchmark', async (signal, expected) => {
  const folder = await temporaryFolder();
  const program = `
    import { spawn } from 'node:child_process';
    import { mkdtempSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { useWorkPlace } from ${JSON.stringify(new URL('./bench/work-place.ts', import.meta.url).href)};
    useWorkPlace();
    mkdtempSync(tmpdir() + '/scratch-');
    // As pg_ctl starts a server, which no parent ends.
    const daemon = spawn('sh', ['-c', 'echo $$; exec sleep 1000'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    daemon.stdout.once('data', (id) => console.log('ready ' + id));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const daemon = Number(line.split(' ')[1]);
  expect(await readdir(folder)).toHaveLength(1);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([expected, null]);
  expect(await readdir(folder)).toEqual([]);
  await expect
    .poll(() => existsSync(`/proc/${daemon}/environ`) && readFileSync(`/proc/${daemon}/environ`, 'utf8'))
    .toBeFalsy();
});
