import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, type TestContext, test } from 'vitest';
import { PROJECT } from '../../pipeline/config/project.ts';
import { isLongSweep } from '../setups/sweep.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Finding } from './sweep.ts';
import type { Swept } from './sweep-all.ts';
import { MISTAKES, withMistake } from './wrong-publishers.ts';

const RUN = join(import.meta.dirname, 'run-sweep.ts');
const HOURS_MS = 8 * 3_600_000;

/** A ledger, a key, a release of a few files, a snapshot and a mirror; a whole run takes minutes. */
const SOME_SCENARIOS = [
  ...['ledger init', 'an event appended'],
  ...['a small release', 'a snapshot that goes', 'a mirror that goes on'],
];

async function sweep(
  onTestFinished: TestContext['onTestFinished'],
  args: readonly string[],
): Promise<{ findings: Finding[]; swept: Swept[]; stderr: string }> {
  const child = spawn(process.execPath, [RUN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  const findings: Finding[] = [];
  const swept: Swept[] = [];
  for await (const line of createInterface(child.stdout)) {
    const told = JSON.parse(line) as Finding | Swept;
    if ('problems' in told) findings.push(told);
    else swept.push(told);
  }
  await closed;
  return { findings, swept, stderr };
}

/** On a busy machine, a sweep takes several times as long as alone. */
const BUSY_MS = 15 * 60_000;
const options = { timeout: isLongSweep ? HOURS_MS : BUSY_MS };

describe('whatever call fails, whenever the process is killed or power is lost', {
  concurrent: isLongSweep,
}, () => {
  test.for(isLongSweep ? Object.keys(SCENARIOS).map((name) => [name]) : [SOME_SCENARIOS])(
    '%s leaves what is whole, and the next run makes the rest',
    options,
    async (names, { onTestFinished }) => {
      const { findings, swept, stderr } = await sweep(
        onTestFinished,
        isLongSweep ? ['--all', ...names] : names,
      );
      expect({ findings, stderr }).toEqual({ findings: [], stderr: '' });
      expect(swept.map(({ scenario }) => scenario).toSorted()).toEqual(names.toSorted());
      for (const { calls, swept: counts } of swept) {
        const cuts = Object.entries(counts).filter(([way]) => way.startsWith('power cut'));
        expect(calls).toBeGreaterThanOrEqual(5);
        expect(cuts.length).toBeGreaterThan(1);
      }
      const ways = new Set(swept.flatMap(({ swept: counts }) => Object.keys(counts)));
      // Only a command is a process that can be killed.
      const kills = names.some((name) => SCENARIOS[name]!.command) ? ['kill -9'] : [];
      expect([...ways]).toEqual(expect.arrayContaining(['EIO', 'EROFS', 'ENOSPC', ...kills]));
      if (isLongSweep) console.log(JSON.stringify(swept));
    },
  );
});

test.each(Object.keys(MISTAKES))('a program that %s can still be made of this one', (mistake) => {
  for (const file of Object.keys(MISTAKES[mistake]!.changes))
    expect(() => withMistake(mistake, file, readFileSync(join(PROJECT, file), 'utf8'))).not.toThrow();
});

if (isLongSweep)
  describe('the same sweep finds', { concurrent: true }, () => {
    test.for(Object.keys(MISTAKES))('a program that %s', options, async (mistake, { onTestFinished }) => {
      const args = ['--wrong', mistake, MISTAKES[mistake]!.scenario];
      const { findings, stderr } = await sweep(onTestFinished, args);
      expect(stderr).toBe('');
      expect(findings).toHaveLength(1);
      expect(findings[0]!.problems).not.toEqual([]);
    });
  });
