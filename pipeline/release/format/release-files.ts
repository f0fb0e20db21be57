import { type Blob, type Manifest, storedAt } from './manifest.ts';

/** A file of a release folder, and for a compressed one what it decompresses to. */
export interface ReleaseFile {
  blob: Blob;
  plain?: { decoder: 'brotli' | 'gzip'; blob: Blob };
}

/** Every file of a release folder but `manifest.json`, by its path there: files, encodings, segments, and what has no URL. */
export function releaseFiles({
  files,
  segments,
  unlisted,
}: Pick<Manifest, 'files' | 'segments' | 'unlisted'>): Map<string, ReleaseFile> {
  const all = new Map<string, ReleaseFile>(unlisted.map(({ file, ...blob }) => [file, { blob }]));
  for (const file of files) {
    const at = storedAt(file);
    const { br, gzip } = file.encodings;
    all.set(at, { blob: file });
    if (br) all.set(`${at}.br`, { blob: br, plain: { decoder: 'brotli', blob: file } });
    if (gzip) all.set(`${at}.gz`, { blob: gzip, plain: { decoder: 'gzip', blob: file } });
  }
  for (const segment of Object.values(segments).flat()) {
    const { file, deflate, cycles, events } = segment;
    all.set(file, { blob: segment });
    if (deflate) all.set(`${file}.deflate`, { blob: deflate });
    if (cycles) all.set(`${file}.cycles`, { blob: cycles });
    if (events) all.set(`${file}.events`, { blob: events });
  }
  return all;
}
