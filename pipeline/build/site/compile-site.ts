import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, realpath, statfs, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { moduleUrl, PROJECT } from '../../config/project.ts';
import { asDiskErrors, diskFull } from '../../disk/durable.ts';
import { makeTemporaryFolder } from '../../disk/temporary-folder.ts';
import { CathedralError } from '../../errors.ts';
import { listTree } from '../../release/disk/list-tree.ts';
import { addSqlEngine } from './add-sql-engine.ts';

const END_WITH_PARENT = moduleUrl('pipeline/build/site/end-with-parent.ts').href;
/** These pages encrypt nothing. A random key would make every build different. */
const NO_KEY = Buffer.alloc(32).toString('base64');
/**
 * The environment variables that the compiler receives. The others are withheld: a build tool has no business with secrets, and Astro
 * writes variables that a module seems to name into the program (a shell's `_`, which varies).
 */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE'];
/** With this and one thread the compiler takes 650 MB, otherwise 1 GB, and no less time: it has to fit into 1 GiB beside a server. */
const HEAP = ['--max-old-space-size=384', '--max-semi-space-size=2'];
const ONE_THREAD = {
  MALLOC_ARENA_MAX: '1',
  RAYON_NUM_THREADS: '1',
  TOKIO_WORKER_THREADS: '1',
  UV_THREADPOOL_SIZE: '1',
};
/** How it ends where the system, or V8, has no more memory. */
const OUT_OF_MEMORY = /^(SIGKILL|SIGABRT|134|137)$/;
const LAST_LINES = 20;
/** Bytes of free space below which a failed build is blamed on the disk. */
const LITTLE_BYTES = 1 << 16;
/** Characters of a build's output that are kept: more than enough for its last lines. */
const KEPT = 100_000;

/** Comments of the bundler that name source files. */
const FROM = /^\/\/(?:#region .*|#endregion| (?:\.\.\/)+.*)\n/gm;
/** The files that browsers load, in the order in which the compiler's parallel work ended. Nothing depends on that order. */
const ASSETS = /(?<="assets":)\[[^\]]*\]/;
/** Replaces every folder name of the build machine. */
const SITE = '/site';

export interface CompiledSite {
  /** Folder of the files that browsers load: styles, scripts, fonts, the SQL engine, and everything in `public/`. */
  client: string;
  /** Folder of the program that renders pages. */
  server: string;
}

/**
 * Compiles the pages in a separate process, so that its memory is freed and two runs do not interfere. The result depends on the sources
 * alone. `into` is a folder for it, empty or missing at first. Throws site_failed with the last output of the compiler, disk_full, and
 * publish_failed if `into` cannot be written.
 */
export async function compileSite(into: string): Promise<CompiledSite> {
  // The compiler takes some characters of a path for a part of an address.
  await using folder = makeTemporaryFolder();
  const compiled = await compileIn(folder.path);
  await addSqlEngine(compiled.client);
  const made = { client: join(into, 'client'), server: join(into, 'server') };
  await asDiskErrors(into, async () => {
    await cp(compiled.client, made.client, { recursive: true });
    await cp(compiled.server, made.server, { recursive: true });
  });
  return made;
}

