import { inParallel } from '../disk/in-parallel.ts';
import type { Finding } from '../errors.ts';
import type { Hash } from '../ledger/log/hash.ts';
import type { Tile } from '../ledger/log/tile.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import { digestOf } from '../ledger/notes/digest.ts';
import { MAX_NOTE_BYTES, noteText, type Verifier } from '../ledger/notes/note.ts';
import { verifyNote } from '../ledger/notes/verify-note.ts';
import type { WitnessPolicy } from '../ledger/notes/witness-policy.ts';
import { formatWitnessing, type Witnessing } from '../ledger/notes/witness-quorum.ts';
import {
  LATEST_PATH,
  MANIFEST_PATH,
  type PublicManifest,
  SIGNATURE_PATH,
} from '../release/format/public-manifest.ts';
import { LIST_SIGNATURE_PATH, type SnapshotEntry } from '../release/format/snapshot-index.ts';
import { counted, formatBytes } from '../words/number.ts';
import { verifyFiles } from './files.ts';
import { type Findings, mismatchError, type Retries, retryWhileInconsistent } from './findings.ts';
import {
  assertExtends,
  CHECKPOINT,
  headOf,
  openCheckpoint,
  openLog,
  otherLog,
  type PublishedCheckpoint,
  readCheckpoint,
  readPublishedCheckpoint,
  verifyTiles,
} from './log.ts';
import { verifyLogNames, verifyReleaseNames, verifySnapshotNames } from './names.ts';
import { type Origin, type Promised, readSmall } from './origin.ts';
import {
  type AcceptedRelease,
  type Announced,
  assertFresh,
  assertNoRollback,
  readLatest,
  readSigned,
  type SignedRelease,
} from './signed-release.ts';
import { readSignedList, readSnapshotList, type SignedList, type SnapshotList } from './snapshot-list.ts';
import {
  mostBytes,
  oldHistories,
  type SnapshotsWork,
  unlistedSnapshots,
  type VerifiedSnapshot,
  verifyLater,
  verifyOldHistory,
  verifySnapshot,
  verifyUnlisted,
} from './snapshots.ts';
import { verifyWitnesses } from './witnesses.ts';

/** Whom the reader trusts, and what the reader has already seen. */
export interface Trust {
  /** Keys that may have signed the release; null: those that its manifest names. */
  keys: readonly Verifier[] | null;
  /** Keys that may have signed the ledger's checkpoint; null: that signature is not verified. */
  ledgerKeys: readonly Verifier[] | null;
  /** The last release that the reader accepted, and the keys that signed it. */
  earlier?: (AcceptedRelease & { keys?: readonly Verifier[] }) | null;
  /** A checkpoint that the log must extend: a signed note, or a tree head of a log that was verified before. */
  checkpoint?: EarlierCheckpoint | null;
  /** Which witnesses must have cosigned the log. */
  policy?: WitnessPolicy | null;
  /** An unsigned release as its own publisher describes it. */
  unsigned?: PublicManifest | null;
}

type EarlierCheckpoint = { place: string } & (
  | { note: string }
  | { log: { origin: string; size: number; root_hash: string; checkpoint?: string } }
);

