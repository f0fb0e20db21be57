import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildReport } from '../../pipeline/build/build.ts';
import { check } from '../../pipeline/build/check.ts';
import type { Finding } from '../../pipeline/errors.ts';
import { SLOT_MS, slotId } from '../../pipeline/ledger/events/slot.ts';
import { LEDGER_START, type LedgerPosition } from '../../pipeline/ledger/log/leaf.ts';
import { SnapshotWriter } from '../../pipeline/ledger/writing/head-and-snapshot-files.ts';
import { type BuildParts, build } from '../build/run-build.ts';
import type { NastyLedger } from '../contract/release/nasty-events.ts';
import { textsBelow } from '../files-below.ts';
import { signer } from '../ledger/test-signer.ts';
import { cycleLabel } from '../model/cycle.ts';

const FIRST = Date.parse('2025-07-03T06:00:00Z');
const slotOf = (index: number) => slotId(FIRST + index * SLOT_MS);

/** Writes the ledger into `folder`/ledger. Which slot events are sealed in does not follow from their times. */
async function writeNastyLedger(folder: string, ledger: NastyLedger): Promise<void> {
  const path = join(folder, 'ledger');
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  let position: LedgerPosition = LEDGER_START;
  for (const [index, events] of ledger.entries()) {
    const writer = new SnapshotWriter(path, position, [signer], { durable: false });
    for (const [timestamp, type, agent, data, cycle = cycleOf(timestamp)] of events)
      await writer.append({
        seq: writer.end.size,
        timestamp,
        cycle,
        type,
        agent,
        data,
        salt: 'A'.repeat(22),
      });
    position = await writer.seal(slotOf(index));
  }
}

function cycleOf(timestamp: string): string {
  return timestamp < '2025-07-03' ? 'C-0' : cycleLabel(timestamp);
}

function nastyOptions(folder: string, out: string, more: Partial<BuildParts> = {}): BuildParts {
  return {
    ledger: join(folder, 'ledger'),
    out: join(folder, out),
    verifiers: [signer.verifier],
    documents: 'data/documents',
    companions: null,
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service/test',
    rebuild: false,
    site: false,
    extras: true,
    charts: true,
    print: null,
    publisher: {
      kind: 'signs',
      keyFile: join(folder, `${out}.key`),
      now: () => Date.parse('2026-01-02T03:04:05Z'),
    },
    snapshots: { days: 366 },
    waitMs: 0,
    log: () => {},
    ...more,
  };
}

export interface Published {
  /** Of the last run. */
  report: BuildReport;
  /** Every file of the release by its path in it, as Latin-1. */
  files: Readonly<Record<string, string>>;
  /** What a check finds, which makes everything again from genesis: the runs gave what one run gives. */
  problems: Finding[];
}

/** Publishes the ledger with a run for each snapshot, and checks the last release. */
export async function publishNasty(
  folder: string,
  ledger: NastyLedger,
  more: Partial<BuildParts> = {},
): Promise<Published> {
  await writeNastyLedger(folder, ledger);
  const options = nastyOptions(folder, 'out', more);
  // Before the first event there is nothing to publish.
  const first = ledger.findIndex((events) => events.length > 0);
  for (let index = first; index < ledger.length; index += 1)
    await build({ ...options, site: false, charts: false, until: slotOf(index) });
  const problems = await check(options);
  // Pages and pictures are made of files that were just compared: once is enough.
  const report = await build(options);
  return { report, files: textsBelow(join(options.out, 'current'), 'latin1'), problems };
}
