import { isAscii } from 'node:buffer';
import { type EventEmitter, on } from 'node:events';
import type { MessagePort, Worker } from 'node:worker_threads';
import { CathedralError, type ErrorCode, type Fault } from '../../errors.ts';
import type { LedgerEvent } from '../events/event.ts';
import type { Leaf, LedgerPosition } from '../log/leaf.ts';
import type { Verifier } from '../notes/note.ts';
import type { SnapshotFile } from './directory.ts';
import type { EventReader } from './event-reader.ts';
import { readBatches, type SnapshotEnd } from './read-snapshot.ts';

/** Snapshots to read in order, the first one after `position`. */
export interface SnapshotTask {
  files: readonly SnapshotFile[];
  position: LedgerPosition;
  verifiers: readonly Verifier[];
}

/** Verified events of a snapshot, or its end once all of them are verified. */
export type SnapshotPart = { leaves: Leaf[]; end?: never } | { leaves?: never; end: SnapshotEnd };

/**
 * What one thread tells the other. Events travel as the text of a JSON array and their hashes as one string: both are copied as
 * bytes, and parsing verified text again is cheaper than copying objects.
 */
type Message =
  | { kind: 'events'; json: string; hashes: string }
  | { kind: 'end'; end: SnapshotEnd }
  | { kind: 'failed'; code: ErrorCode; fault: Fault }
  | { kind: 'done' };

type Batch = Extract<Message, { kind: 'events' }>;

/** Batches on their way at most: some megabytes. */
const MOST_AHEAD = 16;
const HASH_DIGITS = 64;
const LINE_END = 0x0a;
const COMMA = 0x2c;

/** Verifies the snapshots and sends their events through `port`, a bounded number of batches ahead of the receiver. */
export async function sendSnapshots(port: MessagePort, { files, verifiers, ...task }: SnapshotTask) {
  const send = (message: Message) => port.postMessage(message);
  let ahead = 0;
  let taken = Promise.withResolvers<void>();
  port.on('message', () => {
    ahead -= 1;
    taken.resolve();
  });
  let { position } = task;
  try {
    for (const file of files) {
      const batches = readBatches(file, position, verifiers, batchesOf());
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        while (ahead >= MOST_AHEAD) {
          taken = Promise.withResolvers();
          await taken.promise;
        }
        ahead += 1;
        send(next.value);
      }
      const end = next.value;
      send({ kind: 'end', end });
      position = { snapshot: end.snapshot, size: end.size, range: end.range, timestamp: end.timestamp };
    }
    send({ kind: 'done' });
  } catch (cause) {
    if (!(cause instanceof CathedralError)) throw cause;
    const { code, place, expected, found } = cause;
    send({ kind: 'failed', code, fault: { place, expected, found, cause: cause.cause } });
  } finally {
    port.removeAllListeners('message');
  }
}

/** Turns the chunks of one snapshot into batches of whole lines, after the reader has verified them. */
function batchesOf(): (reader: EventReader, chunk: Buffer) => Batch | null {
  let rest: Buffer = Buffer.alloc(0);
  return (reader, chunk) => {
    // A copy: the reader overwrites the chunk.
    const bytes = Buffer.concat([rest, chunk]);
    const leaves = reader.push(chunk);
    const end = bytes.lastIndexOf(LINE_END);
    rest = bytes.subarray(end + 1);
    if (end < 0) return null;
    const lines = bytes.subarray(0, end);
    // JSON has no line end within a string, so each one separates two events.
    for (let at = lines.indexOf(LINE_END); at >= 0; at = lines.indexOf(LINE_END, at + 1)) lines[at] = COMMA;
    const json = `[${lines.toString(isAscii(lines) ? 'latin1' : 'utf8')}]`;
    return { kind: 'events', json, hashes: leaves.map(({ hash }) => hash).join('') };
  };
}

/**
 * What `sendSnapshots` sends. Throws its error after what came before it, and `ledger_unreadable` if the sender ends too early.
 */
export async function* receiveSnapshots(from: MessagePort | Worker): AsyncGenerator<SnapshotPart> {
  try {
    const messages = on(from as EventEmitter, 'message', { close: ['exit', 'close'] });
    for await (const [message] of messages as AsyncIterable<[Message]>) {
      if (message.kind === 'done') return;
      if (message.kind === 'failed') throw new CathedralError(message.code, message.fault);
      if (message.kind === 'end') yield { end: message.end };
      else {
        yield { leaves: leavesOf(message) };
        from.postMessage('taken', []);
      }
    }
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    throw endedEarly((cause as Error).message, cause);
  }
  throw endedEarly('its end before that of the ledger');
}

function leavesOf({ json, hashes }: Batch): Leaf[] {
  const events = JSON.parse(json) as LedgerEvent[];
  return events.map((event, index) => ({
    event,
    hash: hashes.slice(index * HASH_DIGITS, (index + 1) * HASH_DIGITS),
  }));
}

function endedEarly(found: string, cause?: unknown): CathedralError {
  return new CathedralError('ledger_unreadable', {
    place: 'snapshots/',
    expected: 'a thread that reads the ledger to its end',
    found,
    cause,
  });
}
