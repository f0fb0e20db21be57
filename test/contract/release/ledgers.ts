import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { NASTY_LEDGER } from './nasty-events.ts';
import { cathedral } from './program.ts';
import { type PublishOptions, writeDemo, writeEvents } from './seam.ts';

export interface Ledger {
  /** Folder of the publisher's documents. */
  documents: string;
  /** Verifier key. */
  key: string;
  /** The publisher's clock. */
  now: string;
  contents: PublishOptions['contents'];
  /** What the other machine publishes; a run of it takes seconds. Default: the same. */
  elsewhere?: PublishOptions['contents'];
  /** Ids of snapshots after which a run publishes. */
  runs: readonly (string | undefined)[];
}

const DEMO = resolve(import.meta.dirname, '../../../data/documents');
const OWN = join(import.meta.dirname, 'own.documents');

/** Each writes its ledger into a folder that is empty or missing. */
export const LEDGERS: Readonly<Record<string, (ledger: string) => Promise<Ledger>>> = {
  demo: async (ledger) => ({
    key: await writeDemo(ledger, '2025-12-03', '2026-01-02'),
    documents: DEMO,
    contents: 'charts',
    elsewhere: 'data',
    now: '2026-01-02T01:00:00Z',
    // One in the last day of a year and two in the first day of the next.
    runs: ['2025-12-31T12Z', '2026-01-01T12Z', undefined],
  }),
  own: async (ledger) => ({
    key: await importCsv(ledger),
    documents: OWN,
    contents: 'charts',
    now: '2026-02-01T01:00:00Z',
    runs: ['2026-01-10T12Z', '2026-01-12T12Z', undefined],
  }),
  nasty: async (ledger) => ({
    key: await writeEvents(ledger, NASTY_LEDGER.map(slotOf)),
    documents: DEMO,
    // The charts are drawn of it in the sweep of nasty ledgers.
    contents: 'formats',
    now: '2026-01-02T03:04:05Z',
    runs: ['2025-07-03T06Z', '2025-07-03T12Z', undefined],
  }),
};

/** Which slot the events are sealed in does not follow from their times. */
function slotOf(events: (typeof NASTY_LEDGER)[number], index: number) {
  const id = ['2025-07-03T06Z', '2025-07-03T12Z', '2025-07-03T18Z', '2025-07-04T00Z'][index]!;
  const written = events.map(([timestamp, type, agent, data]) => {
    const day = Math.floor((Date.parse(timestamp) - Date.parse('2025-07-03')) / 86_400_000);
    return { timestamp, cycle: `C-${Math.max(day, 0)}`, type, agent, data };
  });
  return [id, written] as const;
}

/** What an organisation has that keeps its events in a CSV file: the ledger that `cathedral build` imports. */
async function importCsv(ledger: string): Promise<string> {
  const folder = `${ledger}.import`;
  await mkdir(folder, { recursive: true });
  const [csv, key] = [join(folder, 'own.csv'), join(folder, 'import.key')];
  await copyFile(join(import.meta.dirname, 'own.csv'), csv);
  await writeFile(key, `${'5'.repeat(64)}\n`, { mode: 0o600 });
  const source = ['--ledger', `csv+file:${csv}`, '--import-folder', ledger, '--import-key', key];
  const how = ['--documents', OWN, '--out', join(folder, 'out'), '--without-site'];
  await cathedral(['build', ...source, ...how], folder);
  return (await readFile(`${ledger}.vkey`, 'utf8')).trim();
}
