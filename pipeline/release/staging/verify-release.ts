import { createReadStream, readFileSync } from 'node:fs';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import { hashChunks } from '../../disk/hash-file.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError, type Finding, findingOf } from '../../errors.ts';
import { counted } from '../../words/number.ts';
import { listTree } from '../disk/list-tree.ts';
import { type Blob, type Manifest, parseManifest, releaseFolder, sha256 } from '../format/manifest.ts';
import { type ReleaseFile, releaseFiles } from '../format/release-files.ts';

const MOST_CHUNK = 1 << 20;

/** A release has thousands of shorter files, for each of which a stream costs several times what reading it does. */
const LONG_BYTES = 1 << 18;

interface Decoder {
  stream: () => Transform;
  /** Throws for more than MOST_CHUNK bytes. */
  whole: (bytes: Buffer) => Buffer;
}
const LIMITED = { maxOutputLength: MOST_CHUNK };

const DECODERS: Record<NonNullable<ReleaseFile['plain']>['decoder'], Decoder> = {
  brotli: { stream: createBrotliDecompress, whole: (bytes) => brotliDecompressSync(bytes, LIMITED) },
  gzip: { stream: createGunzip, whole: (bytes) => gunzipSync(bytes, LIMITED) },
};

/**
 * Reads every byte of a release folder and compares it with the manifest, and the manifest with its own
 * digests: one flipped byte anywhere, a missing file and one too many are found. By place; empty where all
 * is well. Throws only what the disk throws.
 */
export async function verifyRelease(dir: string): Promise<Finding[]> {
  const manifest = await readManifest(dir);
  if ('found' in manifest) return [manifest];
  const expected = releaseFiles(manifest);
  const findings = [...verifyName(await realpath(dir), manifest), ...verifyRows(manifest)];
  findings.push(...(await verifyNames(dir, expected)));
  await inParallel(expected, availableParallelism(), async ([file, { blob, plain }]) => {
    const path = join(dir, file);
    const size = await sizeOf(path);
    if (size === null) return;
    const differing = compare(file, blob, await measure(path, size));
    if (differing) findings.push(differing);
    else if (plain) findings.push(...(await verifyEncoding(path, file, plain)));
  });
  return findings.sort((a, b) => (a.place < b.place ? -1 : 1));
}

async function readManifest(dir: string): Promise<Manifest | Finding> {
  const place = 'manifest.json';
  try {
    return parseManifest(await readFile(join(dir, place), 'utf8'), place);
  } catch (error) {
    if (error instanceof CathedralError) return findingOf(error);
    return finding(place, 'a readable file', (error as Error).message);
  }
}

function verifyName(dir: string, manifest: Manifest): Finding[] {
  const [found, name] = [basename(dir), releaseFolder(manifest)];
  return found === name ? [] : [finding('.', `a folder ${name}`, found)];
}

/** Segments follow each other without a gap, down to the first row. */
function verifyRows({ segments, files }: Manifest): Finding[] {
  const findings: Finding[] = [];
  for (const [path, list] of Object.entries(segments)) {
    const place = `manifest.json segments.${path}`;
    list.forEach(({ file, first_row }, index) => {
      const end = list[index + 1]?.end_row ?? 0;
      if (first_row !== end) findings.push(finding(place, `${file} to begin at row ${end}`, `${first_row}`));
    });
    const rows = files.find((file) => file.path === path)?.rows;
    const end = list[0]?.end_row ?? 0;
    if (rows != null && rows !== end) findings.push(finding(place, counted(rows, 'row'), `${end}`));
  }
  return findings;
}

async function verifyNames(dir: string, expected: Map<string, ReleaseFile>): Promise<Finding[]> {
  const names = new Set(['manifest.json', ...expected.keys()]);
  const folders = new Set(
    [...names].flatMap((name) => name.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))),
  );
  const tree = await listTree(dir);
  const found = new Set(tree.files);
  const missing = [...names].filter((name) => !found.has(name));
  const surplus = [...tree.files, ...tree.others].filter((name) => !names.has(name) || !found.has(name));
  surplus.push(...tree.folders.filter((name) => !folders.has(name)));
  return [
    ...missing.map((place) => finding(place, 'a file', 'none')),
    ...surplus.map((place) => finding(place, 'nothing', 'something that the manifest does not list')),
  ];
}

/** Null: it is not a file. */
async function sizeOf(path: string): Promise<number | null> {
  return lstat(path).then(
    (found) => (found.isFile() ? found.size : null),
    () => null,
  );
}

async function verifyEncoding(
  path: string,
  place: string,
  plain: NonNullable<ReleaseFile['plain']>,
): Promise<Finding[]> {
  try {
    const differing = compare(
      `${place} decompressed`,
      plain.blob,
      await measure(path, plain.blob.bytes, DECODERS[plain.decoder]),
    );
    return differing ? [differing] : [];
  } catch (error) {
    return [finding(place, `a file of ${plain.decoder}`, (error as Error).message)];
  }
}

/** `length`: how long it should be, decoded. */
async function measure(path: string, length: number, decoder?: Decoder): Promise<Blob> {
  if (length < LONG_BYTES) {
    const read = readFileSync(path);
    const bytes = decoder ? decoder.whole(read) : read;
    return { bytes: bytes.length, sha256: sha256(bytes) };
  }
  const source = createReadStream(path, { highWaterMark: MOST_CHUNK });
  return decoder ? pipeline(source, decoder.stream(), (chunks) => hashChunks(chunks)) : hashChunks(source);
}

function compare(place: string, expected: Blob, found: Blob): Finding | null {
  if (expected.bytes !== found.bytes) return finding(place, `bytes ${expected.bytes}`, `${found.bytes}`);
  if (expected.sha256 === found.sha256) return null;
  return finding(place, `SHA-256 ${expected.sha256}`, found.sha256);
}

function finding(place: string, expected: string, found: string): Finding {
  return { code: 'release_invalid', place, expected, found };
}
