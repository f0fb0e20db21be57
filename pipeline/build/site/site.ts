import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, statfs, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { moduleUrl, PROJECT } from '../../config/project.ts';
import { asDiskErrors, diskFull } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { writeSearchIndex } from './search-index.ts';
import { finishServer, serverFolder } from './site-server.ts';

const END_WITH_PARENT = moduleUrl('pipeline/build/site/end-with-parent.ts').href;
/** These pages encrypt nothing. A random key would make every build different. */
const NO_KEY = Buffer.alloc(32).toString('base64');
/**
 * The environment variables that the build receives. The others are withheld: a build tool has no business with secrets, and Astro
 * writes variables that a module seems to name into the program (a shell's `_`, which varies).
 */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_OPTIONS'];
const LAST_LINES = 20;
/** Bytes of free space below which a failed build is blamed on the disk. */
const LITTLE_BYTES = 1 << 16;
/** Characters of a build's output that are kept: more than enough for its last lines. */
const KEPT = 100_000;

export interface SiteBuild {
  /** Staging folder. The pages are made from its draft `manifest.json` and its public files. */
  release: string;
  /** Folder for the pages, outside the public tree of `release`. */
  out: string;
  /** Folder for the build's own files, empty or missing at first. Afterwards only `addServerProgram` needs it. */
  cache: string;
  /** Without a trailing slash. */
  baseUrl: string;
  /** E-mail address for readers. */
  contact: string;
  /** Paths of files that will be printed from the pages or linked, and that `release` does not have yet. */
  printed: readonly string[];
  /** Folder of the written documents. Default: the project's own. */
  documents?: string;
}

/**
 * Builds the site in a separate process, so that its memory is freed and two builds do not interfere. Deterministic. Writes only to `out`
 * and `cache`. Throws site_failed with the last output of the build, disk_full, and publish_failed if `cache` cannot be written.
 */
export async function buildSite({ release, out, baseUrl, printed, ...site }: SiteBuild): Promise<void> {
  // The child has its own working folder, where relative paths would point elsewhere.
  const cache = resolve(site.cache);
  const astro = dirname(createRequire(import.meta.url).resolve('astro/package.json'));
  await asDiskErrors(cache, async () => {
    await mkdir(cache, { recursive: true });
    // Astro works below its root and the current folder, and resolves packages from there.
    await symlink(dirname(astro), join(cache, 'node_modules'));
  });
  // Astro appends this to the root even if it is absolute.
  const config = relative(cache, join(PROJECT, 'astro.config.mjs'));
  const command = [join(astro, 'bin', 'astro.mjs'), 'build', '--root', cache, '--config', config];
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, ...command], {
    cwd: cache,
    // Nothing is sent over the channel. Its closing tells the child that this process is gone, however it ended.
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
      CATHEDRAL_SITE_RASTERISER: moduleUrl('pipeline/charts/files/rasterise.ts').href,
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
    return diskFull(cache, said?.trim() ?? `${bavail * bsize} bytes free during the site build`);
  return new CathedralError('site_failed', { place: 'astro build', expected: 'a built site', found });
}
