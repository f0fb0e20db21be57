import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type Finished, RunningCli, runCli } from './run-cli.ts';

export const PASSPHRASE = { CATHEDRAL_PASSPHRASE: 'correct horse battery' };
type Flags = Record<string, string | true>;

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

function attest(command: string, flags: Flags, env: Record<string, string> = PASSPHRASE): Promise<Finished> {
  return runCli(['attest', command, ...formatFlags(flags)], env);
}

/** `attest verify` of what comes by standard input. */
async function verifyText(text: string, flags: Flags): Promise<Finished> {
  const running = new RunningCli(['attest', 'verify', ...formatFlags(flags)]);
  // It may have ended before it has read everything, which is a broken pipe to us.
  running.child.stdin!.on('error', () => {}).end(text);
  return running.finished();
}

function formatFlags(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}
