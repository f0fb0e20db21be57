import { formatVerifierKey, parseVerifierKey, type Signer, signNote } from '../../ledger/notes/note.ts';
import type { NewFile } from './manifest.ts';
import { type Blob, type Manifest, type ManifestFile, sha256 } from './manifest.ts';
import { mediaTypeOf } from './media-types.ts';
import {
  formatLatest,
  formatPublicManifest,
  formatSignedText,
  LATEST_PATH,
  MANIFEST_PATH,
  type PublicFile,
  PublicManifest,
  SIGNATURE_PATH,
} from './public-manifest.ts';

/** A release that is identified: its proofs are not yet among its files. */
export type Provable = Pick<Manifest, 'release' | 'timestamp' | 'ledger' | 'files'>;

/** Who signs, and what of. */
export interface Signing {
  version: number;
  /** Until when it is good. */
  expires: string;
  /** The ledger's own signed note over what the release was made from. */
  checkpoint: string;
  /** The one that stays first. */
  signers: readonly [Signer, ...Signer[]];
}

/** Of a signing, what its texts say. */
interface Stated extends Pick<Signing, 'version' | 'expires' | 'checkpoint'> {
  /** Verifier keys. */
  keys: readonly string[];
}

/** What proves a release, in the order in which it is written. */
export interface Proof {
  version: number;
  expires: string;
  /** Verifier keys of the signers. */
  keys: readonly string[];
  /** Of `manifest.json`. */
  sha256: string;
  /** By path. */
  texts: ReadonlyMap<string, string>;
}

/** The three files of a release that is sealed but for them: the same release, keys and version give the same bytes. */
export function proofOf(release: Provable, { version, expires, checkpoint, signers }: Signing): Proof {
  const keys = signers.map(({ verifier }) => formatVerifierKey(verifier));
  const { manifest, latest, blob } = statementsOf(release, { version, expires, checkpoint, keys });
  const texts = new Map([
    [MANIFEST_PATH, manifest],
    [SIGNATURE_PATH, signNote(formatSignedText({ version, ...blob }), ...signers)],
    [LATEST_PATH, latest],
  ]);
  return { version, expires, keys, sha256: blob.sha256, texts };
}

/** What is signed of a release, and what tells of it: texts of `manifest.json` and `latest.json`. */
export function statementsOf(
  release: Provable,
  stated: Stated,
): { manifest: string; latest: string; blob: Blob } {
  const manifest = publicManifest(release, stated);
  const text = formatPublicManifest(manifest);
  const blob = { sha256: sha256(text), bytes: Buffer.byteLength(text) };
  const { version, snapshot, as_of, expires, log } = manifest;
  const latest = formatLatest({
    version,
    release: manifest.release,
    snapshot,
    as_of,
    expires,
    manifest: { path: MANIFEST_PATH, ...blob },
    log: { size: log.size, root_hash: log.root_hash },
  });
  return { manifest: text, latest, blob };
}

/** What a publisher states of a release; without keys, what it would state of one that is not signed. */
export function publicManifest(
  release: Provable,
  { version, expires, checkpoint, keys }: Stated,
  files: PublicFile[] = statedFiles(release),
): PublicManifest {
  const { ledger, timestamp } = release;
  return {
    schema_version: '1.0.0',
    publisher: keys[0] === undefined ? '' : parseVerifierKey(keys[0]).name,
    keys: [...keys],
    version,
    release: release.release,
    snapshot: ledger.snapshot,
    as_of: timestamp,
    expires,
    log: {
      origin: ledger.origin,
      size: ledger.size,
      root_hash: Buffer.from(ledger.root, 'hex').toString('base64'),
      checkpoint,
    },
    files,
  };
}

/** A release is stated several times before its version is known. */
const stated = new WeakMap<Provable['files'], PublicFile[]>();

function statedFiles({ files }: Provable): PublicFile[] {
  const known = stated.get(files) ?? PublicManifest.shape.files.parse(publicFiles({ files }));
  stated.set(files, known);
  return known;
}

/** What a release has for everybody, the proofs themselves left out. */
export function publicFiles({ files }: Pick<Manifest, 'files'>): PublicFile[] {
  return files.filter(({ restricted, kind }) => !restricted && kind !== 'proof').map(publicFile);
}

function publicFile({ path, sha256, bytes, media_type, rows, modified }: ManifestFile): PublicFile {
  return {
    path,
    sha256,
    bytes,
    media_type,
    ...(rows !== null && { rows }),
    last_modified: modified,
  };
}

/** One of the three as the staging folder takes it. `modified`: the release's time. */
export function proofFile(path: string, content: string, modified: string): NewFile {
  const mediaType = mediaTypeOf(path);
  const about = { kind: 'proof', area: null, restricted: false, rows: null, immutable: false } as const;
  return { path, ...about, mediaType, content, modified };
}
