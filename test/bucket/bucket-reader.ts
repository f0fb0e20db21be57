import { expect } from 'vitest';
import { newTiles, tilePath } from '../../pipeline/ledger/log/tile.ts';
import { TileReader } from '../../pipeline/ledger/log/tile-reader.ts';
import { parseCheckpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import { noteText } from '../../pipeline/ledger/notes/note.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';

// biome-ignore lint/suspicious/noExplicitAny: the shapes are those of the documentation, and the comparisons find what differs
type Json = Record<string, any>;

/**
 * Follows the pointer to every object as a reader does, and compares each with its hash: the version of the release that is there, whole.
 * It knows the bucket from docs/scaling.md and shares no code with the push.
 */
export async function wholeRelease(read: (key: string) => Uint8Array | undefined): Promise<number | null> {
  const text = read('pointer.json');
  if (!text) return null;
  const pointer = JSON.parse(Buffer.from(text).toString()) as Json;
  const blob = ({ sha256: hash, bytes }: Json, key = `blobs/${hash}`): Json => {
    const found = read(key);
    expect(found && { key, sha256: sha256(found), bytes: found.length }).toEqual({
      key,
      sha256: hash,
      bytes,
    });
    return JSON.parse(
      /^\s*[[{]/.test(Buffer.from(found!).toString('latin1', 0, 10)) ? Buffer.from(found!).toString() : '{}',
    );
  };
  const manifest = blob(pointer.manifest, `manifests/${pointer.manifest.sha256}.json`);
  expect(manifest.signed.version).toBe(pointer.version);
  for (const file of manifest.files)
    for (const one of [file, ...Object.values<Json>(file.encodings)]) blob(one);
  for (const segment of Object.values<Json[]>(manifest.segments).flat())
    for (const one of [segment, segment.cycles]) if (one) blob(one);
  for (const one of manifest.unlisted) blob(one);
  const { files } = blob(pointer.snapshots);
  for (const [path, one] of Object.entries<Json>(files)) {
    const content = blob(one);
    if (/^snapshots\/[^/]+Z\/index.json$/.test(path))
      for (const file of content.files) if (file.url) blob(file);
  }
  const { size, origin, root } = parseCheckpoint(noteText(pointer.log.checkpoint, 'pointer'), 'pointer');
  expect({ size, origin }).toEqual({ size: pointer.log.size, origin: manifest.ledger.origin });
  const tiles = await TileReader.open({ size, root }, async (tile) => read(`log/${tilePath(tile)}`)!);
  for (const { level, index } of newTiles(0, size)) await tiles.tile(level, index);
  for (const { level, index, width } of newTiles(0, size)) {
    const part = width < 256 ? `.p/${width}` : '';
    if (level === 0) expect(read(`log-entries/${String(index).padStart(3, '0')}${part}`)).toBeDefined();
  }
  return pointer.version;
}
