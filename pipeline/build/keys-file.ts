import type { NewFile } from '../release/disk/new-file.ts';
import { mediaTypeOf } from '../release/format/media-types.ts';

/** Verifier keys as a file of the release, a line each. */
export function keysFile(path: string, keys: readonly string[]): NewFile {
  return {
    path,
    kind: 'schema',
    area: null,
    restricted: false,
    mediaType: mediaTypeOf(path),
    rows: null,
    immutable: false,
    content: keys.map((key) => `${key}\n`).join(''),
  };
}
