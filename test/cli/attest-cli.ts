import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { runHere } from '../contract/commands/seam.ts';

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
  return { inFolder, save, attest };
}

function attest(
  name: string,
  flags: Flags,
  env: Record<string, string> = PASSPHRASE,
  now: () => number = Date.now,
) {
  return runHere(`attest ${name}`, formatFlags(flags), { env, now });
}

function formatFlags(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}
