import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { readConfig } from '../../pipeline/config/config.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { ATTEST } from '../../src/commands/attest.ts';
import { Progress } from '../../src/commands/progress.ts';
import { type Finished, RunningCli } from './run-cli.ts';

export const PASSPHRASE = { CATHEDRAL_PASSPHRASE: 'correct horse battery' };
type Flags = Record<string, string | true>;
type Told = Pick<Finished, 'status' | 'stdout' | 'stderr'>;

/** `cathedral attest`, with a folder that is gone when the file’s tests have ended. */
export function openAttestCli() {
  const folder = mkdtempSync(join(tmpdir(), 'cathedral-attest-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const inFolder = (name: string) => join(folder, name);
  const save = (name: string, value: unknown) => {
    writeFileSync(inFolder(name), typeof value === 'string' ? value : JSON.stringify(value));
    return inFolder(name);
  };
  return { inFolder, save, attest, verifyText };
}

/** The command in this process, by any clock: a process of its own takes half a second each time. */
async function attest(
  name: string,
  flags: Flags,
  env: Record<string, string> = PASSPHRASE,
  now: () => number = Date.now,
): Promise<Told> {
  const command = ATTEST[`attest ${name}`]!;
  const args = formatFlags(flags);
  let [stdout, stderr] = ['', ''];
  const note = (text: string) => {
    stderr += text;
  };
  const write = (text: string) => {
    stdout += text;
  };
  const progress = new Progress({ isTTY: true, write: note }, now);
  const context = { args, now, progress, print: (line: string) => write(`${line}\n`) };
  const rest = {
    write: async (text: string) => write(text),
    untilStopped: () => new AbortController().signal,
  };
  try {
    const config = readConfig(command.settings, args, env);
    return { status: await command.run(config, { ...context, ...rest }), stdout, stderr };
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    return { status: error.exit, stdout, stderr: `${stderr}cathedral: ${error.message}\n` };
  }
}

/** `attest verify` of what comes by standard input, by the real binary. */
async function verifyText(text: string, flags: Flags): Promise<Finished> {
  const running = new RunningCli(['attest', 'verify', ...formatFlags(flags)]);
  // It may have ended before it has read everything, which is a broken pipe to us.
  running.child.stdin!.on('error', () => {}).end(text);
  return running.finished();
}

function formatFlags(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}
