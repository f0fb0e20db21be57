import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { AREAS, type Area } from '../../artifacts/artifact.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import { listTree } from '../disk/list-tree.ts';
import type { NewFile } from '../format/manifest.ts';
import { mediaTypeOf } from '../format/media-types.ts';

/** Folders whose files never change under one name: Vite adds a hash to the name, and a new font gets a new name. */
const IMMUTABLE = /^(_astro|fonts)\//;

/** Descriptions of the service for programs. Like schemas, any web page may read them. */
const DESCRIPTIONS: ReadonlySet<string> = new Set([
  'openapi.json',
  'asyncapi.json',
  '.well-known/api-catalog',
]);

/** Reads a folder of the site. Throws publish_failed for a link or an unknown ending. */
export async function readSite(folder: string, write: (file: NewFile) => Promise<void>): Promise<void> {
  const { files, others } = await asDiskErrors(folder, () => listTree(folder));
  if (others[0] !== undefined) {
    throw new CathedralError('publish_failed', {
      place: others[0],
      expected: 'a file',
      found: 'something else',
    });
  }
  await inParallel(files, availableParallelism(), async (path) => {
    const content = await asDiskErrors(path, () => readFile(join(folder, path)));
    await write(siteFile(path, content));
  });
}

/** A file of the site: HTML is a page, a description a schema, the rest an asset. */
export function siteFile(path: string, content: Uint8Array): NewFile {
  const first = path.split('/', 1)[0] as Area;
  return {
    path,
    content,
    kind: kindOf(path),
    area: AREAS.includes(first) ? first : null,
    restricted: false,
    mediaType: mediaTypeOf(path),
    rows: null,
    immutable: IMMUTABLE.test(path),
  };
}

function kindOf(path: string): NewFile['kind'] {
  if (DESCRIPTIONS.has(path)) return 'schema';
  return path.endsWith('.html') ? 'page' : 'asset';
}
