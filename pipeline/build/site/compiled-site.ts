import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { PROJECT } from '../../config/project.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { CathedralError } from '../../errors.ts';
import { listTree } from '../../release/disk/list-tree.ts';
import { sha256 } from '../../release/format/manifest.ts';
import { type CompiledSite, compileSite } from './compile-site.ts';

/** `npm pack` puts it into the package, so that an installed service compiles nothing. */
export const SHIPPED = join(PROJECT, 'compiled-site');
/** What a checkout has compiled. */
const KEPT = join(PROJECT, 'node_modules/.cache/site');
/** Another run may be reading an older one. */
const MOST_KEPT = 3;
/** Longer than compiling takes on a slow machine, ms. */
const WAIT_MS = 10 * 60_000;

/** What was compiled from which sources, beside it: only what has all of these bytes is used. */
const LIST = 'compiled.json';
const List = z.strictObject({ key: z.string(), files: z.record(z.string(), z.string()) });

export interface Places {
  shipped: string;
  kept: string;
  compile: typeof compileSite;
}

const PLACES: Places = { shipped: SHIPPED, kept: KEPT, compile: compileSite };

/** A compiled site that is complete. */
export interface KeptSite extends CompiledSite {
  /** SHA-256 of each file, by its path: `client/_astro/page.css`, `server/entry.mjs`. */
  digests: ReadonlyMap<string, string>;
}

/** The compiled site of the sources with this key, as it was shipped, or kept by an earlier run; null if it has to be compiled. */
export async function findCompiledSite(
  key: string,
  { shipped, kept }: Omit<Places, 'compile'> = PLACES,
): Promise<KeptSite | null> {
  return (await wholeIn(shipped, key)) ?? (await wholeIn(join(kept, key), key));
}

/** Compiles the site, unless it is there or cannot be kept: for a server, while a run makes other things. Throws as `compileSite`. */
export async function keepCompiledSite(key: string): Promise<void> {
  if ((await findCompiledSite(key)) === null) await compileAndKeep(key, PLACES);
}

/**
 * The compiled site of the sources with this key: as it was shipped, or kept by an earlier run, or compiled now and kept. `scratch` is a
 * folder of the run, for an installation that nobody may write to. Throws as `compileSite`.
 */
export async function compiledSite(
  key: string,
  scratch: string,
  places: Places = PLACES,
): Promise<CompiledSite> {
  const found = (await findCompiledSite(key, places)) ?? (await compileAndKeep(key, places));
  return found ?? places.compile(join(scratch, 'site'));
}

/** Null where it cannot be kept. */
async function compileAndKeep(key: string, { kept, compile }: Places): Promise<CompiledSite | null> {
  const compileUnlessThere = async () => {
    const other = await wholeIn(join(kept, key), key);
    if (other) return other;
    const made = join(kept, 'new');
    await rm(made, { recursive: true, force: true });
    await writeCompiled(made, key, compile);
    await rm(join(kept, key), { recursive: true, force: true });
    await rename(made, join(kept, key));
    // What stays for once takes up some megabytes.
    await removeOld(kept).catch(() => {});
    return sitesIn(join(kept, key));
  };
  const holder = `compiling the site, process ${process.pid}`;
  const keeping = asDiskErrors(kept, () => withLock(kept, { waitMs: WAIT_MS, holder }, compileUnlessThere));
  return keeping.catch((error: unknown) => {
    const cannotKeep = error instanceof CathedralError && /^(publish_failed|locked)$/.test(error.code);
    if (!cannotKeep) throw error;
    return null;
  });
}

/** Compiles into a new folder, with the list that says so. */
export async function writeCompiled(folder: string, key: string, compile = compileSite): Promise<void> {
  await compile(folder);
  const files = Object.fromEntries(await digestsIn(folder));
  await writeFile(join(folder, LIST), JSON.stringify({ key, files } satisfies z.input<typeof List>));
}

/** Null unless the folder has the site of these sources, with exactly the bytes that its list states. */
async function wholeIn(folder: string, key: string): Promise<KeptSite | null> {
  try {
    const list = List.parse(JSON.parse(await readFile(join(folder, LIST), 'utf8')));
    if (list.key !== key) return null;
    const found = await digestsIn(folder);
    const isWhole = [...found].every(([path, digest]) => list.files[path] === digest);
    const hasAll = found.size === Object.keys(list.files).length;
    return isWhole && hasAll ? { ...sitesIn(folder), digests: found } : null;
  } catch {
    return null;
  }
}

const sitesIn = (folder: string): CompiledSite => ({
  client: join(folder, 'client'),
  server: join(folder, 'server'),
});

async function digestsIn(folder: string): Promise<Map<string, string>> {
  const { files } = await listTree(folder);
  const paths = files.filter((path) => path !== LIST);
  return new Map(
    await Promise.all(paths.map(async (path) => [path, sha256(await readFile(join(folder, path)))] as const)),
  );
}

async function removeOld(kept: string): Promise<void> {
  const names = (await readdir(kept)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const times = await Promise.all(
    names.map(async (name) => [name, (await stat(join(kept, name))).mtimeMs] as const),
  );
  const old = times.sort(([, one], [, other]) => other - one).slice(MOST_KEPT);
  for (const [name] of old) await rm(join(kept, name), { recursive: true, force: true });
}
