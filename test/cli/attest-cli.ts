import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type Finished, RunningCli, runHere } from './run-cli.ts';

export const PASSPHRASE = { CATHEDRAL_PASSPHRASE: 'correct horse battery' };
type Flags = Record<string, string | true>;

/** `cathedral attest`, with a folder that is removed after the tests of the file. */
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

function attest(
  name: string,
  flags: Flags,
  env: Record<string, string> = PASSPHRASE,
  now: () => number = Date.now,
) {
  return runHere(`attest ${name}`, formatFlags(flags), { env, now });
}

/** `attest verify` of a document on standard input, by the real binary. */
async function verifyText(text: string, flags: Flags): Promise<Finished> {
  const running = new RunningCli(['attest', 'verify', ...formatFlags(flags)]);
  // It may end before it has read everything, which breaks the pipe.
  running.child.stdin!.on('error', () => {}).end(text);
  return running.finished();
}

function formatFlags(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}
