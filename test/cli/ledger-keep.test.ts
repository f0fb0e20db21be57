import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
const seal = async (...flags: string[]) =>
  JSON.parse((await run('ledger seal', ledger, '--json', ...flags)).stdout);
const entries = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
const headOf = () => readFileSync(join(ledger, 'head.ndjson'), 'utf8');

/** Appends heartbeats at these times. */
async function append(...times: string[]): Promise<void> {
  const verifiers = await readVerifiers(`${ledger}.vkey`);
  const writer = await LedgerWriter.open(ledger, { verifiers, now, waitMs: 0, holder: 'a test' });
  await writer.append(times.map((timestamp) => ({ type: 'heartbeat', agent: 'ATLAS', data: {}, timestamp })));
  writer.close();
}

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

  test('takes the beginning, the allocation, multipliers and a charter', async () => {
    writeFileSync(join(folder, 'charter.txt'), 'Réserves.\nSecond line.\n');
    const { status } = await init(
      ...[
        '--from',
        '2026-01-01T00:00:00Z',
        '--allocation',
        '1000000',
        '--charter',
        join(folder, 'charter.txt'),
      ],
      ...['--multipliers', 'FOR-GOVERNMENTS=1.5, DIPLOMACY=2', '--agent', 'TREASURY'],
    );
    expect(status).toBe(0);
    const multipliers = { 'FOR-GOVERNMENTS': 1.5, 'FOR-ECONOMISTS': 1, DIPLOMACY: 2 };
    expect(JSON.parse(headOf())).toMatchObject({
      timestamp: '2026-01-01T00:00:00Z',
      agent: 'TREASURY',
      data: { allocation: '1000000', multipliers, charter: 'Réserves.\nSecond line.' },
    });
  });

  test.each<[string, () => unknown, string[], string]>([
    [
      'a folder with a ledger',
      () => mkdirSync(join(ledger, 'snapshots'), { recursive: true }),
      [],
      'ledger_unwritable',
    ],
    ['a file in its place', () => writeFileSync(ledger, ''), [], 'ledger_unwritable'],
    ['a signing key that exists', () => writeFileSync(`${ledger}.key`, ''), [], 'key_refused'],
    ['a verifier key that exists', () => writeFileSync(`${ledger}.vkey`, ''), [], 'key_refused'],
    [
      'a folder of another program',
      () => mkdirSync(`${ledger}.new/home`, { recursive: true }),
      [],
      'ledger_unwritable',
    ],
    ['a key inside the ledger', () => {}, ['--ledger-signing-key', 'ledger/key'], 'config_invalid'],
    ['an origin with a space', () => {}, ['--origin', 'my ledger'], 'config_invalid'],
    ['a beginning in the future', () => {}, ['--from', '2026-10-01T07:35:01Z'], 'ledger_order'],
    ['a cathedral that does not exist', () => {}, ['--multipliers', 'FOR-ALL=1'], 'config_invalid'],
    ['a multiplier out of range', () => {}, ['--multipliers', 'DIPLOMACY=2.1'], 'config_invalid'],
    ['an allocation that is a float', () => {}, ['--allocation', '1e6'], 'config_invalid'],
    ['a charter that is missing', () => {}, ['--charter', 'nowhere.txt'], 'config_invalid'],
  ])('refuses %s, and creates nothing', async (_, prepare, flags, code) => {
    prepare();
    const before = entries();
    const inside = flags.map((flag) => (flag === 'ledger/key' ? join(ledger, 'key') : flag));
    const { status, stderr } = await init(...inside);
    expect([status, stderr]).toEqual([expect.any(Number), expect.stringContaining(`(${code})`)]);
    expect(status).toBeGreaterThan(0);
    expect(entries()).toEqual(before);
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

  test('seals finished slots and says what is left', async () => {
    await init();
    expect((await run('ledger seal', ledger)).stdout).toBe('sealed 2026-10-01T06Z: 1 event\n');
    const nothing = await run('ledger seal', ledger);
    expect(nothing.stdout).toBe('Nothing to seal. The current slot ends at 2026-10-01T12:00:00Z.\n');
    await append('2026-10-01T07:00:00Z', '2026-10-01T07:10:00Z');
    expect(await seal()).toMatchObject({ sealed: [], size: 1, head: 2 });
    clock = Date.parse('2026-10-02T01:00:00Z');
    expect(await seal()).toEqual({
      ledger,
      sealed: [
        { id: '2026-10-01T12Z', events: 2 },
        { id: '2026-10-02T00Z', events: 0 },
      ],
      snapshot: '2026-10-02T00Z',
      size: 3,
      head: 0,
      paused: null,
    });
    expect(await run('ledger check', ledger, '--ledger-key', `${ledger}.vkey`)).toMatchObject({ status: 0 });
  });

  test('needs a flag after a long pause, because the clock may be wrong', async () => {
    await init();
    await append('2026-10-01T07:00:00Z');
    clock = Date.parse('2027-10-01T07:00:00Z');
    const { status, stdout, stderr } = await run('ledger seal', ledger);
    expect([status, stdout]).toEqual([0, 'sealed 2026-10-01T06Z: 1 event\nsealed 2026-10-01T12Z: 1 event\n']);
    expect(stderr).toContain(
      '2027-10-01T06Z is not sealed: it has no events, and the last event or sealed slot is 364 days',
    );
    expect(stderr).toContain(`cathedral ledger seal ${ledger} --after-pause`);
    clock = Date.parse('2026-10-01T13:00:00Z');
    await append('2026-10-01T13:00:00Z');
    clock = Date.parse('2026-10-01T11:00:00Z');
    const behind = await run('ledger seal', ledger);
    expect(behind.stderr).toContain('The clock is behind the last event, 2026-10-01T13:00:00Z.');
    clock = Date.parse('2027-10-01T07:00:00Z');
    expect((await seal('--after-pause')).sealed.at(-1)).toEqual({ id: '2027-10-01T06Z', events: 0 });
  });

  test.each<[string, (keyFile: string) => void, string]>([
    ['is missing', (key) => rmSync(key), 'no such file'],
    ['others can read', (key) => writeFileSync(`${key}2`, readFileSync(key), { mode: 0o644 }), 'mode 644'],
    ['is not one', (key) => writeFileSync(key, 'secret'), 'something else'],
  ])('refuses a key file that %s', async (name, spoil, found) => {
    await init();
    spoil(`${ledger}.key`);
    const key = name === 'others can read' ? `${ledger}.key2` : `${ledger}.key`;
    const { status, stderr } = await run('ledger seal', ledger, '--ledger-signing-key', key);
    expect([status, stderr]).toEqual([2, expect.stringContaining(found)]);
    expect(stderr).not.toContain('secret"');
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
