import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { parseEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { LEDGER_START, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { type CivicOptions, civicSource } from '../../../pipeline/sources/civic/civic-source.ts';
import {
  type ImportOptions,
  type ImportReport,
  importRows,
} from '../../../pipeline/sources/import/import-rows.ts';
import type { RowSource } from '../../../pipeline/sources/import/source.ts';

const ORIGIN = 'ledger.example/civic';
export const SIGNER = signerFromSeed(ORIGIN, new Uint8Array(32).fill(7));
/** The import's index of events. */
export const INDEX = 'rows-import.db';
const SECRET = new Uint8Array(32).fill(9);

/** Folders for local ledgers, removed at the end of the test. */
export class Folders {
  readonly #made: string[] = [];

  make(): string {
    const above = mkdtempSync(join(tmpdir(), 'civic-test-'));
    this.#made.push(above);
    // The ledger's lock is beside it.
    const folder = join(above, 'ledger');
    mkdirSync(folder);
    return folder;
  }

  remove(): void {
    for (const folder of this.#made.splice(0)) rmSync(folder, { recursive: true });
  }
}

export type ImportSettings = Partial<Omit<CivicOptions, 'baseUrl'>> &
  Partial<Pick<ImportOptions, 'secret' | 'full' | 'auditWindows'>> & { now?: string };

/** An import that never really waits. `now` is an ISO time. */
export async function importInto(
  directory: string,
  baseUrl: string,
  {
    now = '2026-01-01T00:00:00Z',
    secret = SECRET,
    full = false,
    auditWindows = 1,
    ...more
  }: ImportSettings = {},
): Promise<ImportReport> {
  const source = civicSource({ baseUrl, wait: async () => {}, ...more });
  return importFrom(source, directory, { now: () => Date.parse(now), secret, full, auditWindows });
}

/** An import into a ledger of this fixture's key, that does not wait for another. */
export function importFrom(
  source: RowSource,
  directory: string,
  more: Partial<ImportOptions> & Pick<ImportOptions, 'now'>,
): Promise<ImportReport> {
  const keys = { signers: [SIGNER] as const, verifiers: [SIGNER.verifier], secret: SECRET };
  return importRows({ source, directory, ...keys, waitMs: 0, ...more });
}

export interface VerifiedLedger {
  /** Sealed events, then those of the head. */
  events: LedgerEvent[];
  /** The lines of `events`. */
  snapshots: string[];
  head: LedgerEvent[];
}

/** The whole ledger, each snapshot verified with the key and the head's lines parsed and in sequence. */
export async function verifiedLedger(directory: string): Promise<VerifiedLedger> {
  const ledger = openDirectory(directory);
  const snapshots = await ledger.snapshots(null);
  const events: LedgerEvent[] = [];
  let position: LedgerPosition = LEDGER_START;
  for (const file of snapshots) {
    const leaves = readSnapshot(file, position, [SIGNER.verifier]);
    let step = await leaves.next();
    for (; !step.done; step = await leaves.next()) events.push(...step.value.map(({ event }) => event));
    position = step.value.position;
  }
  const head = headLines(directory).map((line, index) =>
    parseEventLine(Buffer.from(line), () => `head.ndjson:${index + 1}`),
  );
  events.push(...head);
  if (events.some(({ seq }, index) => seq !== index))
    throw new Error('the head does not follow the snapshots');
  return { events, snapshots: snapshots.map(({ id }) => id), head };
}

export function headLines(directory: string): string[] {
  const path = join(directory, 'head.ndjson');
  return !existsSync(path) ? [] : readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

/** Path → SHA-256 of all files except the index, which is derived and whose pages depend on its history. */
export function filesOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => name !== INDEX && statSync(join(directory, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, hash('sha256', readFileSync(join(directory, name)))]));
}

/** event_id of each imported event, `!first second` of each fork alert, `!` and the id of any other. */
export function idsOf(events: readonly LedgerEvent[]): string[] {
  return events.map(({ data }) => {
    const source = data.source as { event_id: string } | undefined;
    const fork = data.fork as { events: string[] } | undefined;
    return source?.event_id ?? `!${fork ? fork.events.join(' ') : data.alert}`;
  });
}

/** Row ids in the ledger's order; alerts as `!` and their id. */
export async function rowsIn(directory: string): Promise<string[]> {
  const { events } = await verifiedLedger(directory);
  return events.map(({ data }) => (data.source as { row: string } | undefined)?.row ?? `!${data.alert}`);
}

/** The ids of a table's rows from one to another. */
export function ids(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, n) => `${first + n}`);
}
