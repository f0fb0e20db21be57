import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../engines/free-port.ts';
import { canRunTutorials, publishDemo, runTutorial, shapeOf, stepsOf } from './run-tutorial.ts';

const execute = promisify(execFile);
const PROJECT = resolve(import.meta.dirname, '../..');
/** Without the Node of this checkout. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
/** What somebody may use of a disk for it, with a Node of its own, kB. */
const MOST_KB = 650 * 1024;
/** Root may write everywhere, so root runs the program as another user: nobody. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

let folder: string;
/** Where the user works, and the only folder that the user may write to. */
let work: string;
const installation = () => join(folder, 'cathedral');

function environment(more: Record<string, string> = {}): Record<string, string> {
  const { TZ = '' } = process.env;
  return {
    PATH: [join(installation(), 'bin'), PATH].join(delimiter),
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
  const env = { ...process.env, PATH, npm_config_prefer_offline: 'true', CATHEDRAL_WITHOUT_PDF: 'true' };
  await execute('npm', ['pack', '--pack-destination', folder], { cwd: PROJECT, env });
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await mkdir(installation());
  await execute('tar', ['-xzf', join(folder, `${file}`), '-C', installation(), '--strip-components=1']);
  await execute('sh', ['scripts/setup.sh'], { cwd: installation(), env });
  await chmod(folder, 0o755);
  if (USER.uid) await chown(work, USER.uid, USER.gid);
  else await execute('chmod', ['-R', 'a-w', installation()]);
}, 600_000);

afterAll(async () => {
  if (!USER.uid) await execute('chmod', ['-R', 'u+w', installation()]);
  await rm(folder, { recursive: true, force: true });
});

describe('the installed package', { timeout: 600_000 }, () => {
  test('takes at most 650 MB', async () => {
    const { stdout } = await execute('du', ['-sk', installation()]);
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(MOST_KB);
  });

  test('contains what it needs to run, and neither tests nor packages for development', async () => {
    expect((await readdir(installation())).sort()).toEqual([
      ...'.packed-commit .puppeteerrc.cjs CHANGELOG.md CITATION.cff LICENSE README.md SECURITY.md'.split(' '),
      ...'astro.config.mjs bin compiled-site data deploy docs node_modules npm-shrinkwrap.json'.split(' '),
      ...'package.json pipeline public sbom.json scripts src tsconfig.json'.split(' '),
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
    expect((await readdir(join(work, 'var'))).sort()).toEqual(
      'access-log access-log.vkey data keys ledger limits'.split(' '),
    );
  });

  test('publishes the same release as the checkout', async () => {
    // What root writes is in a folder of root.
    const checkout = join(folder, 'checkout');
    const key = join(work, 'publisher.key');
    const out = join(work, 'installed');
    const ledger = join(work, 'var/ledger');
    const flags = ['--ledger', ledger, '--publisher-key', key, '--without-pdf', '--json'];
    await cathedral('build', '--out', out, ...flags);
    await rm(`${key}.signed`, { recursive: true });
    const node = join(PROJECT, 'node_modules/.bin/node');
    const cli = join(PROJECT, 'src/cli.ts');
    await cp(key, `${checkout}.key`);
    await cp(ledger, `${checkout}.ledger`, { recursive: true });
    // The store has the key of the access log, which both publish.
    const same = [
      '--ledger',
      `${checkout}.ledger`,
      '--publisher-key',
      `${checkout}.key`,
      '--store',
      join(work, 'var'),
    ];
    await execute(node, [cli, 'build', '--out', checkout, ...same, '--without-pdf', '--json'], {
      cwd: folder,
      env: { PATH, HOME: folder },
    });
    const manifest = (release: string) => readFile(join(release, 'current/public/manifest.json'), 'utf8');
    expect(JSON.parse(await manifest(out)).files).toEqual(JSON.parse(await manifest(checkout)).files);
  });
});

const TUTORIALS = (await readdir(join(PROJECT, 'docs/tutorials'))).filter((name) => name.endsWith('.md'));
const CLOCKS = [
  ['today', null],
  ['in eight days', '+8d'],
  ['in a year', '+365d'],
] as const;

/** What a tutorial promises in its text, or with numbers that are the same every day. */
const SAYS: Record<string, (outputOf: (words: string) => string, log: string) => void> = {
  'own-ledger.md': (outputOf, log) => {
    expect(outputOf('append events.csv')).toMatch(/^100 events could be appended: seq 1 to 100, /);
    expect(outputOf('ledger check')).toContain('The ledger is valid: no errors, no warnings.');
    expect(outputOf('status.json')).toContain('"total_supply": 1006494.671831');
    expect(outputOf('mic_burn')).toContain('"burned": 350');
    expect(outputOf('cathedral mirror')).toMatch(/^log {9}verified {5}101 events/m);
    expect(log).toContain('expected data.mii to be at most 1, found 97');
    expect(log).toContain('101 new events, no findings');
  },
  'economist.md': (outputOf) => {
    const difference = (words: string) => Number(/difference (\S+)/.exec(outputOf(words))![1]);
    expect(difference('np.exp')).toBeLessThan(1e-6);
    expect(difference('growth')).toBeLessThan(1e-6);
  },
};

test.skipIf(!(await canRunTutorials())).concurrent.each(CLOCKS)(
  'every tutorial works word for word %s',
  { timeout: 900_000 },
  async (_, ahead) => {
    // The base address of a release has the port, so the demo is published and used with the same one.
    const port = await freePort();
    const machine = async (name: string) => ({
      folder: await mkdtemp(join(folder, `${name}-`)),
      installation: installation(),
      path: PATH,
      port,
      ahead,
    });
    const demo = await publishDemo(await machine('demo'));
    for (const name of TUTORIALS) {
      const steps = stepsOf(await readFile(join(PROJECT, 'docs/tutorials', name), 'utf8'));
      const ownLedger = steps.some(({ code }) => /cathedral (sample|ledger init)/.test(code));
      const run = await runTutorial(steps, {
        ...(await machine(name)),
        ...(ownLedger ? {} : { home: demo }),
      });
      for (const [index, { code, output }] of steps.entries())
        if (output !== null) expect(shapeOf(run.outputs[index]!), `${name}: ${code}`).toBe(shapeOf(output));
      SAYS[name]?.((words) => run.outputs[steps.findIndex(({ code }) => code.includes(words))]!, run.log);
    }
  },
);
