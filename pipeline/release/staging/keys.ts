import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../format/manifest.ts';
import type { Published } from '../format/release.ts';

/** Path of the keys below a release's folder. Absent where nothing has a key, as in releases of earlier versions. */
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
export async function readKeys({ dir, manifest }: Published): Promise<ReadonlyMap<string, string>> {
  const listed = manifest.unlisted.find(({ file }) => file === KEYS);
  const text = listed ? await readFile(join(dir, KEYS), 'utf8').catch(() => '') : '';
  if (sha256(text) !== listed?.sha256) return new Map();
  const { data } = KeysFile.safeParse(JSON.parse(text));
  return new Map(Object.entries(data?.keys ?? {}));
}
