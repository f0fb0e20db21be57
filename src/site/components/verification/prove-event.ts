import { CathedralError } from '../../../../pipeline/errors.ts';
import { type Checkpoint, parseCheckpoint } from '../../../../pipeline/ledger/checkpoint.ts';
import { inclusionProof, verifyInclusion } from '../../../../pipeline/ledger/log/proofs.ts';
import { formatTlogProof, parseTlogProof } from '../../../../pipeline/ledger/log/tlog-proof.ts';
import { MAX_NOTE_BYTES, noteText, type Verifier } from '../../../../pipeline/ledger/note.ts';
import { openCheckpoint } from '../../../../pipeline/verify/audit/open-checkpoint.ts';
import { verifyProof } from '../../../../pipeline/verify/audit/verify-proof.ts';
import { mismatch } from '../../../../pipeline/verify/mismatch.ts';
import { readSmall } from '../../../../pipeline/verify/origin/read-small.ts';
import { formatBytes, formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { nodeHash } from './merkle-hashes.ts';
import { checkHistory, openLog } from './open-log.ts';
import { placeOfEvent } from './place-of-event.ts';
import { type GivenEvent, readEvent } from './read-event.ts';
import { Failed, NothingToCheck, readGiven, type Steps } from './steps.ts';
import type { Means } from './verify-release.ts';

/** What was proved of an event, and the proof as others can verify it. */
export interface ProvedEvent {
  event: GivenEvent;
  index: number;
  checkpoint: Checkpoint;
  /** A tlog-proof. */
  proof: string;
}

const KIND_WORDS: Readonly<Record<GivenEvent['kind'], string>> = {
  hash: 'The hash of an event',
  row: 'A row of the export, which has its event’s hash',
  line: 'A line of the ledger; its hash was computed here',
};
const CHECKPOINT = 'log/checkpoint';

/** That the event which was pasted is in the log, from a proof that the reader has. Throws Failed and Uncheckable. */
export async function proveByProof(
  steps: Steps,
  pasted: string,
  proof: string,
  { ledgerKeys }: Pick<Means, 'ledgerKeys'>,
): Promise<ProvedEvent> {
  const event = await needEvent(steps, pasted);
  return steps.need('Proof', async () => {
    readGiven(() => assertProof(proof));
    const means = { verifiers: ledgerKeys(), nodeHash };
    const { index, checkpoint, verifier } = await verifyProof(proof, event.hash, means, 'the proof');
    const words = `It leads from the hash, number ${formatNumber(index)}, to ${headWords(checkpoint, verifier)}. Nothing was asked for.`;
    return { words, value: { event, index, checkpoint, proof } };
  });
}

/** The same from the log of this host: its checkpoint, and the tiles that are needed. Throws Failed, Uncheckable and Stopped. */
export async function proveByLog(steps: Steps, pasted: string, means: Means): Promise<ProvedEvent> {
  const { origin, ledgerKeys, recall } = means;
  const event = await needEvent(steps, pasted);
  const { checkpoint, note } = await steps.need('Checkpoint', async () => {
    const place = origin.placeOf(CHECKPOINT);
    const found = await readSmall(origin, CHECKPOINT, { most: MAX_NOTE_BYTES });
    if (!found) throw mismatch(place, 'the checkpoint of the log', 'no such file');
    const { checkpoint, verifier } = await openCheckpoint(found.bytes, ledgerKeys(), place);
    const value = { checkpoint, note: new TextDecoder().decode(found.bytes) };
    return { words: `Of ${headWords(checkpoint, verifier)}.`, value };
  });
  const reader = await steps.need('Tiles', async () => ({
    words: 'The partial tiles of the log have that root; each other tile is held to the one above it.',
    value: await openLog(origin, checkpoint),
  }));
  if (!(await checkHistory(steps, async () => reader, checkpoint.origin, recall()))) throw new Failed();
  const index = await steps.need('Place', async () => {
    const value = await placeOfEvent(steps, reader, event, origin);
    if (value === null) throw notThere(event, checkpoint);
    return { words: `The hash is number ${formatNumber(value)} of the log, counted from 0.`, value };
  });
  return steps.need('Proof', async () => {
    const path = await inclusionProof(reader, index);
    if (!(await verifyInclusion({ index, leaf: event.hash, path }, checkpoint, nodeHash)))
      throw mismatch(
        'the proof',
        `hashes that lead to the root ${checkpoint.root}`,
        'hashes that lead elsewhere',
      );
    const { requests, bytes } = origin.traffic;
    const words = `${formatCount(path.length, 'hash', 'hashes')} lead from it to the root. Asked for so far on this page: ${formatCount(requests, 'file')}, ${formatBytes(bytes)}.`;
    const proof = formatTlogProof({ index, path, checkpoint: note, extra: null });
    return { words, value: { event, index, checkpoint, proof } };
  });
}

/** That it has the form of a proof, whatever it proves. Throws log_invalid and ledger_corrupt. */
function assertProof(proof: string): void {
  const { checkpoint } = parseTlogProof(proof, 'the proof');
  parseCheckpoint(noteText(checkpoint, 'the proof'), 'the proof');
}

function needEvent(steps: Steps, pasted: string): Promise<GivenEvent> {
  return steps.need('Event', async () => {
    const value = readEvent(pasted);
    if (value) return { words: `${KIND_WORDS[value.kind]}: 0x${value.hash}.`, value };
    const found = pasted.trim() === '' ? 'nothing' : JSON.stringify(pasted.trim().slice(0, 80));
    const expected =
      'one hash of 64 hex digits, one row of the audit trail’s export, or one line of the ledger; rows of other files name no event: check the file itself, above';
    throw new NothingToCheck(new CathedralError('usage', { place: 'the field “Event”', expected, found }));
  });
}

function headWords({ origin, size, root }: Checkpoint, { name, id }: Verifier): string {
  return `${origin}, ${formatNumber(size)} events, root ${root}, signed by ${name}+${id}, a key that stands above`;
}

function notThere({ hash }: GivenEvent, { size }: Checkpoint): CathedralError {
  const expected = `an event with the hash 0x${hash}`;
  const found = `none among the ${formatNumber(size)} events`;
  return new CathedralError('proof_refused', { place: '/log', expected, found });
}