async function compileIn(root: string): Promise<CompiledSite> {
  const [client, server] = [join(root, 'client'), join(root, 'server')];
  const astro = dirname(createRequire(import.meta.url).resolve('astro/package.json'));
  // Astro works below its root and the current folder, and resolves packages from there.
  await asDiskErrors(root, () => symlink(dirname(astro), join(root, 'node_modules')));
  // Astro appends this to the root even if it is absolute.
  const config = relative(root, join(PROJECT, 'astro.config.mjs'));
  const command = [join(astro, 'bin', 'astro.mjs'), 'build', '--root', root, '--config', config];
  const child = spawn(process.execPath, [...HEAP, '--import', END_WITH_PARENT, ...command], {
    cwd: root,
    // Nothing is sent over the channel. Its closing tells the child that this process is gone, however it ended.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...Object.fromEntries(INHERITED.map((name) => [name, process.env[name]])),
      ASTRO_TELEMETRY_DISABLED: '1',
      ...ONE_THREAD,
      NODE_ENV: 'production',
      ASTRO_KEY: NO_KEY,
      CATHEDRAL_SITE_CACHE: root,
    },
  });
  // It ends with this process by itself, but not in the middle of its work.
  const kill = () => void child.kill('SIGKILL');
  process.prependListener('exit', kill);
  let output = '';
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-KEPT);
  };
  child.stdout!.setEncoding('utf8').on('data', keep);
  child.stderr!.setEncoding('utf8').on('data', keep);
  const [code, signal] = await once(child, 'close').finally(() => process.off('exit', kill));
  if (code !== 0) throw await failure(root, endOf(String(code ?? signal), output), output);
  await makeReproducible(server, root);
  return { client, server };
}

/** How the compiler ended, and what to do where that was for want of memory. */
export function endOf(exit: string, output: string): string {
  const said = `exit ${exit}: ${lastLines(output)}`;
  if (!OUT_OF_MEMORY.test(exit) && !output.includes('heap out of memory')) return said;
  return `${said.trim()}\nProbably the memory did not suffice: compiling takes 650 MB beside the run. Free some, or install the package, which has its site compiled.`;
}

/** The output from the first error on, without the stack, which shows only the build tool. */
function lastLines(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !/^\s*(at |$)/.test(line));
  const error = lines.findIndex((line) => line.includes('[ERROR]'));
  return (error < 0 ? lines.slice(-LAST_LINES) : lines.slice(error, error + LAST_LINES)).join('\n');
}

/** A full disk can make the build fail in many ways, so check the free space as well. */
async function failure(cache: string, found: string, output: string): Promise<CathedralError> {
  const { bavail, bsize } = await statfs(cache).catch(() => ({ bavail: 1, bsize: LITTLE_BYTES }));
  const [said] = /^.*\b(?:ENOSPC|EDQUOT|no space left on device)\b.*$/im.exec(output) ?? [];
  if (said !== undefined || bavail * bsize < LITTLE_BYTES)
    return diskFull(cache, said?.trim() ?? `${bavail * bsize} bytes free while the site was compiled`);
  return new CathedralError('site_failed', { place: 'astro build', expected: 'a compiled site', found });
}

/**
 * Removes this machine's paths from the program, where they are mere names, and sorts its list of files, so that a release has the same bytes
 * wherever it is built. Throws publish_failed.
 */
async function makeReproducible(server: string, root: string): Promise<void> {
  await asDiskErrors(server, async () => {
    const places = await placesOf(root);
    const { files } = await listTree(server);
    for (const path of files) {
      const text = await readFile(join(server, path), 'utf8');
      const sorted = text.replaceAll(FROM, '').replace(ASSETS, sortedList);
      const plain = places.reduce((left, [place, name]) => left.replaceAll(place, name), sorted);
      await writeFile(join(server, path), plain);
    }
  });
}

function sortedList(json: string): string {
  return JSON.stringify((JSON.parse(json) as string[]).sort());
}

/** Paths of this machine that the program may contain, and their replacements. Longer paths come before their prefixes. */
async function placesOf(root: string): Promise<[string, string][]> {
  const packages = dirname(await realpath(join(root, 'node_modules')));
  const roots = [root, await realpath(root)];
  // Relative to the build's folder. The `../` steps by themselves might be part of another path.
  const relatives = [PROJECT, packages].flatMap((place) =>
    roots.flatMap((from) => ['/src/', '/node_modules/'].map((folder) => [relative(from, place), folder])),
  );
  return [
    ...relatives.map(([place, folder]): [string, string] => [`${place}${folder}`, `${SITE}${folder}`]),
    ...[...roots, PROJECT.slice(0, -1), packages].map((place): [string, string] => [place, SITE]),
  ];
}
