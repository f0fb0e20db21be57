import type { HistoryArtifact } from '../../artifacts/artifact.ts';
import { ARTIFACTS, HISTORIES } from '../../artifacts/table.ts';
import type { Manifest, ManifestFile } from '../../release/format/manifest.ts';
import { LATEST_PATH } from '../../release/format/public-manifest.ts';
import { SNAPSHOTS, type Snapshot, type SnapshotFile } from '../../release/format/snapshot-index.ts';

const OWN_TYPES: ReadonlySet<string> = new Set(ARTIFACTS.map(({ mediaType }) => mediaType));
const BY_PATH: ReadonlyMap<string, HistoryArtifact> = new Map(
  HISTORIES.filter(({ assembled, restricted }) => assembled && !restricted).map((artifact) => [
    artifact.path,
    artifact,
  ]),
);

/** A history in one release: its own header, and the end, which later releases keep. */
export interface HistoryEnd {
  file: ManifestFile;
  /** Bytes before the rows. */
  head: number;
  /** Bytes of the rows and of the tail. */
  last: number;
}

/** The public histories of a release. */
export function historyEnds({ files, segments }: Manifest): HistoryEnd[] {
  return files.flatMap((file) => {
    const artifact = BY_PATH.get(file.path);
    if (!artifact) return [];
    const parts = segments[file.path] ?? [];
    const between = Buffer.byteLength(artifact.separator) * Math.max(0, parts.length - 1);
    const rows = parts.reduce((sum, { bytes }) => sum + bytes, between);
    const last = rows + Buffer.byteLength(artifact.tail);
    return [{ file, head: file.bytes - last, last }];
  });
}

/**
 * The files of a release that a snapshot stores: data files in their own format, their schemas, and the proofs. Other formats and
 * charts derive from these and would be most of the bytes.
 */
export function storedFiles({ files, segments }: Manifest): ManifestFile[] {
  return files.filter((file) => {
    if (file.restricted || file.path in segments || BY_PATH.has(file.path)) return false;
    if (file.kind === 'proof') return file.path !== LATEST_PATH;
    if (file.kind === 'schema') return /^(schemas\/.+|publisher\.vkey)$/.test(file.path);
    const inArea = file.area !== null && file.path.startsWith(`${file.area}/`);
    return file.kind === 'data' && inArea && OWN_TYPES.has(file.media_type);
  });
}

/** `heads`: the header of each history, by path. */
export function describeSnapshot(manifest: Manifest, heads: ReadonlyMap<string, string>): Snapshot {
  const { ledger, release, software, timestamp } = manifest;
  const id = ledger.snapshot;
  const stored = storedFiles(manifest).map(
    (file): SnapshotFile => ({ ...named(file), url: `${SNAPSHOTS}/${id}/${file.path}` }),
  );
  const ended = historyEnds(manifest).map(
    ({ file, last }): SnapshotFile => ({
      ...named(file),
      head: heads.get(file.path)!,
      range: { of: file.path, last },
    }),
  );
  return {
    schema_version: '1.0.0',
    id,
    release,
    software,
    as_of: timestamp,
    log: {
      origin: ledger.origin,
      size: ledger.size,
      root_hash: Buffer.from(ledger.root, 'hex').toString('base64'),
    },
    files: [...stored, ...ended].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function named({ path, sha256, bytes, media_type }: ManifestFile) {
  return { path, sha256, bytes, media_type };
}
