import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../../errors.ts';
import { formatTimestamp } from '../../words/moment.ts';
import type { LedgerEvent } from '../event.ts';
import type { Signer } from '../note.ts';
import { inChainOrder } from './chain.ts';
import { collectFresh } from './collect.ts';
import { appendEvents, type ImportFinding, importEvents } from './import-events.ts';
import { isIndexDamage, removeIndex } from './known-events.ts';
import { type LocalLedger, openLocalLedger } from './local-ledger.ts';
import { type Remote, readPage } from './read-page.ts';
import { snapshotEnd } from './snapshot-time.ts';
import { Spool } from './spool.ts';

export interface ImportOptions {
  /** The remote ledger's base address; `/ledger/events` is below it. */
  baseUrl: string;
  /** The local ledger's folder, made where it is not there. Only one import may work on it at a time. */
  directory: string;
  signer: Signer;
  /** Names the local ledger; the signing key's name. */
  origin: string;
  /** Salts are made from it, at least 16 bytes: with the same secret, a second import gives the same bytes. */
  secret: Uint8Array;
  /** Unix ms. Slots that are over by then are sealed. */
  now: number;
  /** Events asked for at a time, 1 to 10 000. Default 100, the production ledger's own. */
  pageSize?: number;
  /** For one request with its answer, ms. Default 60 000: a hosted ledger may have to be woken up. */
  timeoutMs?: number;
  /** Requests for one page before giving up. Default 5. */
  attempts?: number;
  /** Read the whole remote ledger and compare every event with what was imported. Default false: `auditPages` of it. */
  full?: boolean;
  /**
   * Pages of the past that are compared again, where the import before left off, until the whole past has been compared
   * and the audit begins anew. Default 1.
   */
  auditPages?: number;
  /** Ends the paging; nothing is written then. */
  signal?: AbortSignal;
  fetch?: typeof fetch;
  wait?: (ms: number) => Promise<void>;
}

export interface ImportReport {
  /** Remote events that are new in the local ledger. */
  imported: number;
  /** Snapshots that were made, oldest first. */
  sealed: string[];
  /** Events in the local ledger, those in its head included. */
  size: number;
  /** Events in the head. */
  head: number;
  findings: ImportFinding[];
}

const MIN_SECRET_BYTES = 16;
const MAX_PAGE_SIZE = 10_000;

/**
 * Brings what is new in a remote ledger into a local one. Reads and verifies all of that before it writes anything;
 * killed while it writes, it leaves a ledger that the next run continues. Throws `config_invalid`, `import_failed` and
 * what reading and writing a ledger throws.
 */
export async function importCivicLedger(options: ImportOptions): Promise<ImportReport> {
  try {
    return await importOnce(options);
  } catch (error) {
    // Damage in the midst of the index is noticed when it is read. Without the index, the ledger is.
    if (!isIndexDamage(error)) throw error;
    removeIndex(options.directory);
    return importOnce(options);
  }
}

async function importOnce(options: ImportOptions): Promise<ImportReport> {
  const { directory, signer, now, pageSize = 100 } = options;
  const remote = remoteOf(options);
  const local = await openLocalLedger(directory, [signer.verifier]);
  const { known, head } = local;
  const spool = new Spool();
  try {
    const { fresh, audited } = await collectFresh({
      readPage: (limit, offset) => readPage(remote, limit, offset),
      known,
      pageSize,
      full: options.full ?? false,
      auditPages: options.auditPages ?? 1,
      spool,
      now,
    });
    const findings: ImportFinding[] = [];
    const inOrder = inChainOrder(fresh, (hash) => known.withHash(hash) !== undefined);
    const place = { ...placeAfter(local), secret: options.secret };
    const events = concat(head, importEvents(inOrder, { spool, known, findings, ...place }));
    const appended = await appendEvents(events, { ...options, position: local.position });
    known.save(appended.position, audited);
    const size = appended.position.size + appended.head.length;
    return { imported: fresh.length, sealed: appended.sealed, size, head: appended.head.length, findings };
  } finally {
    known.close();
    spool.close();
  }
}

function remoteOf(options: ImportOptions): Remote {
  const { pageSize = 100, timeoutMs = 60_000, attempts = 5, secret, signal } = options;
  const baseUrl = URL.parse(options.baseUrl);
  if (!baseUrl || !/^https?:$/.test(baseUrl.protocol) || baseUrl.username || baseUrl.password) {
    throw badSetting(
      'base URL',
      'an http or https address without a password',
      JSON.stringify(options.baseUrl),
    );
  }
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE) {
    throw badSetting('page size', `a number from 1 to ${MAX_PAGE_SIZE}`, `${pageSize}`);
  }
  if (secret.length < MIN_SECRET_BYTES) {
    throw badSetting('secret', `at least ${MIN_SECRET_BYTES} bytes`, `${secret.length}`);
  }
  // Cut short by the signal, which readPage looks at itself.
  const wait = options.wait ?? ((ms) => sleep(ms, undefined, signal && { signal }).catch(() => undefined));
  return { baseUrl, fetch: options.fetch ?? fetch, wait, signal, timeoutMs, attempts };
}

function badSetting(name: string, expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place: `civic-ledger ${name}`, expected, found });
}

function placeAfter({ position, head }: LocalLedger) {
  // An event belongs to the slot of its time, so none may be as early as the slots that are sealed.
  const sealedUntil = position.snapshot === null ? null : formatTimestamp(snapshotEnd(position.snapshot));
  const notBefore = head.at(-1)?.timestamp ?? sealedUntil;
  return { place: { seq: position.size + head.length, notBefore }, sealedUntil };
}

function* concat(...lists: Iterable<LedgerEvent>[]): Generator<LedgerEvent> {
  for (const list of lists) yield* list;
}
