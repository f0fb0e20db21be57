import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../format/manifest.ts';
import type { Published } from '../format/release.ts';

/** Path of the keys below a release's folder. Absent where nothing has a key. */
export const KEYS = 'keys.json';

const KeysFile = z.strictObject({
  format: z.literal('cathedral-keys/1'),
  /** The digest of what each file was made from, by path below the release's folder. */
  keys: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
});

/** Sorted, because files are made in any order. */
export function formatKeys(keys: ReadonlyMap<string, string>): string {
  const sorted = Object.fromEntries([...keys].sort(([a], [b]) => (a < b ? -1 : 1)));
  const file = KeysFile.parse({ format: 'cathedral-keys/1', keys: sorted });
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** None where the file is missing or damaged, or a later version wrote it: then everything is made again. */
export async function readKeys(previous: Published): Promise<ReadonlyMap<string, string>> {
  const { data } = KeysFile.safeParse(JSON.parse((await readKept(previous, KEYS)) ?? 'null'));
  return new Map(Object.entries(data?.keys ?? {}));
}

/** The text of a file without URL, by its path below the release's folder; null where it is missing or damaged. */
export async function readKept({ dir, manifest }: Published, path: string): Promise<string | null> {
  const listed = manifest.unlisted.find(({ file }) => file === path);
  const text = listed ? await readFile(join(dir, path), 'utf8').catch(() => '') : '';
  return sha256(text) === listed?.sha256 ? text : null;
}
