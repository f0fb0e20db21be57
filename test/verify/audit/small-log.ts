import { csvRow } from '../../../pipeline/artifacts/format/csv.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import { sampleEvents } from '../../ledger/events/sample-events.ts';
import { FIRST_SLOT, signer, writeSnapshot } from '../../ledger/test-ledger.ts';
import { publishLog } from '../../release/log/publish-log.ts';

export const VERIFIERS = [signer.verifier];
export const EVENTS = 700;

/** Three events of each moment, which is written in two ways; agents whose cells and strings need quoting. */
export const events: LedgerEvent[] = sampleEvents(EVENTS).map((event, index, all) => ({
  ...event,
  timestamp: all[index - (index % 3)]!.timestamp.replace('Z', index % 3 === 1 ? '.0Z' : 'Z'),
  agent: index % 50 === 7 ? 'The "Council", third \\ chamber' : event.agent,
}));

export const hashOf = (event: LedgerEvent) => leafHash(Buffer.from(formatEventLine(event)));

/** A ledger of these events in a folder, and its log in another. */
export async function publishSmallLog(ledger: string, out: string, of = events): Promise<void> {
  await publishLog(out, ledger, await writeSnapshot(ledger, FIRST_SLOT, LEDGER_START, of));
}

type Form = 'csv' | 'json' | 'ndjson';

export const CSV_HEADER = 'timestamp,event_type,agent,data,attestation_hash';

/** Rows of an export, newest first, without their line ends. */
export function rowsOf(form: Form, chosen: readonly LedgerEvent[] = events): string[] {
  return chosen.toReversed().map((event) => {
    const attestation_hash = `0x${hashOf(event)}`;
    const { timestamp, type: event_type, agent, data } = event;
    if (form === 'csv')
      return csvRow([timestamp, event_type, agent, JSON.stringify(data), attestation_hash]).slice(0, -1);
    return JSON.stringify({ timestamp, event_type, agent, data, attestation_hash });
  });
}

/** A file of these rows as the service writes it. */
export function fileOf(
  form: Form,
  rows: readonly string[],
  head = { from: null, to: null, filter: null } as object,
): string {
  if (form === 'csv') return `${[CSV_HEADER, ...rows].join('\n')}\n`;
  if (form === 'ndjson') return rows.map((row) => `${row}\n`).join('');
  const body = rows.length === 0 ? '' : `\n${rows.join(',\n')}\n`;
  return `${JSON.stringify(head).slice(0, -1)},"events":[${body}],"count":${rows.length},"complete":true}\n`;
}
