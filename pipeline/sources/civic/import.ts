import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../../errors.ts';
import { slotTimestamp } from '../../ledger/events/slot.ts';
import type { Signer } from '../../ledger/notes/note.ts';
import { LedgerWriter } from '../../ledger/writing/ledger-writer.ts';
import { inChainOrder } from './chain.ts';
import { collectFresh } from './collect.ts';
import { type ImportFinding, importEvents } from './import-events.ts';
import { isIndexDamage, type KnownEvents, removeIndex } from './known-events.ts';
import { openLocalLedger } from './local-ledger.ts';
import { type Remote, readPage } from './read-page.ts';
import { Spool } from './spool.ts';

export interface ImportOptions {
  /** Base address of the remote ledger, above `/ledger/events`. */
  baseUrl: string;
  /** Folder of the local ledger, created if missing. */
  directory: string;
  /** Its name is the origin of the local ledger. */
  signer: Signer;
  /** Salts derive from it; at least 16 bytes. With the same secret, a second import gives the same bytes. */
  secret: Uint8Array;
  /** Unix ms. Slots that ended by then are sealed. */
  now: number;
  /** Page size, 1 to 10,000 events. Default 100, as in the production ledger. */
  pageSize?: number;
  /** Time limit of one request, ms. Default 60,000: a hosted ledger may need to wake up. */
  timeoutMs?: number;
  /** Attempts per page. Default 5. */
  attempts?: number;
  /** Read the whole remote ledger and compare every event with what was imported. Default false: `auditPages` of it. */
  full?: boolean;
  /**
   * Number of older pages to compare again, resuming where the previous import stopped. Once the whole past has been compared, the audit
   * starts over. Default 1.
   */
  auditPages?: number;
  /** How long to wait for another import into the same folder, ms. Default 0. */
  waitMs?: number;
  /** Aborts the paging. Nothing is written then. */
  signal?: AbortSignal;
  fetch?: typeof fetch;
  wait?: (ms: number) => Promise<void>;
}

export interface ImportReport {
  /** Number of remote events added to the local ledger. */
  imported: number;
  /** Ids of the new snapshots, oldest first. */
  sealed: string[];
  /** Number of events in the local ledger, including its head. */
  size: number;
  /** Number of events in the head. */
  head: number;
  findings: ImportFinding[];
}

const MIN_SECRET_BYTES = 16;
const MAX_PAGE_SIZE = 10_000;

/**
 * Imports new events of a remote ledger into a local one. Reads and verifies all of them before it writes anything. If it is killed
 * while writing, the next run resumes. Throws `config_invalid`, `import_failed` and the errors of reading and writing a ledger.
 */
export async function importCivicLedger(options: ImportOptions): Promise<ImportReport> {
  try {
    return await importOnce(options);
  } catch (error) {
    // Damage inside the index shows only when it is read. Without the index, the ledger is read instead.
    if (!isIndexDamage(error)) throw error;
    removeIndex(options.directory);
    return importOnce(options);
  }
}

async function importOnce(options: ImportOptions): Promise<ImportReport> {
  const { directory, signer, now, pageSize = 100 } = options;
  const remote = remoteOf(options);
  const writer = await LedgerWriter.open(directory, {
    create: true,
    verifiers: [signer.verifier],
    now: () => now,
    waitMs: options.waitMs ?? 0,
    holder: `import, process ${process.pid}`,
  });
  const spool = new Spool();
  let known: KnownEvents | undefined;
  try {
    known = (await openLocalLedger(directory, [signer.verifier])).known;
    const { fresh, audited, changes, gaps } = await collectFresh({
      readPage: (limit, offset) => readPage(remote, limit, offset),
      known,
      pageSize,
      full: options.full ?? false,
      auditPages: options.auditPages ?? 1,
      spool,
      now,
    });
    const findings: ImportFinding[] = [];
    const isKnown = (hash: string) => gaps.has(hash) || known!.withHash(hash) !== undefined;
    const { snapshot } = writer.sealed;
    const events = importEvents(inChainOrder(fresh, isKnown), {
      spool,
      known,
      findings,
      changes,
      gaps,
      secret: options.secret,
      now,
      place: { seq: writer.end.size, notBefore: writer.notBefore },
      // An event belongs to the slot of its time, so it must be later than the sealed slots.
      sealedUntil: snapshot === null ? null : slotTimestamp(snapshot),
    });
    const { snapshots, position, head } = await writer.seal([signer], {}, events);
    known.save(position, audited);
    const sealed = snapshots.map(({ id }) => id);
    return { imported: fresh.length, sealed, size: position.size + head, head, findings };
  } finally {
    known?.close();
    spool.close();
    writer.close();
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
  // The signal cuts this short; readPage checks it.
  const wait = options.wait ?? ((ms) => sleep(ms, undefined, signal && { signal }).catch(() => undefined));
  return { baseUrl, fetch: options.fetch ?? fetch, wait, signal, timeoutMs, attempts };
}

function badSetting(name: string, expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place: `civic-ledger ${name}`, expected, found });
}