/** What `cathedral mirror` does with everything that has passed its check. */
export interface Keep {
  /** After `signature`. Throws if this release cannot be kept. */
  release(release: SignedRelease): Promise<void>;
  /** A tile that follows from the signed root. */
  tile(tile: Tile, hashes: readonly Hash[]): Promise<void>;
  /** A verified bundle of public events, or at last the decisions which they are; the path is below the log's address. */
  events(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * After `log`, `events`, `checkpoint` and `witnesses`. `cosigned`: the release's checkpoint with cosignatures, as a note; null: none is
   * known.
   */
  log(reader: TileReader, cosigned: string | null): Promise<void>;
  /** A snapshot, after each of its files. */
  snapshot(snapshot: VerifiedSnapshot): Promise<void>;
  /** After the last snapshot. */
  list(list: SignedList): Promise<void>;
}

/** What is read of each list; all of it unless the reader asks for a sample. */
export interface Choice {
  files: <T>(all: readonly T[]) => readonly T[];
  tiles: (all: readonly Tile[]) => readonly Tile[];
  /** Tiles of level 0 whose public events are read; default: those of `tiles`. `version`: of the decisions which events are public. */
  events?: (all: readonly Tile[], version: number) => readonly Tile[];
  snapshots: (all: readonly SnapshotEntry[]) => readonly SnapshotEntry[];
}

export interface VerifyOptions extends Retries {
  /** ms since 1970. */
  now: () => number;
  /** Simultaneous reads. */
  parallel: number;
  /** Which checks to run; default: all. */
  checks?: readonly CheckName[];
  choose?: Choice;
  /** Accepts a release that has expired. */
  acceptExpired?: boolean;
  /** `/latest.json`, if it was read already. */
  announced?: Announced;
  keep?: Keep;
  /** Throws the first finding. */
  isStrict?: boolean;
  /** Skips the remaining checks after the first that failed. */
  stopAtFailure?: boolean;
  /** Receives each verdict as soon as it is known. */
  report?: (verdict: Verdict, release: SignedRelease | null) => void;
}

/** What is being verified, and what the checks so far have established. */
export interface Subject {
  origin: Origin;
  trust: Trust;
  options: VerifyOptions & { choose: Choice };
  findings: Findings;
  /** Set by `signature`. */
  signed: SignedRelease | null;
  /** Set by `signature`: of the signed release, or of an unsigned one. */
  manifest: PublicManifest | null;
  /** Set by `files`. */
  notProven: readonly string[];
  /** Set by `log`: the tree that the release was made from. */
  reader: TileReader | null;
  /** Set by `log`: the checkpoint that the origin publishes. */
  published: PublishedCheckpoint | null;
  /** Set by `witnesses`. */
  witnessing: (Witnessing & { note: string }) | null;
}

type Need =
  | 'manifest'
  | 'signature'
  | 'log'
  | 'published checkpoint'
  | 'disk'
  | 'earlier release'
  | 'earlier checkpoint'
  | 'policy';

/** Whether a check can run, and what to say if it cannot. */
export const NEEDS: Readonly<Record<Need, { isMet: (subject: Subject) => boolean; otherwise: string }>> = {
  manifest: { isMet: ({ manifest }) => manifest !== null, otherwise: 'there is no verified manifest' },
  signature: { isMet: ({ signed }) => signed !== null, otherwise: 'there is no verified manifest' },
  'earlier release': { isMet: ({ trust }) => !!trust.earlier, otherwise: 'no earlier release was given' },
  'earlier checkpoint': {
    isMet: ({ trust }) => !!trust.checkpoint,
    otherwise: 'no earlier checkpoint was given',
  },
  policy: { isMet: ({ trust }) => !!trust.policy, otherwise: 'no policy was given' },
  log: { isMet: ({ reader }) => reader !== null, otherwise: 'the log could not be read' },
  // A mirror publishes the checkpoint of the manifest.
  'published checkpoint': {
    isMet: ({ published, options }) => published !== null || options.keep !== undefined,
    otherwise: 'there is no verified checkpoint at the origin',
  },
  disk: { isMet: ({ origin }) => origin.disk !== null, otherwise: 'this needs a folder' },
};

/** The result of one check. */
export interface Verdict {
  check: CheckName;
  /** `unreachable`: the origin did not answer, which says nothing about its content. */
  state: 'verified' | 'failed' | 'unreachable' | 'not checked';
  /** A clause: what was compared, or why it was not. */
  detail: string;
  findings: readonly Finding[];
}

interface Check {
  name: string;
  needs: readonly Need[];
  /** What is true of an origin that passes. */
  proves: string;
  /** Returns a clause that says what was compared. Throws, or adds to the findings, what is wrong. */
  run: (subject: Subject) => Promise<string>;
}

/** All there is to verify about a release, in this order. A later check may use what an earlier one established. */
export const CHECKS = [
  {
    name: 'signature',
    needs: [],
    proves: 'A trusted key signed the manifest.',
    async run(subject) {
      const { origin, trust, options } = subject;
      if (trust.unsigned) {
        subject.manifest = trust.unsigned;
        return 'the release is not signed';
      }
      const read = async () =>
        readSigned(origin, options.announced ?? (await readLatest(origin)), trust.keys);
      const signed = options.isStrict ? await read() : await retryWhileInconsistent(options, read);
      await options.keep?.release(signed);
      subject.signed = signed;
      subject.manifest = signed.manifest;
      const { name, id } = signed.signedBy;
      const whose = trust.keys ? '' : ', a key that the manifest itself names';
      return `${name}+${id} signed version ${signed.manifest.version}${whose}`;
    },
  },
  {
    name: 'freshness',
    needs: ['signature'],
    proves: 'The release has not expired.',
    async run({ origin, options, manifest }) {
      if (!options.acceptExpired) assertFresh(manifest!, options.now(), origin.placeOf(LATEST_PATH));
      return `of ${manifest!.as_of}, valid until ${manifest!.expires}`;
    },
  },
  {
    name: 'order',
    needs: ['signature', 'earlier release'],
    proves: 'The release is not older than the last one that the reader accepted.',
    async run({ origin, trust, signed }) {
      const { latest, proofs } = signed!;
      const earlier = trust.earlier!;
      assertNoRollback(earlier, latest, origin.placeOf(LATEST_PATH));
      if (earlier.keys)
        await verifyNote(proofs.get(SIGNATURE_PATH)!, earlier.keys, origin.placeOf(SIGNATURE_PATH));
      const isSame = earlier.version === latest.version;
      return isSame ? `version ${latest.version}, as before` : `later than version ${earlier.version}`;
    },
  },
  {
    name: 'names',
    needs: ['signature', 'disk'],
    proves: 'A folder of a release contains nothing else, and no links in place of files.',
    async run({ origin, findings, manifest }) {
      await verifyReleaseNames(manifest!, { origin, findings, disk: origin.disk! });
      return 'the folder contains nothing else';
    },
  },
  {
    name: 'files',
    needs: ['signature'],
    proves: 'Every file has the length and the SHA-256 that the manifest lists.',
    async run(subject) {
      const { origin, options, findings } = subject;
      const manifest = subject.manifest!;
      const chosen = options.choose.files(manifest.files);
      options.log(`${chosen.length} of ${manifest.files.length} files`);
      const { bytes, notProven } = await verifyFiles(origin, chosen, manifest, { ...options, findings });
      subject.notProven = notProven;
      const read = chosen.length - notProven.length;
      return `${read} of ${manifest.files.length} read, ${formatBytes(bytes)}, as listed`;
    },
  },
  {
    name: 'encodings',
    needs: ['signature', 'disk'],
    proves: 'Every .gz and .br file decompresses to the file that it stands for.',
    async run({ origin, options, manifest, signed, findings }) {
      const files = new Map<string, Promised>(manifest!.files.map((file) => [file.path, file]));
      for (const [path, bytes] of signed!.proofs)
        files.set(path, { path, sha256: await digestOf(new Uint8Array(bytes)), bytes: bytes.length });
      const tree = await origin.disk!.list('');
      const variants = tree.files.filter(
        (path) => !files.has(path) && files.has(path.replace(/\.(gz|br)$/, '')),
      );
      const chosen = options.choose.files(variants);
      await inParallel(chosen, options.parallel, async (path) => {
        const file = files.get(path.replace(/\.(gz|br)$/, ''))!;
        await findings.attempt(() => origin.disk!.verifyEncoding(path, file));
      });
      return `${chosen.length} of ${variants.length} read, each decompresses to its file`;
    },
  },
  {
    name: 'log',
    needs: ['manifest'],
    proves: 'All tiles follow from the root in the manifest, which the ledger signed.',
    async run(subject) {
      const { origin, trust, options, findings } = subject;
      const { log } = subject.manifest!;
      const { ledgerKeys } = trust;
      const place = `${origin.placeOf(MANIFEST_PATH)}: log.checkpoint`;
      // The manifest of an unsigned release has no checkpoint.
      const head = trust.unsigned ? headOf(log) : await openCheckpoint(subject.manifest!, ledgerKeys, place);
      const reader = await openLog(origin, head);
      subject.reader = reader;
      options.log(`log of ${counted(head.size, 'event')}`);
      const { keep, parallel, choose } = options;
      const tiles = { choose: choose.tiles, parallel, keep: keep?.tile.bind(keep) };
      const { read, all } = await verifyTiles(reader, tiles);
      const published = await readPublishedCheckpoint(origin, reader, {
        origin: log.origin,
        keys: ledgerKeys,
      });
      subject.published = published;
      // A mirror publishes the checkpoint of the manifest, and needs only the cosignatures of this one.
      if (!published && !keep)
        throw mismatchError(origin.placeOf(CHECKPOINT), 'the checkpoint of the log', 'no such file');
      if (published && !keep && origin.disk)
        await verifyLogNames(published.reader, reader.head, { origin, findings, disk: origin.disk });
      const whose = ledgerKeys ? 'signed by the ledger' : 'the ledger’s own signature was not verified';
      return `${counted(head.size, 'event')}, ${read} of ${all} tiles have the signed root; ${whose}`;
    },
  },
  {
    name: 'events',
    needs: ['log'],
    proves: 'Every public event has the hash of its leaf in the log.',
    async run({ origin, options, reader }) {
      const { keep, choose, parallel } = options;
      // The page verifies the events that it shows, and would load this for nothing.
      const { verifyEvents } = await import('./events.ts');
      const found = await verifyEvents(origin, reader!, {
        choose: choose.events ?? choose.tiles,
        parallel,
        keep: keep?.events.bind(keep),
      });
      if (!found) return 'the log has no public events';
      return `${found.bundles} of ${found.all} bundles read, ${found.events} public events have their leaf’s hash`;
    },
  },
  {
    name: 'checkpoint',
    needs: ['earlier checkpoint', 'log'],
    proves: 'The log extends the checkpoint that the reader kept.',
    async run({ trust, reader, manifest }) {
      const { place, ...earlier } = trust.checkpoint!;
      const { origin } = manifest!.log;
      const expected = { origin, keys: trust.ledgerKeys };
      const isNote = 'note' in earlier;
      if (!isNote && earlier.log.origin !== origin) throw otherLog(place, origin, earlier.log.origin);
      const head = isNote ? await readCheckpoint(earlier.note, expected, place) : headOf(earlier.log);
      await assertExtends(reader!, head, place);
      return `the log extends the ${counted(head.size, 'event')} of ${place}`;
    },
  },
  {
    name: 'witnesses',
    needs: ['policy', 'log', 'published checkpoint', 'signature'],
    proves: 'As many witnesses as the policy requires cosigned the log, so others see the same one.',
    async run(subject) {
      const { origin, trust, options, manifest } = subject;
      const own = {
        note: manifest!.log.checkpoint,
        place: `${origin.placeOf(MANIFEST_PATH)}: log.checkpoint`,
      };
      // A mirror must have the cosignatures of the checkpoint that it publishes itself.
      const published = options.keep ? sameCheckpoint(subject) : subject.published;
      const others = [own.note, ...checkpointsOf(trust)];
      const policy = trust.policy!;
      const now = options.now();
      const witnessing = await verifyWitnesses(origin, { policy, own, published, others, now });
      subject.witnessing = witnessing;
      return formatWitnessing(witnessing, now);
    },
  },
  {
    name: 'snapshots',
    needs: ['log'],
    proves: 'The publisher signed the snapshot list; each snapshot is in the log and has its files.',
    async run(subject) {
      const { origin, options, findings } = subject;
      options.log('snapshots');
      await options.keep?.log(
        subject.reader!,
        subject.witnessing?.note ?? sameCheckpoint(subject)?.note ?? null,
      );
      const list = await readList(subject);
      const chosen = options.choose.snapshots(list.index);
      const work = snapshotsWork(subject);
      for (const path of options.choose.files(oldHistories(list.index)))
        await findings.attempt(() => verifyOldHistory(path, work));
      const verified: VerifiedSnapshot[] = [];
      const unread = new Set(list.index.map(({ id }) => id));
      for (const entry of chosen) {
        const snapshot = await findings.attempt(() => verifySnapshot(entry, subject.reader!, work));
        if (!snapshot) continue;
        await options.keep?.snapshot(snapshot);
        verified.push(snapshot);
        unread.delete(entry.id);
      }
      if ('signature' in list) await options.keep?.list(list);
      const others = verified.filter(({ voucher }) => voucher !== 'known key').length;
      if (origin.disk) {
        verified.push(...(await verifyUnlistedSnapshots(list, subject, work)));
        await verifySnapshotNames({ verified, unread }, { origin, findings, disk: origin.disk });
      }
      await verifyLater(work);
      const whose = others > 0 ? `; ${others} not signed by any current key` : '';
      return `${chosen.length} of ${list.index.length} read, the list signed, all of their files as listed${whose}`;
    },
  },
] as const satisfies readonly Check[];

/** The earlier checkpoint that the reader has, as a note. */
function checkpointsOf({ checkpoint }: Trust): string[] {
  if (!checkpoint) return [];
  const note = 'note' in checkpoint ? checkpoint.note : checkpoint.log.checkpoint;
  return note === undefined ? [] : [note];
}

/** The published checkpoint if it is that of the release, perhaps with cosignatures. */
function sameCheckpoint({ published, manifest }: Subject): PublishedCheckpoint | null {
  const text = published && noteText(published.note, published.place);
  return text === noteText(manifest!.log.checkpoint, 'log.checkpoint') ? published : null;
}

export type CheckName = (typeof CHECKS)[number]['name'];

async function readList(subject: Subject): Promise<SnapshotList | SignedList> {
  const { origin, options, manifest, signed } = subject;
  if (signed) {
    const read = () => readSignedList(origin, signed);
    // A host that is being updated may have the previous list for a moment.
    return options.isStrict ? read() : retryWhileInconsistent(options, read);
  }
  if (await readSmall(origin, LIST_SIGNATURE_PATH, { most: MAX_NOTE_BYTES })) {
    const expected = 'no such file beside an unsigned release';
    throw mismatchError(origin.placeOf(LIST_SIGNATURE_PATH), expected, 'a file');
  }
  const list = (await readSnapshotList(origin)) ?? { bytes: new Uint8Array(), index: [] };
  const { size } = manifest!.log;
  return { ...list, index: list.index.filter(({ log_size }) => log_size <= size) };
}

function snapshotsWork({ origin, options, findings, manifest, signed }: Subject): SnapshotsWork {
  const { files } = manifest!;
  return {
    origin,
    findings,
    files,
    parallel: options.parallel,
    known: signed?.known ?? [],
    most: mostBytes(files),
    histories: new Map(),
    later: options.keep ? null : [],
  };
}

/** Nobody vouches for what the list does not name, so a known key must have signed it. */
async function verifyUnlistedSnapshots(
  list: SnapshotList,
  { origin, trust, reader, findings }: Subject,
  work: SnapshotsWork,
): Promise<VerifiedSnapshot[]> {
  const verified: VerifiedSnapshot[] = [];
  for (const id of await unlistedSnapshots(origin, list.index))
    await findings.attempt(async () => {
      const snapshot = await verifyUnlisted(id, reader, work);
      if (!snapshot) return;
      const place = origin.placeOf(snapshot.entry.index.path);
      if (snapshot.voucher !== 'known key' && !trust.unsigned)
        throw mismatchError(place, 'a snapshot that the list names or a known key signed', 'neither');
      verified.push(snapshot);
    });
  return verified;
}
