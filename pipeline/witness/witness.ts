import { hash } from 'node:crypto';
import { CathedralError, errorOf, orNull } from '../errors.ts';
import { formatSize, parseAddCheckpoint, SIZE_TYPE } from '../ledger/log/add-checkpoint.ts';
import { EMPTY_ROOT } from '../ledger/log/hash.ts';
import { verifyConsistency } from '../ledger/log/proofs.ts';
import { encodeBase64 } from '../ledger/notes/base64.ts';
import { type Checkpoint, parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { claimedTimestamp, cosign, verifySignature } from '../ledger/notes/cosignature.ts';
import {
  type Cosigner,
  formatSignature,
  isBy,
  type PublicKey,
  readSignatures,
  type Signer,
} from '../ledger/notes/note.ts';
import { counted } from '../words/number.ts';
import { WitnessRecord } from './witness-record.ts';

const wrong = errorOf('config_invalid');

/** A log that a witness follows. */
export interface FollowedLog {
  origin: string;
  /** One of these must have signed a checkpoint. */
  keys: readonly PublicKey[];
}

export interface WitnessOptions {
  /** Where the record of each log is. One process uses it at a time. */
  folder: string;
  /** Each cosigns every checkpoint. */
  keys: readonly Signer<Cosigner>[];
  logs: readonly FollowedLog[];
  /** ms since 1970 */
  now: () => number;
  /** Receives one line about each checkpoint that was cosigned, and each that contradicts an earlier one. */
  log: (line: string) => void;
}

/** What an HTTP server answers. */
export interface WitnessAnswer {
  status: number;
  type: string;
  body: string;
  /** The methods that a 405 names. */
  allow?: string;
}

const TEXT = 'text/plain; charset=utf-8';
/** Requests about one log that wait for one another. */
const MOST_WAITING = 100;

/**
 * A witness of transparency logs (c2sp.org/tlog-witness): cosigns checkpoints that extend the last one of their log that it cosigned, and no
 * others. Its record is on disk before the answer leaves, and requests about one log are answered one after the other.
 */
export class Witness {
  readonly #options: WitnessOptions;
  readonly #logs = new Map<string, { keys: FollowedLog['keys']; record: WitnessRecord }>();
  /** By the path of their checkpoint. */
  readonly #byHash = new Map<string, WitnessRecord>();
  readonly #turns = new Map<WitnessRecord, { last: Promise<unknown>; waiting: number }>();

  /** Throws config_invalid for a key that also signs a log, and what reading a record throws: a witness that cannot read what it cosigned must not start. */
  static async open(options: WitnessOptions): Promise<Witness> {
    assertApart(options);
    const witness = new Witness(options);
    for (const { record } of witness.#logs.values()) await record.read();
    return witness;
  }

  private constructor(options: WitnessOptions) {
    this.#options = options;
    for (const { origin, keys } of options.logs) {
      const digits = hash('sha256', origin);
      const record = new WitnessRecord(options.folder, digits);
      this.#logs.set(origin, { keys, record });
      this.#byHash.set(digits, record);
    }
  }

  /** Answers `POST /add-checkpoint`. Throws what reading and writing a record throws; nothing was cosigned then. */
  async addCheckpoint(body: string): Promise<WitnessAnswer> {
    let request: ReturnType<typeof parseRequest>;
    try {
      request = parseRequest(body);
    } catch (error) {
      return refusal(400, messageOf(error));
    }
    const { text, signatures, checkpoint } = request;
    const log = this.#logs.get(checkpoint.origin);
    if (!log) return refusal(404, `this witness does not follow ${checkpoint.origin}`);
    const trusted = log.keys.flatMap((key) =>
      signatures.filter((signature) => isBy(key, signature)).map((signature) => ({ key, signature })),
    );
    if (trusted.length === 0)
      return refusal(403, `no signature by a key that this witness trusts for ${checkpoint.origin}`);
    for (const { key, signature } of trusted)
      if ((await verifySignature(key, text, signature)).verdict !== 'valid')
        return refusal(403, `the signature by ${key.name}+${key.id} does not verify`);
    if (request.old > checkpoint.size)
      return refusal(400, `the old size ${request.old} is beyond the checkpoint’s ${checkpoint.size}`);
    const own = trusted.map(({ signature }) => formatSignature(signature)).join('');
    return this.#inTurn(log.record, () => this.#decide(log.record, { ...request, own }));
  }

  /** Answers `GET /<SHA-256 of the origin>/checkpoint`: the newest checkpoint that it cosigned. */
  async checkpoint(originHash: string): Promise<WitnessAnswer> {
    const note = (await this.#byHash.get(originHash)?.read())?.note;
    return note === undefined
      ? refusal(404, 'this witness has cosigned no checkpoint of such a log')
      : { status: 200, type: TEXT, body: note };
  }

  async #decide(record: WitnessRecord, request: Request & { own: string }): Promise<WitnessAnswer> {
    const { old, proof, checkpoint, text, own } = request;
    const last = await record.read();
    const { size, root } = last?.checkpoint ?? { size: 0, root: EMPTY_ROOT };
    if (old !== size) return { status: 409, type: SIZE_TYPE, body: formatSize(size) };
    if (checkpoint.size === 0 && checkpoint.root !== EMPTY_ROOT)
      return refusal(422, 'the root of an empty tree is the hash of the empty string');
    if (!verifyConsistency({ size, root }, checkpoint, proof)) {
      // Signed by the log: with the proof of the other checkpoint, it may convict it.
      await record
        .keepRefused(checkpoint, `${text}\n${own}`)
        .catch((error) => this.#options.log(error.message));
      this.#options.log(
        `refused ${describe(checkpoint)}: not proved to extend ${counted(size, 'event')} with the root ${root}`,
      );
      return checkpoint.size === size && checkpoint.root !== root
        ? refusal(409, `cosigned before: ${counted(size, 'event')} with the root ${root}`)
        : refusal(422, `not proved to extend the ${counted(size, 'event')} with the root ${root}`);
    }
    const timestamp = Math.max(Math.floor(this.#options.now() / 1000), this.#lastTime(last?.note));
    const lines = this.#options.keys.map((key) => cosign(key, text, timestamp)).join('');
    await record.replace(`${text}\n${own}${lines}`);
    this.#options.log(`cosigned ${describe(checkpoint)}`);
    return { status: 200, type: TEXT, body: lines };
  }

  /** A clock that was set back must not make a later tree look older than an earlier one. Seconds since 1970. */
  #lastTime(note: string | undefined): number {
    if (note === undefined) return 1;
    const { signatures } = readSignatures(note, 'the record');
    const times = this.#options.keys.flatMap(({ verifier }) =>
      signatures.filter((one) => isBy(verifier, one)).map((one) => claimedTimestamp(one) ?? 1),
    );
    return Math.max(1, ...times);
  }

  /** One request about a log at a time: comparing the size with the record and replacing the record belong together. */
  async #inTurn(record: WitnessRecord, work: () => Promise<WitnessAnswer>): Promise<WitnessAnswer> {
    const turn = this.#turns.get(record) ?? { last: Promise.resolve(), waiting: 0 };
    this.#turns.set(record, turn);
    if (turn.waiting >= MOST_WAITING) return refusal(503, 'too many requests about this log are waiting');
    turn.waiting += 1;
    const done = turn.last.then(work);
    turn.last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      turn.waiting -= 1;
    }
  }
}

