import { CathedralError } from '../../../pipeline/errors.ts';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import { findLeaf } from '../../../pipeline/ledger/log/find-leaf.ts';
import type { Hash } from '../../../pipeline/ledger/log/hash.ts';
import { inclusionProof, verifyInclusion } from '../../../pipeline/ledger/log/proofs.ts';
import type { TileReader } from '../../../pipeline/ledger/log/tile-reader.ts';
import { formatTlogProof, parseTlogProof } from '../../../pipeline/ledger/log/tlog-proof.ts';
import { type Checkpoint, parseCheckpoint } from '../../../pipeline/ledger/notes/checkpoint.ts';
import { MAX_NOTE_BYTES, noteText, type Verifier } from '../../../pipeline/ledger/notes/note.ts';
import type { SnapshotIndex } from '../../../pipeline/release/format/snapshot-index.ts';
import { openCheckpoint, verifyProof } from '../../../pipeline/verify/audit/verify-proof.ts';
import { mismatchError } from '../../../pipeline/verify/findings.ts';
import { openLog } from '../../../pipeline/verify/log.ts';
import { readSmall } from '../../../pipeline/verify/origin.ts';
import { leafHash, PAGE_HASHING, type PageOrigin } from '../../../pipeline/verify/page-origin.ts';
import { type PastedEvent, readPasted } from '../../../pipeline/verify/rows/pasted.ts';
import { readSnapshotList } from '../../../pipeline/verify/snapshot-list.ts';
import { formatBytes, formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { NothingToCheck, readGiven, type Steps } from '../layout/steps.ts';
import type { Means } from './verify-release.ts';
import { showWitnesses } from './witnesses.ts';

/** The hash of an event, as it is or in a row of the export, which has its time. */
export type HashedEvent = Extract<PastedEvent, { kind: 'hash' } | { kind: 'export' }>;

/** An event whose hash a saved proof may be of. */
interface GivenEvent {
  kind: 'hash' | 'export' | 'line';
  hash: Hash;
}

/** What was proved of an event, and the proof in a form that others can verify. */
export interface ProvedEvent {
  event: GivenEvent;
  index: number;
  checkpoint: Checkpoint;
  /** A tlog-proof. */
  proof: string;
}

const KIND_WORDS: Readonly<Record<GivenEvent['kind'], string>> = {
  hash: 'The hash of an event',
  export: 'A row of the export, which contains the hash of its event',
  line: 'A line of the ledger; its hash was computed here',
};

/** What a proof does not show, by what was pasted. */
export const NOT_PROVED: Readonly<Record<GivenEvent['kind'], string>> = {
  hash: 'What the event says. Anyone who has its line can compute the hash again: SHA-256 of a zero byte and the line.',
  export:
    'Whether the event says what the row says: the hash covers the event’s line, which has a salt that rows leave out. With a government key, “cathedral verify EXPORT” compares rows with the events themselves.',
  line: 'Whether what the line says is true. It is the event, byte for byte: the hash was computed from the line.',
};

const CHECKPOINT = 'log/checkpoint';
/** Requests at once, as many as browsers send to one host. */
const PARALLEL = 6;

/** Proves with a proof that the reader has that the pasted event is in the log. Throws Failed and Uncheckable. */
export async function proveByProof(
  steps: Steps,
  pasted: string,
  proof: string,
  means: Pick<Means, 'ledgerKeys' | 'policy' | 'now'>,
): Promise<ProvedEvent> {
  const event = await needEvent(steps, pasted);
  const { note, ...proved } = await steps.need('Proof', async () => {
    readGiven(() => assertProof(proof));
    const trusted = { verifiers: means.ledgerKeys(), nodeHash: PAGE_HASHING.nodeHash };
    const { verifier, ...value } = await verifyProof(proof, event.hash, trusted, 'the proof');
    const { index, checkpoint } = value;
    const words = `It leads from the hash, number ${formatNumber(index)}, to ${headWords(checkpoint, verifier)}. Nothing was fetched.`;
    return { words, value };
  });
  await showWitnesses(steps, note, 'the proof', means);
  return { event, ...proved, proof };
}

/** Searches the log of this host for a hash, and proves it. Throws Failed and Uncheckable. */
export async function proveByLog(steps: Steps, event: HashedEvent, means: Means): Promise<ProvedEvent> {
  const { origin, ledgerKeys } = means;
  steps.pass('Event', `${KIND_WORDS[event.kind]}: 0x${event.hash}.`);
  const { checkpoint, note } = await steps.need('Checkpoint', async () => {
    const place = origin.placeOf(CHECKPOINT);
    const found = await readSmall(origin, CHECKPOINT, { most: MAX_NOTE_BYTES });
    if (!found) throw mismatchError(place, 'the checkpoint of the log', 'no such file');
    const { checkpoint, verifier } = await openCheckpoint(found.bytes, ledgerKeys(), place);
    const value = { checkpoint, note: new TextDecoder().decode(found.bytes) };
    return { words: `Of ${headWords(checkpoint, verifier)}.`, value };
  });
  await showWitnesses(steps, note, origin.placeOf(CHECKPOINT), means);
  const reader = await steps.need('Tiles', async () => ({
    words: 'The partial tiles of the log have that root; each other tile is compared with the one above it.',
    value: await openLog(origin, checkpoint),
  }));
  const index = await steps.need('Place', async () => {
    const value = await findEvent(steps, reader, event, origin);
    if (value === null) throw notThere(event, checkpoint);
    return { words: `The hash is number ${formatNumber(value)} of the log, counted from 0.`, value };
  });
  return steps.need('Proof', async () => {
    const path = await inclusionProof(reader, index);
    if (!(await verifyInclusion({ index, leaf: event.hash, path }, checkpoint, reader.nodeHash)))
      throw mismatchError(
        'the proof',
        `hashes that lead to the root ${checkpoint.root}`,
        'hashes that lead elsewhere',
      );
    const { requests, bytes } = origin.traffic;
    const words = `${formatCount(path.length, 'hash', 'hashes')} lead from it to the root. Fetched so far by this page: ${formatCount(requests, 'file')}, ${formatBytes(bytes)}.`;
    const proof = formatTlogProof({ index, path, checkpoint: note, extra: null });
    return { words, value: { event, index, checkpoint, proof } };
  });
}

/** It must have the form of a proof, whatever it proves. Throws log_invalid and ledger_corrupt. */
function assertProof(proof: string): void {
  const { checkpoint } = parseTlogProof(proof, 'the proof');
  parseCheckpoint(noteText(checkpoint, 'the proof'), 'the proof');
}

function needEvent(steps: Steps, text: string): Promise<GivenEvent> {
  return steps.need('Event', async () => {
    const pasted = readPasted(text);
    if (pasted.kind === 'hash' || pasted.kind === 'export') return shown(pasted);
    if (pasted.kind === 'line') return shown({ kind: 'line', hash: leafHash(pasted.line) });
    const found = text.trim() === '' ? 'nothing' : JSON.stringify(text.trim().slice(0, 80));
    const expected =
      'the event that the proof is of: its hash of 64 hex digits, its row in the audit trail’s export, or its line in the ledger';
    throw new NothingToCheck(new CathedralError('usage', { place: 'the field above', expected, found }));
  });
}

function shown({ kind, hash }: GivenEvent) {
  return { words: `${KIND_WORDS[kind]}: 0x${hash}.`, value: { kind, hash } };
}

/**
 * The event's number in the log; null: it is not in the log. The time is only a hint: the hash must be at that place. Without it, the
 * whole log is searched.
 */
async function findEvent(
  steps: Steps,
  reader: TileReader,
  event: HashedEvent,
  origin: PageOrigin,
): Promise<number | null> {
  const { size } = reader.head;
  const timestamp = event.kind === 'export' ? event.timestamp : null;
  const search = ({ from, to }: Span) =>
    findLeaf(reader, event.hash, {
      from,
      to,
      first: 'newest',
      parallel: PARALLEL,
      progress: (read, all) =>
        steps.say(`Searching the log: ${formatNumber(read)} of ${formatNumber(all)} tiles …`),
    });
  const list = timestamp === null ? null : await readSnapshotList(origin).catch(() => null);
  const hinted = list && (await search(spanOf(list.index, timestamp!, size)));
  return hinted ?? search({ from: 0, to: size });
}

interface Span {
  from: number;
  to: number;
}

/** Where an event of this time is if the unsigned snapshot list is right. */
function spanOf(index: SnapshotIndex, timestamp: string, size: number): Span {
  const sizes = (isWanted: (order: number) => boolean) =>
    index
      .filter(({ as_of }) => isWanted(compareTimestamps(as_of, timestamp)))
      .map(({ log_size }) => log_size);
  const from = Math.max(0, ...sizes((order) => order < 0));
  const to = Math.min(size, ...sizes((order) => order > 0));
  return { from: Math.min(from, to), to };
}

function headWords({ origin, size, root }: Checkpoint, { name, id }: Verifier): string {
  return `${origin}, ${formatCount(size, 'event')}, root ${root}, signed by ${name}+${id}, a key shown above`;
}

function notThere({ hash }: HashedEvent, { size }: Checkpoint): CathedralError {
  const expected = `an event with the hash 0x${hash}`;
  const found = `none among ${formatCount(size, 'event')}`;
  return new CathedralError('proof_refused', { place: '/log', expected, found });
}
