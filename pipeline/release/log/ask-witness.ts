import { CathedralError } from '../../errors.ts';
import {
  ADD_CHECKPOINT,
  formatAddCheckpoint,
  parseSize,
  SIZE_TYPE,
} from '../../ledger/log/add-checkpoint.ts';
import { consistencyProof } from '../../ledger/log/proofs.ts';
import type { TileReader } from '../../ledger/log/tile-reader.ts';
import type { Checkpoint } from '../../ledger/notes/checkpoint.ts';
import { verifySignature } from '../../ledger/notes/cosignature.ts';
import {
  type Cosigner,
  formatSignature,
  isBy,
  MAX_NOTE_BYTES,
  readSignatures,
} from '../../ledger/notes/note.ts';
import { CLOCK_TOLERANCE_MS, invalidCosignature } from '../../ledger/notes/witness-quorum.ts';
import { reasonOf } from '../../transient-fault.ts';
import { counted } from '../../words/number.ts';

/** A server that cosigns checkpoints: several witnesses of a policy may be at one address, each with its own key. */
export interface WitnessServer {
  /** The submission prefix, without a trailing slash. */
  url: string;
  /** By the names that the policy gives them. */
  cosigners: ReadonlyMap<string, Cosigner>;
}

export interface AskOptions {
  /** The signed note of the checkpoint. */
  note: string;
  checkpoint: Checkpoint;
  /** Of the checkpoint's tree. */
  reader: TileReader;
  /** The size of the last checkpoint that the witness is known to have cosigned; 0 if unknown. */
  from: number;
  /** Notes of earlier checkpoints, so that a signature of one of them gets its own fault. */
  earlier: readonly string[];
  /** ms since 1970 */
  now: number;
  signal?: AbortSignal;
}

/** A verified cosignature. */
interface Cosigned {
  witness: string;
  /** A line of a note. */
  line: string;
  /** Seconds since 1970. */
  timestamp: number;
}

export interface Answer {
  cosigned: Cosigned[];
  /** What was wrong with the answer, or with a part of it. */
  faults: string[];
}

/** A witness verifies a proof and writes one file. */
const TIMEOUT_MS = 10_000;

/** What each status means, c2sp.org/tlog-witness. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'the request is malformed',
  403: 'it does not trust the key that signed the checkpoint',
  404: 'it does not follow this log',
  409: 'it cosigned another checkpoint of this size',
  422: 'the checkpoint does not extend the one that it cosigned last',
};

/**
 * Asks one witness to cosign a checkpoint, once more if it says at which size its own record ends. Believes nothing in the answer but
 * signatures that verify. Never throws.
 */
export async function askWitness(server: WitnessServer, options: AskOptions): Promise<Answer> {
  const place = `${server.url}/${ADD_CHECKPOINT}`;
  try {
    return await ask(server, place, options);
  } catch (error) {
    // Signatures that cannot be read say nothing about the ledger, so their code does not count.
    if (error instanceof CathedralError && error.place === place)
      return refused(place, error.expected, error.found);
    return refused(place, 'an answer', reasonOf(error));
  }
}

async function ask(server: WitnessServer, place: string, options: AskOptions): Promise<Answer> {
  const { checkpoint } = options;
  const first = Math.min(options.from, checkpoint.size);
  let answer = await post(place, first, options);
  const size = sizeIn(answer);
  if (size !== null && size !== first && size <= checkpoint.size) answer = await post(place, size, options);
  const { status, body } = answer;
  if (status === 200) return readCosignatures(server, place, body, options);
  const last = sizeIn(answer);
  const most = `a last cosigned checkpoint of at most ${counted(checkpoint.size, 'event')}`;
  if (last !== null && last > checkpoint.size) return refused(place, most, `one of ${last}`);
  const why =
    last === null ? REFUSALS[status] : 'the proof starts at another size than its last cosigned checkpoint';
  const found = [`status ${status}`, why, quoted(body)].filter((part) => part).join(', ');
  return refused(place, `a cosignature of ${counted(checkpoint.size, 'event')}`, found);
}

interface HttpAnswer {
  status: number;
  type: string;
  body: string;
}

async function post(place: string, old: number, options: AskOptions): Promise<HttpAnswer> {
  const { note, checkpoint, reader, signal } = options;
  const { text, signatures } = readSignatures(note, 'the checkpoint');
  // The witness ignores what others signed.
  const own = signatures.filter(({ name }) => name === checkpoint.origin).map(formatSignature);
  const proof = await consistencyProof(reader, old);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(place, {
    method: 'POST',
    body: formatAddCheckpoint({ old, proof, note: `${text}\n${own.join('')}` }),
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    // To another server, the address in the policy says nothing.
    redirect: 'manual',
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
  });
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]!.trim();
  return { status: answer.status, type, body: await readBounded(answer) };
}

async function readBounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > MAX_NOTE_BYTES) throw new RangeError(`more than ${MAX_NOTE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function sizeIn({ status, type, body }: HttpAnswer): number | null {
  return status === 409 && type === SIZE_TYPE ? parseSize(body) : null;
}

async function readCosignatures(
  { cosigners }: WitnessServer,
  place: string,
  body: string,
  { note, now, earlier }: AskOptions,
): Promise<Answer> {
  const { text } = readSignatures(note, 'the checkpoint');
  const { signatures } = readSignatures(`${text}\n${body}`, place);
  const cosigned: Cosigned[] = [];
  const faults: string[] = [];
  for (const [witness, cosigner] of cosigners) {
    const expected = `a cosignature by ${cosigner.name}+${cosigner.id}`;
    const own = signatures.filter((signature) => isBy(cosigner, signature));
    if (own.length === 0) faults.push(faultOf(place, expected, 'none'));
    for (const signature of own) {
      const verdict = await verifySignature(cosigner, text, signature);
      const timestamp = verdict.verdict === 'valid' ? verdict.timestamp : null;
      // A note with a signature by a known key that does not verify is no note to rely on.
      if (verdict.verdict === 'invalid') {
        const signer = { name: witness, key: cosigner };
        const { found } = await invalidCosignature(signer, signature, { place, others: earlier });
        return refused(place, expected, found);
      }
      if (!timestamp || timestamp * 1000 > now + CLOCK_TOLERANCE_MS)
        faults.push(faultOf(place, `${expected}, with the time`, `${timestamp} s`));
      else cosigned.push({ witness, line: formatSignature(signature), timestamp });
    }
  }
  return { cosigned, faults };
}

function refused(place: string, expected: string, found: string): Answer {
  return { cosigned: [], faults: [faultOf(place, expected, found)] };
}

function faultOf(place: string, expected: string, found: string): string {
  return `${place}: expected ${expected}, found ${found}`;
}

function quoted(body: string): string {
  const [line = ''] = body.split('\n');
  return line === '' ? '' : JSON.stringify(line.slice(0, 200));
}
