import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatPublicBundle, publicBundlePath } from '../../pipeline/ledger/log/public-bundle.ts';
import { formatPolicy } from '../../pipeline/ledger/log/public-events.ts';
import { formatCheckpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import { formatVerifierKey, type Signer, signNote } from '../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import {
  formatLatest,
  formatPublicManifest,
  formatSignedText,
  type PublicManifest,
} from '../../pipeline/release/format/public-manifest.ts';
import {
  formatSignedList,
  formatSnapshot,
  formatSnapshotIndex,
  type Snapshot,
} from '../../pipeline/release/format/snapshot-index.ts';
import { buildTree } from '../ledger/log/test-tree.ts';

/** What a host serves, by path. */
export type Site = Map<string, Buffer>;

export const PUBLISHER = signerFromSeed('data.example.org', Buffer.alloc(32, 1));
export const NEXT_PUBLISHER = signerFromSeed('data.example.org', Buffer.alloc(32, 2));
export const STRANGER = signerFromSeed('data.example.org', Buffer.alloc(32, 3));
export const LEDGER = signerFromSeed('ledger.example.org', Buffer.alloc(32, 4));

/** The time of the first release; each later one follows six hours after. */
export const BEGIN = Date.UTC(2025, 11, 1);
const SLOT_MS = 6 * 3_600_000;

export interface SmallOptions {
  /** From 1: the n-th release. */
  release: number;
  /** Of this release, or of each; the publisher signs the earlier ones. */
  signers?: readonly Signer[] | ((release: number) => readonly Signer[]);
  /** Changes the files before they are listed. */
  files?: (files: Site, release: number) => void;
  /** Changes the manifest before it is signed. */
  manifest?: (manifest: PublicManifest) => PublicManifest;
  /** The text of an event; another text makes another ledger. */
  event?: (index: number) => string;
  /** Of this release, or of each. */
  events?: number | ((release: number) => number);
}

/** The events of the n-th release; the third passes 256, a full tile. */
const eventsOf = (release: number): number => 100 * release;

/** Computed once, since every release of every site contains it. */
const NOISE = noise(300_000);

const slotOf = (release: number) => new Date(BEGIN + (release - 1) * SLOT_MS).toISOString();

/** Everything that a host has after the n-th release, including earlier snapshots: a pure function of the options. */
export function smallSite(options: SmallOptions): Site {
  if (Object.keys(options).length > 1) return makeSite(options);
  const { release } = options;
  if (!plain.has(release)) plain.set(release, makeSite(options));
  // A test may change the bytes.
  return new Map([...plain.get(release)!].map(([path, bytes]) => [path, Buffer.from(bytes)]));
}

const plain = new Map<number, Site>();

function makeSite(options: SmallOptions): Site {
  const { release, event = (index) => `event ${index}` } = options;
  const log = logOf(sizeAt(options, release), event);
  for (let before = 1; before < release; before += 1)
    addParts(log.files, logOf(sizeAt(options, before), event).files);
  const { files, proofs } = releaseOf(options, release, log);
  const site: Site = new Map([...files, ...log.files, ...snapshotFiles(options)]);
  for (const [path, text] of proofs) site.set(path, Buffer.from(text));
  return site;
}

function sizeAt({ release: newest, events = eventsOf }: SmallOptions, release: number): number {
  if (typeof events === 'function') return events(release);
  return release === newest ? events : eventsOf(release);
}

/** The files of a release and its proofs. */
function releaseOf(options: SmallOptions, release: number, log: ReturnType<typeof logOf>) {
  const files = dataFiles(release, log.head.size);
  options.files?.(files, release);
  const signers = signersOf(options, release);
  const manifest = manifestOf(release, signers, files, log);
  return { files, proofs: proofsOf(options.manifest?.(manifest) ?? manifest, signers) };
}

function signersOf({ release: newest, signers }: SmallOptions, release: number): readonly Signer[] {
  if (typeof signers === 'function') return signers(release);
  return release === newest && signers ? signers : [PUBLISHER];
}

/** One never changes, one does, one only grows at its beginning, one is a page. */
function dataFiles(release: number, events: number): Site {
  return new Map(
    Object.entries({
      'economy/supply': `{"events":${events}}`,
      'economy/mic-history.csv': history(events),
      'economy/large.bin': NOISE,
      'index.html': `<!doctype html><title>Release ${release}</title>`,
      '_astro/site.d41d8cd9.css': 'body { margin: 0 }',
      'fonts/serif.woff2': 'wOF2',
      'philosophy/same': 'of no length in time',
      'philosophy/also-the-same': 'of no length in time',
      'philosophy/empty.txt': '',
    }).map(([path, text]) => [path, Buffer.from(text)]),
  );
}

function history(events: number): string {
  const rows = Array.from({ length: events }, (_, index) => `${events - 1 - index},row\n`);
  return `event,what\n${rows.join('')}`;
}

/** Deterministic and incompressible. */
function noise(bytes: number): string {
  let text = '';
  for (let block = 0; text.length < bytes; block += 1)
    text += createHash('sha512').update(`${block}`).digest('base64url');
  return text.slice(0, bytes);
}

