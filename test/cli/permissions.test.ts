import { chownSync, lchownSync, lstatSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { few } from '../setups/sweep.ts';
import { COMMAND, publisherKey, RunningCli, runCli } from './run-cli.ts';

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
  await writeSample({ out: join(folder, 'ledger'), to: '2025-07-05' });
  return join(folder, 'ledger');
};
const building = (folder: string) => [
  'build',
  '--out',
  join(folder, 'out'),
  '--without-site',
  '--without-pdf',
];

describe.runIf(isRoot)('root, in a folder of another user', () => {
  async function given() {
    const folder = await temporaryFolder();
    const service = join(folder, 'service');
    await mkdir(service);
    const ledger = await ledgerOf(service);
    const env = {
      CATHEDRAL_KEYS: join(service, 'keys/keys.sqlite'),
      CATHEDRAL_LIMITS: join(service, 'limits.db'),
      CATHEDRAL_ACCESS_LOG: join(service, 'access-log'),
      CATHEDRAL_PUBLISHER_KEY: join(service, 'publisher.key'),
    };
    const build = [...building(service), '--ledger', ledger];
    expect(await runCli(build, env)).toMatchObject({ status: 0 });
    expect((await runCli(['keys', 'list'], env)).stderr).not.toContain('wrong_user');
    for (const path of (await everything(service, () => null)).keys())
      lchownSync(join(service, path), OTHER, OTHER);
    return { service, ledger, env, build };
  }

  test('is refused, with the name of the owner, and leaves nothing that is its own', async () => {
    const { service, ledger, env, build } = await given();
    // The tests' own key for the folder that there is not.
    chownSync(publisherKey(join(service, 'new')), OTHER, OTHER);
    const before = await everything(service, modeOf);
    const out = join(service, 'out');
    const all = [
      build,
      ['ledger', 'append', '--ledger', ledger, '--format', 'ndjson', '--file', '/dev/null'],
      ['mirror', 'http://127.0.0.1:1', join(service, 'mirror')],
      [...build, '--rebuild'],
      [...building(service).slice(0, 1), '--out', join(service, 'new'), '--ledger', ledger, '--without-site'],
      ['publisher', 'rotate', '--out', out],
      ['ledger', 'init', join(service, 'own'), '--origin', 'x.example'],
      ['sample', '--ledger', ledger, '--to', '2025-07-08'],
      ['start', '--out', out, '--ledger', ledger, '--port', '0', '--without-site'],
      ['serve', '--out', out, '--port', '0'],
    ];
    for (const args of few(all, 3)) {
      const { status, stderr } = await runCli(args, env);
      expect([args[0], status, stderr]).toEqual([
        args[0],
        2,
        expect.stringMatching(/nobody.*found root \(wrong_user\)/),
      ]);
    }
    expect(await everything(service, modeOf)).toEqual(before);
    expect(new Set((await everything(service, ownerOf)).values())).toEqual(new Set([OTHER]));
  });

  test('reads all the same, and keeps the owner of a file that it replaces in a folder of its own', async () => {
    const { service, env } = await given();
    expect((await runCli(['check', '--out', join(service, 'out')], env)).status).toBe(0);
    expect(new Set((await everything(service, ownerOf)).values())).toEqual(new Set([OTHER]));
    const folder = await temporaryFolder();
    const [ledger, key] = [join(folder, 'own'), join(folder, 'own.key')];
    await runCli(['ledger', 'init', ledger, '--origin', 'x.example']);
    for (const path of [key, join(folder, 'own.vkey')]) chownSync(path, OTHER, OTHER);
    expect(await runCli(['ledger', 'rotate', ledger])).toMatchObject({ status: 0 });
    expect([ownerOf(key), modeOf(key), ownerOf(join(folder, 'own.vkey'))]).toEqual([OTHER, '600', OTHER]);
  });
});

describe('another user’s file in a folder', () => {
  test.runIf(isRoot)('is named with its owner to the user who cannot write it', async () => {
    // The folder of the tests is closed to other users.
    const folder = await mkdtemp('/var/tmp/cathedral-');
    onTestFinished(() => rm(folder, { recursive: true }));
    const ledger = await ledgerOf(folder);
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'out'));
    for (const name of ['lock', 'lock.holder']) await writeFile(join(folder, 'out', name), '');
    chownSync(join(folder, 'out'), OTHER, OTHER);
    const as = ['setpriv', `--reuid=${OTHER}`, `--regid=${OTHER}`, '--clear-groups', ...COMMAND];
    const args = [...building(folder), '--ledger', ledger];
    const { status, stderr } = await new RunningCli(args, { HOME: folder }, as).finished();
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/out\/lock[.a-z]* belongs to root, and this runs as nobody: change its owner/),
    ]);
  });
});

describe.each(few(['077', '000', '022']))('with umask %s', (umask) => {
  const shell = ['sh', '-c', `umask ${umask}; exec "$@"`, 'sh', ...COMMAND];
  const run = (args: string[]) => new RunningCli(args, {}, shell).finished();

  test('what is public is readable for everyone and writable for its owner, and the rest is private', async () => {
    const folder = await temporaryFolder();
    expect(await run(['sample', '--ledger', join(folder, 'ledger'), '--to', '2025-07-05'])).toMatchObject({
      status: 0,
    });
    expect(await run([...building(folder), '--ledger', join(folder, 'ledger')])).toMatchObject({ status: 0 });
    const out = join(folder, 'out');
    const modes = await everything(out, modeOf);
    const expected = new Map(
      [...modes].map(([path, mode]) => {
        const isPrivate = /^(releases\/[^/]+\/(?!public($|\/))|log-entries)/.test(path);
        const isFolder = lstatSync(join(out, path)).isDirectory();
        return [
          path,
          mode === 'link'
            ? mode
            : isFolder
              ? isPrivate
                ? '700'
                : '755'
              : isPrivate && !path.startsWith('log-entries')
                ? '600'
                : '644',
        ];
      }),
    );
    expect(modes).toEqual(expected);
    expect(modeOf(`${out}.publisher-key`)).toBe('600');
    expect(new Set((await everything(join(folder, 'ledger'), modeOf)).values())).toEqual(
      new Set(['755', '644']),
    );
  });

  test('who reads a ledger follows from its folder, which has the permissions that the umask leaves', async () => {
    const folder = await temporaryFolder();
    expect(await run(['ledger', 'init', join(folder, 'own'), '--origin', 'x.example'])).toMatchObject({
      status: 0,
    });
    const { 0: own, ...rest } = [...(await everything(join(folder, 'own'), modeOf)).values()];
    expect(own).toBe((0o777 & ~Number.parseInt(umask, 8) & ~0o022).toString(8));
    expect(new Set([modeOf(join(folder, 'own/snapshots')), ...Object.values(rest)])).toEqual(
      new Set(['755', '644']),
    );
    expect([modeOf(join(folder, 'own.key')), modeOf(join(folder, 'own.vkey'))]).toEqual(['600', '644']);
  });
});
