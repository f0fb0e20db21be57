import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { software } from '../../pipeline/config/software.ts';
import { nextSlotId } from '../../pipeline/ledger/events/slot.ts';
import { LEDGER_START, type LedgerPosition } from '../../pipeline/ledger/log/leaf.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { SnapshotWriter } from '../../pipeline/ledger/writing/head-and-snapshot-files.ts';
import { recordRun } from '../../src/scheduler/record-run.ts';
import { type BuildParts, build } from '../build/run-build.ts';
import { sampleEvents } from '../ledger/events/sample-events.ts';
import { signer } from '../ledger/test-signer.ts';
import { workingFolder } from './working-folder.ts';

export const NOW = Date.parse('2026-01-02T03:04:05Z');
/** Of events in the snapshots: the log’s first tile is whole with the third, and its partial files go with the fourth. */
const COUNTS = [30, 220, 40, 10];

/** A ledger of so many snapshots, the same each time; nothing in it is disturbed, so it is made once. */
const ledgers = new Map<number, Promise<string>>();

export function ledgerOf(snapshots: number): Promise<string> {
  const made = ledgers.get(snapshots) ?? writeLedger(snapshots);
  ledgers.set(snapshots, made);
  return made;
}

async function writeLedger(snapshots: number): Promise<string> {
  const folder = join(workingFolder(), 'ledger');
  mkdirSync(folder);
  let position: LedgerPosition = LEDGER_START;
  let id = '2025-07-03T06Z';
  for (const count of COUNTS.slice(0, snapshots)) {
    const writer = new SnapshotWriter(folder, position, [signer], { durable: false });
    for (const event of sampleEvents(count, position.size)) await writer.append(event);
    position = await writer.seal(id);
    id = nextSlotId(id);
  }
  return folder;
}

export const outOf = (folder: string) => join(folder, 'out');
export const keysOf = (folder: string) => join(folder, 'keys/publisher.key');

export function publisherOf(folder: string, now: number): NonNullable<BuildParts['publisher']> {
  return { kind: 'signs', keyFile: keysOf(folder), now: () => now };
}

/** Of the data alone. */
export function publisherOptions(folder: string, ledger: string): BuildParts {
  return {
    ledger,
    out: outOf(folder),
    verifiers: [signer.verifier],
    documents: 'data/documents',
    companions: null,
    baseUrl: 'https://data.example.org',
    software: software(),
    rebuild: false,
    site: false,
    print: null,
    publisher: publisherOf(folder, NOW),
    // All but the newest go away at once.
    snapshots: { days: 0 },
    waitMs: 0,
    log: () => {},
  };
}

/** With site, charts, search and the other formats, and without the PDFs, which a browser prints. */
export const WITH_SITE = { site: true } satisfies Partial<BuildParts>;

/** As `cathedral build` does. */
export async function publish(folder: string, snapshots: number, more: Partial<BuildParts> = {}) {
  const options = { ...publisherOptions(folder, await ledgerOf(snapshots)), ...more };
  return recordRun({ out: options.out, software: software(), now: () => NOW }, () => build(options));
}

/** The same run as a command line. */
export async function buildCommand(
  folder: string,
  snapshots: number,
  contents: '--without-site' | '--without-pdf' = '--without-site',
): Promise<string[]> {
  const ledger = await ledgerOf(snapshots);
  const ledgerKey = `${ledger}.vkey`;
  writeFileSync(ledgerKey, `${formatVerifierKey(signer.verifier)}\n`);
  const { out, baseUrl } = publisherOptions(folder, ledger);
  const settings = {
    ledger,
    ledgerKey,
    out,
    publisherKey: keysOf(folder),
    baseUrl,
    snapshotDays: '0',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    value,
  ]);
  return ['build', contents, '--allow-placeholders', ...flags];
}
