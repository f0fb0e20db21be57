import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../contract/commands/seam.ts';
import { writeOrganisation } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const ORIGIN = 'ledger.example.org';
let folder: string;
let ledger: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  ledger = join(folder, 'ledger');
});

const now = () => Date.parse('2026-10-01T07:30:00Z');
const run = (name: string, ...args: string[]) => runHere(name, args, { env: {}, now });
const init = () => run('ledger init', ledger, '--origin', ORIGIN);

describe('ledger init', () => {
  test('takes a folder that is there and empty, and completes what an interrupted one began, with its key', async () => {
    mkdirSync(ledger);
    expect((await init()).status).toBe(0);
    const key = readFileSync(`${ledger}.key`, 'utf8');
    for (const rest of [['.key', '.vkey'], ['.key'], []]) {
      renameSync(ledger, `${ledger}.new`);
      for (const suffix of ['.key', '.vkey']) if (!rest.includes(suffix)) rmSync(`${ledger}${suffix}`);
      const other = await run('ledger init', ledger, '--origin', 'other.example');
      if (rest.length > 0) expect(other.stderr).toContain('(config_invalid)');
      else expect(other.status).toBe(0);
      if (rest.length === 0) continue;
      expect((await init()).status).toBe(0);
      expect(readFileSync(`${ledger}.key`, 'utf8')).toBe(key);
      expect(readFileSync(`${ledger}.vkey`, 'utf8')).toContain(ORIGIN);
      expect(existsSync(`${ledger}.new`)).toBe(false);
    }
  });
});

describe('ledger seal', () => {
  test('finds the keys of a ledger behind a symbolic link', async () => {
    await init();
    const link = join(folder, 'elsewhere', 'link');
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(ledger, link);
    expect(await run('ledger seal', link)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('sealed '),
    });
    expect(await run('ledger check', link)).toMatchObject({ status: 0 });
  });
});

test('build refuses a signing key that readers do not know', async () => {
  await init();
  writeOrganisation(ledger);
  const other = join(folder, 'other');
  await run('ledger init', other, '--origin', ORIGIN);
  const out = ['--out', join(folder, 'out'), '--publisher-key', join(folder, 'publisher.key')];
  const keys = ['--ledger-key', `${ledger}.vkey`, '--ledger-signing-key', `${other}.key`];
  expect(await run('build', '--ledger', ledger, ...out, ...keys, '--without-site')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('one of the keys that may sign'),
  });
});
