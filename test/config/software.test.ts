import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { commitOf, software, VERSION, withCommit } from '../../pipeline/config/software.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const [ONE, OTHER] = ['1'.repeat(40), '2'.repeat(40)];
const ON_MAIN = { '.git/HEAD': 'ref: refs/heads/main\n' };

test.each<[what: string, files: Record<string, string>, commit: string | null]>([
  ['a branch', { ...ON_MAIN, '.git/refs/heads/main': `${ONE}\n` }, ONE],
  [
    'a packed branch',
    { ...ON_MAIN, '.git/packed-refs': `# packed\n${OTHER} refs/heads/other\n${ONE} refs/heads/main\n` },
    ONE,
  ],
  [
    'a branch that moved after it was packed',
    { ...ON_MAIN, '.git/refs/heads/main': `${ONE}\n`, '.git/packed-refs': `${OTHER} refs/heads/main\n` },
    ONE,
  ],
  ['a commit itself', { '.git/HEAD': `${ONE}\n` }, ONE],
  [
    'a worktree',
    {
      '.git': 'gitdir: main/.git/worktrees/w\n',
      'main/.git/worktrees/w/HEAD': 'ref: refs/heads/w\n',
      'main/.git/worktrees/w/commondir': '../..\n',
      'main/.git/refs/heads/w': `${ONE}\n`,
    },
    ONE,
  ],
  ['an archive that git made', { COMMIT: `${ONE}\n` }, ONE],
  ['an unpacked package', { '.packed-commit': `${ONE}\n`, COMMIT: '$Format:%H$\n' }, ONE],
  ['a copy without a commit', { COMMIT: '$Format:%H$\n' }, null],
  ['a branch without a commit', ON_MAIN, null],
  ['nothing', {}, null],
])('the commit of %s is found without git', async (_, files, commit) => {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  expect(commitOf(folder)).toEqual(commit === null ? null : { hash: commit, modified: false });
});

test('the software names its version, and its commit where there is one', () => {
  expect(software()).toMatch(/^cathedral-data-service \d+\.\d+\.\d+(\+[0-9a-f]{12}(\.modified)?)?$/);
  expect(software()).toContain(` ${VERSION}`);
});

test('a checkout with changes says so', async () => {
  const folder = await temporaryFolder();
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
  git('init', '--quiet');
  await writeFile(join(folder, 'file'), 'as committed');
  git('add', 'file');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '--message', 'one');
  const hash = git('rev-parse', 'HEAD').trim();
  expect(commitOf(folder)).toEqual({ hash, modified: false });
  await writeFile(join(folder, 'file'), 'as changed');
  expect(commitOf(folder)).toEqual({ hash, modified: true });
  expect(withCommit(commitOf(folder))).toBe(`${VERSION}+${hash.slice(0, 12)}.modified`);
});