export function logOf(events: number, event: (index: number) => string) {
  const entries = Array.from({ length: events }, (_, index) => Buffer.from(event(index)));
  const { files, head } = buildTree(entries);
  const checkpoint = signNote(formatCheckpoint({ origin: LEDGER.verifier.name, ...head }), LEDGER);
  const hashes = [...files].filter(([path]) => !path.startsWith('tile/entries/'));
  const all: Site = new Map(hashes.map(([path, bytes]) => [`log/${path}`, Buffer.from(bytes)]));
  all.set('log/checkpoint', Buffer.from(checkpoint));
  // Whichever events are public, here each third.
  for (let index = 0; index * 256 < events; index += 1) {
    const lines = entries.slice(index * 256, (index + 1) * 256);
    const bytes = formatPublicBundle(lines.map((line, at) => (at % 3 === 0 ? line : null)));
    all.set(`log/${publicBundlePath({ index, width: lines.length })}`, Buffer.from(bytes));
  }
  all.set('log/public/policy.json', Buffer.from(formatPolicy()));
  return { files: all, head, checkpoint };
}

/** Partial tiles stay until the tile is full. */
function addParts(files: Site, before: Site): void {
  for (const [path, bytes] of before)
    if (path.includes('.p/') && !files.has(path.replace(/\.p\/\d+$/, ''))) files.set(path, bytes);
}

const base64 = (root: string) => Buffer.from(root, 'hex').toString('base64');

function manifestOf(
  release: number,
  signers: readonly Signer[],
  files: Site,
  { head, checkpoint }: ReturnType<typeof logOf>,
): PublicManifest {
  const as_of = slotOf(release);
  return {
    schema_version: '1.0.0',
    publisher: PUBLISHER.verifier.name,
    keys: signers.map(({ verifier }) => formatVerifierKey(verifier)),
    version: release,
    release: `release-${release}`,
    snapshot: `${as_of.slice(0, 13)}Z`,
    as_of,
    expires: new Date(Date.parse(as_of) + 48 * 3_600_000).toISOString(),
    log: { origin: LEDGER.verifier.name, size: head.size, root_hash: base64(head.root), checkpoint },
    files: [...files]
      .map(([path, bytes]) => ({
        path,
        sha256: sha256(bytes),
        bytes: bytes.length,
        media_type: 'text/plain',
        last_modified: as_of,
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** The three files that prove a release. */
function proofsOf(
  manifest: PublicManifest,
  signers: readonly Signer[] = [PUBLISHER],
  text = formatPublicManifest(manifest),
): Map<string, string> {
  const { version, release, snapshot, as_of, expires, log } = manifest;
  const blob = { sha256: sha256(text), bytes: Buffer.byteLength(text) };
  const { size, root_hash } = log;
  const latest = { version, release, snapshot, as_of, expires, log: { size, root_hash } };
  return new Map([
    ['manifest.json', text],
    ['manifest.json.sig', signedByAll(formatSignedText({ version, ...blob }), signers)],
    ['latest.json', formatLatest({ ...latest, manifest: { path: 'manifest.json', ...blob } })],
  ]);
}

function signedByAll(text: string, signers: readonly Signer[]): string {
  return `${text}\n${signers.map((signer) => signNote(text, signer).slice(text.length + 1)).join('')}`;
}

function snapshotFiles(options: SmallOptions): Site {
  const site: Site = new Map();
  const entries = Array.from({ length: options.release }, (_, index) => {
    const snapshot = snapshotOf(options, index + 1, site);
    const bytes = Buffer.from(formatSnapshot(snapshot));
    const path = `snapshots/${snapshot.id}/index.json`;
    site.set(path, bytes);
    const { id, release, as_of, log } = snapshot;
    const about = { id, release, as_of, log_size: log.size, root_hash: log.root_hash };
    return { ...about, index: { path, sha256: sha256(bytes), bytes: bytes.length } };
  });
  const list = formatSnapshotIndex(entries.reverse());
  for (const [path, text] of signedList(list, options.release, signersOf(options, options.release)))
    site.set(path, Buffer.from(text));
  return site;
}

/** The signed snapshot list of the n-th release. */
export function signedList(
  list: string,
  version: number,
  signers: readonly Signer[] = [PUBLISHER],
): Map<string, string> {
  const text = formatSignedList({ version, sha256: sha256(list), bytes: Buffer.byteLength(list) });
  return new Map([
    ['snapshots/index.json', list],
    ['snapshots/index.json.sig', signedByAll(text, signers)],
  ]);
}

/** The snapshot of a release: one stored file, the proofs, and the history as the end of the current one. */
function snapshotOf(options: SmallOptions, release: number, site: Site): Snapshot {
  const { event = (index) => `event ${index}` } = options;
  const size = sizeAt(options, release);
  const log = logOf(size, event);
  const { files, proofs } = releaseOf(options, release, log);
  const as_of = slotOf(release);
  const id = `${as_of.slice(0, 13)}Z`;
  const about = (bytes: Buffer) => ({ sha256: sha256(bytes), bytes: bytes.length, media_type: 'text/plain' });
  const store = (path: string, bytes: Buffer) => {
    const url = `snapshots/${id}/${path}`;
    site.set(url, bytes);
    return { path, ...about(bytes), url };
  };
  const rows = files.get('economy/mic-history.csv')!;
  const head = 'event,what\n';
  const range = { of: 'economy/mic-history.csv', last: rows.length - head.length };
  return {
    schema_version: '1.0.0',
    id,
    release: `release-${release}`,
    software: 'test 0.0.0',
    as_of,
    log: { origin: LEDGER.verifier.name, size: log.head.size, root_hash: base64(log.head.root) },
    files: [
      { path: range.of, ...about(rows), head, range },
      store('economy/supply', files.get('economy/supply')!),
      ...['manifest.json', 'manifest.json.sig'].map((path) => store(path, Buffer.from(proofs.get(path)!))),
    ],
  };
}

/** Writes what a host serves into a folder, replacing its content. */
export async function writeSite(folder: string, site: Site): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [path, bytes] of site) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
}
