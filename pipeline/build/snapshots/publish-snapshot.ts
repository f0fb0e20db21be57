import { chmod, mkdtemp, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryArtifact } from '../../artifacts/artifact.ts';
import { ARTIFACTS, HISTORIES } from '../../artifacts/table.ts';
import { asDiskErrors, exists, makeFolder, sync } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { removeLeftOvers, SNAPSHOT_STAGING } from '../../release/disk/remove-left-overs.ts';
import { type Manifest, type ManifestFile, storedAt } from '../../release/format/manifest.ts';
import { LATEST_PATH } from '../../release/format/public-manifest.ts';
import { formatSnapshot, INDEX, SNAPSHOTS, type SnapshotFile } from '../../release/format/snapshot-index.ts';
import { StagingFolder } from '../../release/staging/staging-folder.ts';

/**
 * Publishes the data files of a release as `OUT/snapshots/<id>`. Does nothing if that exists: the first release of a ledger snapshot
 * stays. The folder is complete before it gets its name, so a killed run leaves nothing visible and the next run starts over.
 * Throws publish_failed.
 *
 * @param dir the release's folder
 */
export async function publishSnapshot(
  out: string,
  { dir, manifest }: { dir: string; manifest: Manifest },
): Promise<void> {
  const target = join(out, SNAPSHOTS, manifest.ledger.snapshot);
  // Only those of snapshots: a log may be staged.
  await removeLeftOvers(out, SNAPSHOT_STAGING);
  if (await exists(target)) return;
  const made = await asDiskErrors(out, () => mkdtemp(join(out, SNAPSHOT_STAGING)));
  await asDiskErrors(made, () => chmod(made, 0o755));
  const folder = new StagingFolder(made);
  try {
    await fill(folder, { dir, manifest });
    await folder.flush();
    await asDiskErrors(target, async () => {
      await makeFolder(join(out, SNAPSHOTS));
      await rename(made, target);
      await sync(join(out, SNAPSHOTS));
    });
  } finally {
    await folder.remove().catch(() => {});
  }
}

async function fill(
  folder: StagingFolder,
  { dir, manifest }: { dir: string; manifest: Manifest },
): Promise<void> {
  const { ledger, release, software, timestamp } = manifest;
  const id = ledger.snapshot;
  const stored = manifest.files.filter((file) => isStored(file, manifest));
  const links = stored.map(({ path, bytes }) => ({ file: path, bytes, sha256: null }));
  if (!(await folder.link(join(dir, 'public'), links))) {
    const expected = 'each file of the release with its size (else run: cathedral build --rebuild)';
    throw new CathedralError('release_invalid', {
      place: dir,
      expected,
      found: 'a missing or different file',
    });
  }
  const files = stored.map(
    (file): SnapshotFile => ({ ...named(file), url: `${SNAPSHOTS}/${id}/${file.path}` }),
  );
  for (const file of manifest.files) {
    const history = PUBLIC_HISTORIES.get(file.path);
    if (!history) continue;
    const last = endBytes(history, manifest);
    const head = await readHead(join(dir, storedAt(file)), file.bytes - last);
    files.push({ ...named(file), head, range: { of: file.path, last } });
  }
  const log = {
    origin: ledger.origin,
    size: ledger.size,
    root_hash: Buffer.from(ledger.root, 'hex').toString('base64'),
  };
  const about = { schema_version: '1.0.0', id, release, software, as_of: timestamp, log } as const;
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  await folder.write(INDEX, Buffer.from(formatSnapshot({ ...about, files })));
}

const OWN_TYPES: ReadonlySet<string> = new Set(ARTIFACTS.map(({ mediaType }) => mediaType));
const PUBLIC_HISTORIES: ReadonlyMap<string, HistoryArtifact> = new Map(
  HISTORIES.filter(({ assembled, restricted }) => assembled && !restricted).map((one) => [one.path, one]),
);

/**
 * Whether a snapshot stores a file of a release: data files in their own format, their schemas, and the proofs. Other formats and
 * charts derive from these and would be most of the bytes.
 */
function isStored(
  { path, kind, area, restricted, media_type }: ManifestFile,
  { segments }: Manifest,
): boolean {
  if (restricted || path in segments || PUBLIC_HISTORIES.has(path)) return false;
  if (kind === 'proof') return path !== LATEST_PATH;
  if (kind === 'schema') return /^(schemas\/.+|publisher\.vkey)$/.test(path);
  return kind === 'data' && area !== null && path.startsWith(`${area}/`) && OWN_TYPES.has(media_type);
}

/** Bytes of a history after its header, which later releases keep: its rows and its tail. */
function endBytes({ path, separator, tail }: HistoryArtifact, { segments }: Manifest): number {
  const parts = segments[path] ?? [];
  const between = Buffer.byteLength(separator) * Math.max(0, parts.length - 1);
  return parts.reduce((sum, { bytes }) => sum + bytes, between) + Buffer.byteLength(tail);
}

function named({ path, sha256, bytes, media_type }: ManifestFile) {
  return { path, sha256, bytes, media_type };
}

/** The first bytes of a file as text. Throws publish_failed. */
function readHead(place: string, bytes: number): Promise<string> {
  return asDiskErrors(place, async () => {
    await using handle = await open(place);
    return (await handle.read(Buffer.alloc(bytes), 0, bytes, 0)).buffer.toString();
  });
}
