import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, statfs, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { CathedralError } from '../../errors.ts';
import { asDiskErrors, diskFull } from '../../release/disk/durable.ts';
import { writeSearchIndex } from './search-index.ts';
import { finishServer, serverFolder } from './site-server.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const END_WITH_PARENT = new URL('./end-with-parent.ts', import.meta.url).href;
/** Nothing is encrypted in these pages; a key made at random would make each build another one. */
const NO_KEY = Buffer.alloc(32).toString('base64');
/**
 * What the build has of this process's environment. Not the rest: secrets are no business of a build tool, and Astro writes
 * variables that a module seems to name into the program (a shell's `_`, another one for each way to start it).
 */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_OPTIONS'];
const LAST_LINES = 20;
/** Less room than a build can have ended well with. */
const LITTLE_BYTES = 1 << 16;
/** What is kept of a build's output, characters: more than enough for its last lines. */
const KEPT = 100_000;

export interface SiteBuild {
  /** Staging folder: its `manifest.json` (a draft) and public files are what the pages are made from. */
  release: string;
  /** Folder that the pages are written to; not inside `release`'s public tree. */
  out: string;
  /** Folder for the build's own files: empty or not there before; afterwards of use for `addServerProgram` alone. */
  cache: string;
  /** Without a slash at the end. */
  baseUrl: string;
  /** E-mail address that readers write to. */
  contact: string;
  /** Paths of the files that will be printed from the pages, or are taken over: there is nothing of them in `release` yet. */
  printed: readonly string[];
  /** Folder of the documents that people write; by default the project's own. */
  documents?: string;
}

/**
 * Builds the site in a process of its own, so that its memory is given back and two builds do not meet. The same
 * release gives the same bytes. Nothing is written but in `out` and `cache`. Throws site_failed with what the build said
 * last, disk_full, and publish_failed where `cache` cannot be written.
 */
export async function buildSite({ release, out, baseUrl, printed, ...site }: SiteBuild): Promise<void> {
  // The child works in a folder of its own, where a relative path would mean another place.
  const cache = resolve(site.cache);
  const astro = dirname(createRequire(import.meta.url).resolve('astro/package.json'));
  await asDiskErrors(cache, async () => {
    await mkdir(cache, { recursive: true });
    // Astro works below its root and the current folder, and looks for packages from there.
    await symlink(dirname(astro), join(cache, 'node_modules'));
  });
  // It joins this to the root, even where it is absolute.
  const config = relative(cache, join(PROJECT, 'astro.config.mjs'));
  const command = [join(astro, 'bin', 'astro.mjs'), 'build', '--root', cache, '--config', config];
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, ...command], {
    cwd: cache,
    // The channel carries nothing: that it closes tells the child that this process is gone, however it ended.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...Object.fromEntries(INHERITED.map((name) => [name, process.env[name]])),
      ASTRO_TELEMETRY_DISABLED: '1',
      NODE_ENV: 'production',
      ASTRO_KEY: NO_KEY,
      CATHEDRAL_SITE_RELEASE: resolve(release),
      CATHEDRAL_SITE_OUT: resolve(out),
      CATHEDRAL_SITE_CACHE: cache,
      CATHEDRAL_SITE_URL: baseUrl,
      CATHEDRAL_SITE_CONTACT: site.contact,
      CATHEDRAL_SITE_PRINTED: printed.join(' '),
      CATHEDRAL_SITE_DOCUMENTS: resolve(site.documents ?? join(PROJECT, 'data', 'documents')),
    },
  });
  let output = '';
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-KEPT);
  };
  child.stdout!.setEncoding('utf8').on('data', keep);
  child.stderr!.setEncoding('utf8').on('data', keep);
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw await failure(cache, `exit ${code ?? signal}: ${lastLines(output)}`, output);
  await writeSearchIndex(resolve(out));
  await finishServer(serverFolder(cache), { cache, out: resolve(out), baseUrl, contact: site.contact });
}

/** From the first error on, where there is one, and without the stack, which leads through the build tool only. */
function lastLines(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !/^\s*(at |$)/.test(line));
  const error = lines.findIndex((line) => line.includes('[ERROR]'));
  return (error < 0 ? lines.slice(-LAST_LINES) : lines.slice(error, error + LAST_LINES)).join('\n');
}

/** A full disk may end the build in many ways, so it is looked at, too. */
async function failure(cache: string, found: string, output: string): Promise<CathedralError> {
  const { bavail, bsize } = await statfs(cache).catch(() => ({ bavail: 1, bsize: LITTLE_BYTES }));
  const [said] = /^.*\b(?:ENOSPC|EDQUOT|no space left on device)\b.*$/im.exec(output) ?? [];
  if (said !== undefined || bavail * bsize < LITTLE_BYTES)
    return diskFull(cache, said?.trim() ?? `${bavail * bsize} bytes of room while the site was built`);
  return new CathedralError('site_failed', { place: 'astro build', expected: 'a built site', found });
}
