import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

const PROJECT = resolve(import.meta.dirname, '../..');

const COMMANDS: readonly (readonly string[])[] = [
  // Several threads would each work out the types that they share, in twice the CPU time; tests use the other core.
  ['tsc', '--noEmit', '--singleThreaded'],
  ['biome', 'check', '.'],
  ['knip'],
  ['node', 'scripts/check-pages.ts'],
];

/** With `CHECKS=all`: types, lint, format and unused code beside the tests, and after the last of them what was found. */
export default function setUp(): undefined | (() => Promise<void>) {
  if (process.env.CHECKS !== 'all') return undefined;
  const done = runAll();
  return async () => {
    const failed = (await done).filter((result) => result !== null);
    for (const { command, output } of failed) console.log(`\n${command} failed:\n${output}`);
    if (failed.length > 0) throw new Error(failed.map(({ command }) => `${command} failed`).join(', '));
  };
}

/** One after the other: tests wait for each other anyway. */
async function runAll() {
  const results = [];
  for (const command of COMMANDS) results.push(await run(command));
  return results;
}

function run([program, ...args]: readonly string[]): Promise<{ command: string; output: string } | null> {
  const command = [program, ...args].join(' ');
  return new Promise((resolve) => {
    const ended = (error: Error | null, stdout: string, stderr: string) => {
      if (error === null) return resolve(null);
      console.log(`${command} failed; what it found is at the end of this output`);
      resolve({ command, output: `${stdout}${stderr}` || error.message });
    };
    execFile(program!, args, { cwd: PROJECT, maxBuffer: 2 ** 26 }, ended);
  });
}