/** What a witness says must never count as what a log says. Throws config_invalid. */
function assertApart({ keys, logs }: WitnessOptions): void {
  const own = new Set(keys.map(({ verifier }) => encodeBase64(verifier.publicKey)));
  for (const { origin, keys: trusted } of logs)
    for (const { name, id, publicKey } of trusted)
      if (own.has(encodeBase64(publicKey)))
        throw wrong(`the log ${origin}`, 'keys that are not the witness’s own', `${name}+${id}`);
}

interface Request {
  old: number;
  proof: readonly string[];
  text: string;
  signatures: ReturnType<typeof readSignatures>['signatures'];
  checkpoint: Checkpoint;
}

function parseRequest(body: string): Request {
  const { old, proof, note } = parseAddCheckpoint(body, 'the request');
  // Signatures that cannot be read count as none: the text says which log it is of, and 403 that nobody trusted has signed it.
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
  const checkpoint = parseCheckpoint(text, 'the checkpoint');
  return { old, proof, text, signatures: signaturesOf(note), checkpoint };
}

function signaturesOf(note: string): Request['signatures'] {
  return orNull(() => readSignatures(note, 'the checkpoint').signatures) ?? [];
}

export function refusal(status: number, message: string): WitnessAnswer {
  return { status, type: TEXT, body: `${message}\n` };
}

function describe({ origin, size, root }: Checkpoint): string {
  return `${origin}, ${counted(size, 'event')}, root ${root}`;
}

/** Without the code, which is for operators. */
function messageOf(error: unknown): string {
  if (!(error instanceof CathedralError)) throw error;
  return `${error.place}: expected ${error.expected}, found ${error.found}`;
}
