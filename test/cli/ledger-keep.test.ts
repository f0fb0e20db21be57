import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readVerifiers } from '../../pipeline/ledger/ledger-keys.ts';
import { LedgerWriter } from '../../pipeline/ledger/ledger-writer.ts';
import { readNoteKeys, verifierKeyOf } from '../../pipeline/ledger/note-keys.ts';
import type { Status } from '../../pipeline/release/format/status.ts';
import { writeOrganisation } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { RunningCli, runHere } from './run-cli.ts';

const ORIGIN = 'ledger.example.org';
let folder: string;
let ledger: string;
let clock: number;

beforeEach(async () => {
  folder = await temporaryFolder();
  ledger = join(folder, 'ledger');
  clock = Date.parse('2026-10-01T07:30:00Z');
});

const now = () => clock;
const run = (name: string, ...args: string[]) => runHere(name, args, { env: {}, now });
const init = (...flags: string[]) =>
  run('ledger init', ledger, ...(flags.includes('--origin') ? [] : ['--origin', ORIGIN]), ...flags);
const headOf = () => readFileSync(join(ledger, 'head.ndjson'), 'utf8');

/** Without a file of verifier keys, the one beside the ledger counts. */
const build = (out: string, ledgerKey: string | null = null, ...flags: string[]) => {
  writeOrganisation(ledger);
  return run(
    ...['build', '--ledger', ledger, '--out', out, '--without-site'],
    ...(ledgerKey === null ? [] : ['--ledger-key', ledgerKey]),
    ...(['--publisher-key', `${out}.publisher`, '--json', ...flags] as const),
  );
};

describe('ledger init', () => {
  test('makes keys and a ledger that can be sealed and published at once', async () => {
    const { status, stdout } = await init();
    const next = `Next: cathedral ledger append EVENTS --ledger ${ledger}\nThen: cathedral ledger seal ${ledger}\n`;
    expect([status, stdout]).toEqual([0, expect.stringContaining(next)]);
    expect(statSync(`${ledger}.key`).mode & 0o777).toBe(0o600);
    const [key] = (await readNoteKeys(`${ledger}.key`))!;
    expect(readFileSync(`${ledger}.vkey`, 'utf8')).toBe(`${verifierKeyOf(key!)}\n`);
    expect(JSON.parse(headOf())).toMatchObject({
      seq: 0,
      timestamp: '2026-10-01T00:00:00Z',
      cycle: 'C-455',
      type: 'genesis',
      data: { allocation: '0', multipliers: { 'FOR-GOVERNMENTS': 1, DIPLOMACY: 1 } },
    });
    const out = join(folder, 'out');
    const built = await build(out, null, '--ledger-signing-key', `${ledger}.key`);
    expect(built).toMatchObject({ status: 0, stderr: expect.stringContaining('snapshots sealed: 1') });
    expect(JSON.parse(built.stdout)).toMatchObject({
      as_of: '2026-10-01T00:00:00Z',
      new_events: 1,
      findings: [],
    });
    expect(headOf()).toBe('');
  });

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

describe('start with the signing key', () => {
  test('seals and publishes a new ledger, and keeps serving when it cannot seal', async () => {
    clock = Date.now();
    await init();
    writeOrganisation(ledger);
    const out = join(folder, 'out');
    const keys = ['--ledger-key', `${ledger}.vkey`, '--ledger-signing-key', `${ledger}.key`];
    const args = ['start', '--ledger', ledger, ...keys, '--out', out, '--without-site', '--port', '0'];
    const first = new RunningCli(args);
    await first.printed(/^Ready: /m);
    await first.printed(/The next release is due at/);
    first.child.kill('SIGTERM');
    expect((await first.finished()).status).toBe(0);
    const verifiers = await readVerifiers(`${ledger}.vkey`);
    const writer = await LedgerWriter.open(ledger, { verifiers, now, waitMs: 0, holder: 'a long append' });
    onTestFinished(() => writer.close());
    const second = new RunningCli(args, { CATHEDRAL_WAIT: '0' });
    const [, url] = await second.printed(/^Ready: (http:\S+)$/m);
    await second.printed(/The run failed; the published release is unchanged/);
    const { last_run } = (await (await fetch(`${url}/status.json`)).json()) as Status;
    expect(last_run).toMatchObject({ outcome: 'failed', error: { code: 'locked' } });
    expect((await fetch(`${url}/economy/supply`)).status).toBe(200);
  });

  test('refuses a key that readers do not know, and one for the demo', async () => {
    await init();
    const other = join(folder, 'other');
    await run('ledger init', other, '--origin', ORIGIN);
    const wrong = await build(join(folder, 'out'), `${ledger}.vkey`, '--ledger-signing-key', `${other}.key`);
    expect(wrong).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('one of the keys that may sign'),
    });
    const demo = await run('start', '--demo', '--ledger-signing-key', `${ledger}.key`);
    expect(demo).toMatchObject({ status: 2, stderr: expect.stringContaining('--ledger-signing-key') });
  });
});
