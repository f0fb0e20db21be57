/** Appends a file of events to a ledger, or only validates them. */
import { LedgerFindings } from '../../../pipeline/ledger/check/findings.ts';
import { completeEvent, type EventDraft, warningsOf } from '../../../pipeline/ledger/events/draft.ts';
import { LedgerWriter } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { Batch } from '../../../pipeline/sources/append/batch.ts';
import { openInput, readRowFile } from '../../../pipeline/sources/rows/event-rows.ts';
import { report } from '../child.ts';
import { DEMO_VERIFIER } from '../demo-verifier.ts';

const [mode, ledger, path] = process.argv.slice(2) as [string, string, string];
const now = () => Date.parse('2026-10-20T00:00:00Z');
const input = openInput(path, process.stdin);

await report(mode === 'append' ? append : validate);

async function append(): Promise<void> {
  const options = { verifiers: [DEMO_VERIFIER], now, waitMs: 0, holder: 'a benchmark' };
  const writer = await LedgerWriter.open(ledger, options);
  const batch = new Batch({ findings: new LedgerFindings(), strict: false, sort: false, several: false });
  const files = async function* () {
    yield await readRowFile(input);
  };
  const { count } = await writer.append(batch.drafts(files()), batch.appendOptions);
  writer.close();
  console.error(`  appended: ${count} events`);
}

/** The same parse and the same check of each event, and nothing else. */
async function validate(): Promise<void> {
  let [seq, warnings] = [0, 0];
  let notBefore: string | null = null;
  for await (const rows of (await readRowFile(input)).rows) {
    for (const { draft } of rows) {
      const event = completeEvent(draft as EventDraft, { seq, notBefore, now: now() });
      warnings += warningsOf(event).length;
      notBefore = event.timestamp;
      seq += 1;
    }
  }
  console.error(`  validated: ${seq} events, ${warnings} warnings`);
}
