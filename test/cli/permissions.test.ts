import { chownSync, lchownSync, lstatSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { COMMAND, publisherKey, RunningCli, runHere } from '../contract/commands/seam.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { few } from '../setups/sweep.ts';

const isRoot = process.getuid?.() === 0;
const OTHER = 65_534;

/** Each path below a folder and the folders themselves, with what `of` says about it. */
async function everything<T>(folder: string, of: (path: string) => T): Promise<Map<string, T>> {
  const { files, others } = await listTree(folder);
  const paths = new Set(['']);
  for (const file of [...files, ...others])
    for (let path = file; path !== ''; path = path.slice(0, Math.max(path.lastIndexOf('/'), 0)))
      paths.add(path);
  return new Map([...paths].sort().map((path) => [path, of(join(folder, path))]));
}

const ownerOf = (path: string) => lstatSync(path).uid;
const modeOf = (path: string) => {
  const found = lstatSync(path);
  return found.isSymbolicLink() ? 'link' : (found.mode & 0o777).toString(8);
};

const ledgerOf = async (folder: string) => {
  await writeSample({ out: join(folder, 'ledger'), to: '2025-07-03T12:00:00Z' });
  return join(folder, 'ledger');
};
const building = (folder: string, ledger: string) => [
  ...['--out', join(folder, 'out'), '--ledger', ledger, '--without-site', '--without-pdf'],
];

describe.runIf(isRoot)('root, in a folder of another user', () => {
  test('is refused, with the name of the owner, and leaves nothing that is its own', async () => {
    const service = join(await temporaryFolder(), 'service');
    await mkdir(service);
    const ledger = await ledgerOf(service);
    const out = join(service, 'out');
    await publishTiny(out, { events: 5 });
    const env = {
      CATHEDRAL_STORE: service,
      CATHEDRAL_PUBLISHER_KEY: publisherKey(out),
    };
    for (const path of (await everything(service, () => null)).keys())
      lchownSync(join(service, path), OTHER, OTHER);
    const before = await everything(service, modeOf);
    const build = building(service, ledger);
    const commands: readonly [string, ...string[]][] = [
      ['build', ...build],
      ['ledger init', join(service, 'own'), '--origin', 'x.example'],
      ['publisher rotate', '--out', out],
      ['serve', '--out', out, '--port', '0'],
      ['build', ...build, '--rebuild'],
      ['build', '--out', join(service, 'new'), ...build.slice(2)],
      ['ledger append', '--ledger', ledger, '--format', 'ndjson', '--file', '/dev/null'],
      ['mirror', 'http://127.0.0.1:1', join(service, 'mirror')],
      ['sample', '--ledger', ledger, '--to', '2025-07-08'],
      ['start', '--port', '0', ...build],
    ];
    for (const [name, ...args] of few(commands, 4)) {
      const { status, stderr } = await runHere(name, args, { env });
      expect([name, status, stderr]).toEqual([
        name,
        2,
        expect.stringMatching(/nobody.*found root \(wrong_user\)/),
      ]);
    }
    expect((await runHere('keys list', [], { env })).stderr).not.toContain('wrong_user');
    expect(await everything(service, modeOf)).toEqual(before);
    expect(new Set((await everything(service, ownerOf)).values())).toEqual(new Set([OTHER]));
  });

  test('keeps the owner of a file that it replaces in a folder of its own', async () => {
    const folder = await temporaryFolder();
    const [ledger, key] = [join(folder, 'own'), join(folder, 'own.key')];
    await runHere('ledger init', [ledger, '--origin', 'x.example']);
    for (const path of [key, join(folder, 'own.vkey')]) chownSync(path, OTHER, OTHER);
    expect(await runHere('ledger rotate', [ledger])).toMatchObject({ status: 0 });
    expect([ownerOf(key), modeOf(key), ownerOf(join(folder, 'own.vkey'))]).toEqual([OTHER, '600', OTHER]);
  });
});

test.runIf(isRoot)(
  'another user’s file is named with its owner to the user who cannot write it',
  async () => {
    // The folder of the tests is closed to other users.
    const folder = await mkdtemp('/var/tmp/cathedral-');
    onTestFinished(() => rm(folder, { recursive: true }));
    const ledger = await ledgerOf(folder);
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'out'));
    for (const name of ['lock', 'lock.holder']) await writeFile(join(folder, 'out', name), '');
    chownSync(join(folder, 'out'), OTHER, OTHER);
    const as = ['setpriv', `--reuid=${OTHER}`, `--regid=${OTHER}`, '--clear-groups', ...COMMAND];
    const cli = new RunningCli(['build', ...building(folder, ledger)], { HOME: folder }, as);
    const { status, stderr } = await cli.finished();
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/out\/lock[.a-z]* belongs to root, and this runs as nobody: change its owner/),
    ]);
    await mkdir(join(folder, 'closed'), { mode: 0o700 });
    const show = new RunningCli(['ledger', 'show', '--ledger', join(folder, 'closed')], { HOME: folder }, as);
    // The file is none of the working directory, which root has as well.
    expect((await show.finished()).stderr).toMatch(
      /^cathedral: head\.ndjson: expected a readable file, .*\(ledger_unreadable\)\n$/,
    );
  },
);

test('what is public is readable for everyone and writable for its owner, and the rest is private, with umask 077', async () => {
  const folder = await temporaryFolder();
  const ledger = await ledgerOf(folder);
  const shell = ['sh', '-c', 'umask 077; exec "$@"', 'sh', ...COMMAND];
  const cli = new RunningCli(['build', ...building(folder, ledger)], {}, shell);
  expect(await cli.finished()).toMatchObject({ status: 0 });
  const out = join(folder, 'out');
  const modes = await everything(out, modeOf);
  const wanted = (path: string) => {
    const isPrivate = /^(releases\/[^/]+\/(?!public($|\/))|log-entries)/.test(path);
    if (lstatSync(join(out, path)).isDirectory()) return isPrivate ? '700' : '755';
    return isPrivate && !path.startsWith('log-entries') ? '600' : '644';
  };
  const expected = [...modes].map(([path, mode]) => [path, mode === 'link' ? mode : wanted(path)] as const);
  expect(modes).toEqual(new Map(expected));
  expect(modeOf(`${out}.publisher-key`)).toBe('600');
});
