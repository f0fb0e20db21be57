import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../engines/free-port.ts';
import { hasNamespaces, runTutorial, stepsOf } from './run-tutorial.ts';

const execute = promisify(execFile);
const PROJECT = resolve(import.meta.dirname, '../..');
/** Without the Node of this checkout. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
/** What somebody may use of a disk for it, kB. */
const MOST_KB = 400 * 1024;
/** Root may write everywhere, so root runs the program as another user: nobody. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

let folder: string;
/** Where the user works, and the only folder that the user may write to. */
let work: string;
const prefix = () => join(folder, 'prefix');
const installation = () => join(prefix(), 'lib/node_modules/cathedral-data-service');

function environment(more: Record<string, string> = {}): Record<string, string> {
  const { TZ = '' } = process.env;
  return {
    PATH: [join(prefix(), 'bin'), PATH].join(delimiter),
    HOME: '/nonexistent',
    TMPDIR: work,
    TZ,
    ...more,
  };
}

async function cathedral(...args: string[]): Promise<string> {
  const { stdout } = await execute('cathedral', args, { cwd: work, env: environment(), ...USER });
  return stdout;
}

beforeAll(async () => {
  // Not in memory, where programs may not be executable.
  folder = await mkdtemp('/var/tmp/cathedral-installed-');
  work = join(folder, 'a user’s folder');
  await mkdir(work);
  const npm = (...args: string[]) => execute('npm', args, { cwd: PROJECT, env: { ...process.env, PATH } });
  await npm('pack', '--pack-destination', folder);
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await npm('install', '--global', '--prefix', prefix(), '--prefer-offline', join(folder, `${file}`));
  await chmod(folder, 0o755);
  if (USER.uid) await chown(work, USER.uid, USER.gid);
  else await execute('chmod', ['-R', 'a-w', prefix()]);
}, 600_000);

afterAll(async () => {
  if (!USER.uid) await execute('chmod', ['-R', 'u+w', prefix()]);
  await rm(folder, { recursive: true, force: true });
});

describe('the installed package', { timeout: 600_000 }, () => {
  test('takes at most 400 MB', async () => {
    const { stdout } = await execute('du', ['-sk', prefix()]);
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(MOST_KB);
  });

  test('contains what it needs to run, and neither tests nor packages for development', async () => {
    expect((await readdir(installation())).sort()).toEqual([
      'CHANGELOG.md',
      'CITATION.cff',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'astro.config.mjs',
      'bin',
      'data',
      'deploy',
      'dist',
      'docs',
      'node_modules',
      'npm-shrinkwrap.json',
      'package.json',
      'pipeline',
      'public',
      'scripts',
      'src',
      'tsconfig.json',
    ]);
    const { devDependencies } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
    const packages = await readdir(join(installation(), 'node_modules'));
    expect(packages.filter((name) => name in devDependencies)).toEqual([]);
  });

  test('says its version and the commit that it was made from', async () => {
    const { stdout } = await execute('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: PROJECT });
    expect(await cathedral('--version')).toMatch(
      new RegExp(`^\\d+\\.\\d+\\.\\d+\\+${stdout.trim()}(\\.modified)?\n$`),
    );
    expect(await cathedral('help', 'build')).toContain('Usage: cathedral build');
  });

  test('publishes and serves a ledger, with site, charts and PDFs', async () => {
    await cathedral('sample', '--to', '2025-07-20');
    const port = await freePort();
    const server = spawn('cathedral', ['start'], {
      cwd: work,
      env: environment({ PORT: `${port}` }),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...USER,
    });
    let said = '';
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const answer = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return {
        status: response.status,
        text: await response.text(),
        type: response.headers.get('content-type'),
      };
    };
    await expect.poll(() => said, { timeout: 180_000 }).toContain('Ready');
    expect(await answer('/readyz')).toMatchObject({ status: 200 });
    expect(await answer('/economy/supply')).toMatchObject({ status: 200, type: 'application/json' });
    expect((await answer('/economy/')).text).toContain('<html');
    expect((await answer('/snapshots/')).text).toContain('<html');
    expect((await answer('/government/transparency.pdf')).text).toMatch(/^%PDF/);
    // In another state than the release has: a page of the site's program, and a picture, each by a thread.
    expect((await answer('/charts/supply/?from=2025-07-10')).text).toContain('<svg');
    expect((await answer('/charts/supply.png?from=2025-07-10')).type).toBe('image/png');
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
    expect(said).not.toMatch(/Warning|CathedralError/);
    expect((await readdir(join(work, 'var'))).sort()).toEqual([
      'access-log',
      'data',
      'keys',
      'ledger',
      'limits',
    ]);
  });

  test('publishes the same release as the checkout', async () => {
    const checkout = join(work, 'checkout');
    const key = join(work, 'publisher.key');
    const out = join(work, 'installed');
    const ledger = join(work, 'var/ledger');
    const flags = ['--ledger', ledger, '--publisher-key', key, '--without-pdf', '--json'];
    await cathedral('build', '--out', out, ...flags);
    await rm(`${key}.signed`, { recursive: true });
    const node = join(PROJECT, 'node_modules/.bin/node');
    const cli = join(PROJECT, 'src/cli.ts');
    await execute(node, [cli, 'build', '--out', checkout, ...flags], {
      cwd: work,
      env: { PATH, HOME: work },
    });
    const manifest = (release: string) => readFile(join(release, 'current/public/manifest.json'), 'utf8');
    expect(JSON.parse(await manifest(out)).files).toEqual(JSON.parse(await manifest(checkout)).files);
  });
});

const TUTORIAL = 'docs/tutorials/own-ledger.md';
const isolated = await hasNamespaces();

describe('the tutorial “From your database to a published service”', () => {
  test.skipIf(!isolated)('works word for word', async () => {
    const steps = stepsOf(await readFile(join(PROJECT, TUTORIAL), 'utf8'));
    const machine = {
      folder: await mkdtemp(join(folder, 'tutorial-')),
      prefix: prefix(),
      port: await freePort(),
      path: PATH,
    };
    const { outputs, log } = await runTutorial(steps, machine);
    for (const [index, { output }] of steps.entries())
      if (output !== null) expect(outputs[index]).toBe(output);
    const outputOf = (words: string) => outputs[steps.findIndex(({ commands }) => commands.includes(words))]!;
    expect(outputOf('ledger check')).toContain('The ledger is valid: no errors, no warnings.');
    expect(outputOf('status.json')).toContain('"total_supply": 1006494.671831');
    expect(outputOf('mic_burn')).toContain('"burned": 350');
    expect(outputOf('cathedral mirror')).toMatch(/^log {9}verified {5}101 events/m);
    expect(log).toContain('expected data.mii to be at most 1, found 97');
    expect(log).toContain('101 new events, 0 findings');
  });
});
