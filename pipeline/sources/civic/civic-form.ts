import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import type { NextPlace } from '../../ledger/events/draft.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { formatEventLine } from '../../ledger/events/event-line.ts';
import { IMPORT_AGENT } from '../../ledger/events/import-alert.ts';
import { utcTimestamp } from '../../ledger/events/timestamp.ts';
import type { KnownRow } from '../import/row-index.ts';
import type { RowFinding, RowForm, SourceRow, WriteContext, Written } from '../import/source.ts';
import { convertEvent, forkAlert, type Kept } from './convert.ts';
import type { RemoteEvent } from './remote-event.ts';

/** The members of `data.source` that are needed to continue from an imported event, with the remote event's names. */
const Source = z.object({
  event_id: z.string(),
  event_hash: z.string(),
  previous_hash: z.string(),
  timestamp: z.string(),
});

/** How the events of a remote ledger are imported. */
export const CIVIC_FORM: RowForm = {
  noun: 'event',
  names: { id: 'event_id', digest: 'event_hash' },
  other: 'another ledger, or an older copy of it',
  refusesEmpty: true,
  salts: (secret) => (_, about) =>
    createHmac('sha256', secret).update(about).digest().subarray(0, 16).toString('base64url'),
  rowOf: importedRow,
  // An event whose clock went back has the time of its predecessor, and is not late for that.
  isLate: (own, _, sealedUntil) => Date.parse(own) < sealedUntil,
};

function importedRow({ seq, type, agent, data }: LedgerEvent): KnownRow | null {
  const source = Source.safeParse(data.source);
  if (source.success) return knownRow(source.data, source.data.event_hash);
  if (agent === IMPORT_AGENT && !Object.hasOwn(data, 'source')) return null;
  throw new CathedralError('import_failed', {
    place: `event ${seq}`,
    expected: 'an imported event, with data.source',
    found: `one of type ${type} without: this ledger is another one`,
  });
}

function knownRow(
  { event_id, previous_hash, timestamp }: Omit<z.output<typeof Source>, 'event_hash'>,
  digest: string,
): KnownRow {
  const link = { hash: digest, before: previous_hash };
  return { id: event_id, timestamp: utcTimestamp(timestamp), digest, link };
}

/** `digest`: the hash of its content. */
export function remoteRow(event: RemoteEvent, digest: string): SourceRow {
  return { ...knownRow(event, digest), event: (next, context) => write(event, next, context) };
}

/** After an event that forks, an alert as well. */
function write(remote: RemoteEvent, { seq, notBefore }: NextPlace, { salt, index }: WriteContext): Written {
  const { event_id, previous_hash } = remote;
  const { event, line, kept } = convertEvent(remote, { seq, notBefore }, salt(seq, event_id));
  const events = [{ event, line }];
  const findings: RowFinding[] = kept === 'members' ? [] : [keptFinding(event_id, kept)];
  const first = index.firstAfter(previous_hash);
  if (first !== null) {
    const next = { seq: seq + 1, timestamp: event.timestamp };
    const alert = forkAlert(first, remote, next, salt(next.seq, `fork ${event_id}`));
    findings.push({ kind: 'fork', rows: [event_id], message: `${alert.data.message}` });
    events.push({ event: alert, line: formatEventLine(alert) });
  }
  return { events, findings };
}

function keptFinding(event_id: string, kept: Exclude<Kept, 'members'>): RowFinding {
  const message =
    kept === 'text'
      ? `A member of the payload of ${event_id} has a name or a number that readers may misread.`
      : `The payload of ${event_id} does not fit a line of the ledger.`;
  return { kind: `payload_as_${kept}`, rows: [event_id], message };
}
