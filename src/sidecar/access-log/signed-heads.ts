import { createHash } from 'node:crypto';
import { CathedralError } from '../../../pipeline/errors.ts';
import { MAX_NOTE_BYTES, type Verifier } from '../../../pipeline/ledger/notes/note.ts';
import { openNote } from '../../../pipeline/ledger/notes/open-note.ts';
import type { Link } from './entry.ts';
import { entryAt, type LogReader } from './log-reader.ts';

/** Where signed heads are stored; nothing there is ever replaced. */
const HEADS = 'access-log/heads/';
/** `access-log/heads/000000012345-9f86d081884c7d65.note`: in the order of the log. */
const KEY = /^access-log\/heads\/(\d{12,16})-([0-9a-f]{16})\.note$/;
const SEQ_DIGITS = 12;
const HASH_DIGITS = 16;
/** Format, address of the service, seq, hash, and when it was signed. */
const TEXT =
  /^cathedral-access-log-head\/1\n(\S+)\n(\d{1,16})\n([0-9a-f]{64})\n(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;
/** Whether a file of that name is a head; one that is still being written is not. */
export const isHeadName = (name: string) => KEY.test(`${HEADS}${name}`);

/** Notes that are read at once. */
const PARALLEL = 8;

/** An entry of the log as it was signed, or why a stored head is none. */
export type SignedHead = { key: string } & (Link | { fault: CathedralError });

/** Where heads are kept: the bucket of several machines, or the folder of one. */
export interface HeadStore {
  readonly name: string;
  /** In the order of their keys. */
  list(prefix: string): AsyncIterable<{ key: string }>;
  /** Null: there is no such head. */
  read(key: string, maxBytes: number): Promise<{ content: Uint8Array } | null>;
  /** Adds a head whole, or not at all. `refused`: it is there. */
  put(
    key: string,
    head: { bytes: Uint8Array; sha256: string; headers: Record<string, string> },
    when: 'absent',
  ): Promise<unknown>;
}

/** A head that was just signed. */
export interface NewHead extends Link {
  /** A signed note (c2sp.org/signed-note). */
  note: string;
}

export interface HeadSigning {
  log: LogReader;
  store: Pick<HeadStore, 'name' | 'list' | 'put'>;
  /** Address of the service, without a trailing slash. */
  service: string;
  /** Signs a text as a note. */
  signText: (text: string) => string;
  /** ms since 1970, on the clock of the entries. */
  now: number;
}

/**
 * Signs the newest entry of the access log, and with it all before it, and stores the note where nothing is ever replaced. So even
 * somebody who controls the database cannot cut off or rewrite what was logged before, without a verification noticing. Returns
 * the head, or null if there is none or it was signed before. Throws access_log_broken if the log lacks the entry that was signed
 * last; then nothing is signed.
 */
export async function signAccessLogHead({
  log,
  store,
  service,
  signText,
  now,
}: HeadSigning): Promise<NewHead | null> {
  const [head, start] = [await log.readHead(), await log.readStart()];
  const last = await assertHasSigned(log, store);
  if (!head || head.seq <= start.seq || head.seq === last?.seq) return null;
  await assertHolds(log, head, log.name);
  const { seq, hash } = head;
  const text = [service, seq, hash, new Date(now).toISOString()].join('\n');
  const note = signText(`cathedral-access-log-head/1\n${text}\n`);
  const bytes = Buffer.from(note);
  const object = {
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  };
  return (await store.put(headKey(head), object, 'absent')) === 'refused' ? null : { seq, hash, note };
}

/**
 * The entry that was signed last; null if none was, or if it was removed by age. By its name alone: whoever could forge that could remove it as
 * well. Throws access_log_broken if the log lacks the entry, and store_failed.
 */
export async function assertHasSigned(
  log: LogReader,
  store: Pick<HeadStore, 'name' | 'list'>,
): Promise<Link | null> {
  const last = await lastKey(store);
  return last && last.seq > (await log.readStart()).seq
    ? assertHolds(log, last, `${store.name}/${last.key}`)
    : null;
}

/**
 * All signed heads of a store, in the order of the log. A note that is unreadable or that none of the keys signed is returned with
 * its fault. Throws store_failed if the store cannot be read.
 */
export async function readSignedHeads(
  store: Pick<HeadStore, 'list' | 'read'>,
  verifiers: readonly Verifier[],
): Promise<SignedHead[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(HEADS)) keys.push(key);
  const heads: SignedHead[] = [];
  for (let at = 0; at < keys.length; at += PARALLEL) {
    const some = keys.slice(at, at + PARALLEL);
    heads.push(...(await Promise.all(some.map((key) => readHead(store, key, verifiers)))));
  }
  return heads;
}

async function readHead(
  store: Pick<HeadStore, 'read'>,
  key: string,
  verifiers: readonly Verifier[],
): Promise<SignedHead> {
  const note = await store.read(key, MAX_NOTE_BYTES);
  try {
    return { key, ...parseHead(note?.content ?? new Uint8Array(), key, verifiers) };
  } catch (error) {
    if (error instanceof CathedralError) return { key, fault: error };
    throw error;
  }
}

function parseHead(note: Uint8Array, key: string, verifiers: readonly Verifier[]): Link {
  const { text } = openNote(note, verifiers, key);
  const [, , seq, hash] = TEXT.exec(text) ?? [];
  const head = { seq: Number(seq), hash: hash ?? '' };
  if (hash !== undefined && headKey(head) === key) return head;
  const expected = 'a signed head of the access log, under its own name';
  throw new CathedralError('access_log_broken', { place: key, expected, found: text.slice(0, 200) });
}

function headKey({ seq, hash }: Link): string {
  return `${HEADS}${String(seq).padStart(SEQ_DIGITS, '0')}-${hash.slice(0, HASH_DIGITS)}.note`;
}

/** What the name of the newest head says. */
async function lastKey(
  store: Pick<HeadStore, 'list'>,
): Promise<{ key: string; seq: number; hash: string } | null> {
  let last: { key: string; seq: number; hash: string } | null = null;
  for await (const { key } of store.list(HEADS)) {
    const [, seq, hash] = KEY.exec(key) ?? [];
    if (seq && hash && Number(seq) > (last?.seq ?? -1)) last = { key, seq: Number(seq), hash };
  }
  return last;
}

/** `hash` may be the beginning of one. */
async function assertHolds(log: LogReader, { seq, hash }: Link, place: string): Promise<Link> {
  const found = await entryAt(log, seq);
  if (found?.hash.startsWith(hash)) return { seq, hash: found.hash };
  throw new CathedralError('access_log_broken', {
    place,
    expected: `entry ${seq} of ${log.name} with the hash ${hash.slice(0, HASH_DIGITS)}…`,
    found: found ? `${found.hash.slice(0, HASH_DIGITS)}…` : 'no such entry',
  });
}
