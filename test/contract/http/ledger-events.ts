import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { sha256 } from './table.ts';

interface Row {
  timestamp: string;
  event_type: string;
  agent: string;
  data: unknown;
  attestation_hash: string;
  /** Not a column. */
  cycle: string;
}

const READ = new Map<string, Row[]>();

/** Every event of a ledger, newest first, read from its files alone. */
function eventsOf(ledger: string): Row[] {
  const known = READ.get(ledger) ?? readEvents(ledger);
  READ.set(ledger, known);
  return known;
}

function readEvents(ledger: string): Row[] {
  const folder = join(ledger, 'snapshots');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson.zst'))
    .toSorted();
  const lines = files.flatMap((name) =>
    zstdDecompressSync(readFileSync(join(folder, name)))
      .toString()
      .split('\n'),
  );
  return lines
    .filter(Boolean)
    .map((line) => {
      const { timestamp, type, agent, data, cycle } = JSON.parse(line) as Record<string, string>;
      const attestation_hash = `0x${sha256(`\0${line}`)}`;
      return {
        timestamp: timestamp!,
        event_type: type!,
        agent: agent!,
        data,
        attestation_hash,
        cycle: cycle!,
      };
    })
    .toReversed();
}

/** `csv event_type=mic_* agent=ATLAS,AUREA or cycle!=C-180`: words are joined by and, groups by or. A time is `from=` or `until=`. */
function isMeant(row: Row, condition: string): boolean {
  if (condition === '') return true;
  return condition.split(' or ').some((group) => group.split(' ').every((word) => isSo(row, word)));
}

function isSo(row: Row, word: string): boolean {
  const [, name = '', not, list = ''] = /^(\w+)(!?)=(.*)$/.exec(word)!;
  if (name === 'from') return row.timestamp >= list;
  if (name === 'until') return row.timestamp <= list;
  const value = row[name as 'agent'];
  const isIn = list
    .split(',')
    .some((one) => (one.endsWith('*') ? value.startsWith(one.slice(0, -1)) : value === one));
  return isIn === (not === '');
}

/** How an export differs from the ledger; empty if it has exactly the events that are meant. */
export function areEvents(meant: string, text: string, ledger: string): string[] {
  const [format = '', ...condition] = meant.split(' ');
  const expected = eventsOf(ledger).filter((row) => isMeant(row, condition.join(' ')));
  const found = read(format, text);
  const sorted = ({ timestamp, event_type, agent, data, attestation_hash }: Omit<Row, 'cycle'>) =>
    JSON.stringify([timestamp, event_type, agent, data, attestation_hash]);
  if (expected.length === 0) return [`no event is meant by ${meant}`];
  if (found.length !== expected.length) return [`expected ${expected.length} events, found ${found.length}`];
  const at = found.findIndex((row, index) => sorted(row) !== sorted(expected[index]!));
  return at < 0 ? [] : [`event ${at}: expected ${sorted(expected[at]!)}, found ${sorted(found[at]!)}`];
}

function read(format: string, text: string): Row[] {
  if (format === 'csv') {
    const rows = parse(text, { columns: true, record_delimiter: '\n' }) as (Omit<Row, 'data'> & {
      data: string;
    })[];
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
  }
  if (format === 'ndjson')
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
  const { events, count, complete } = JSON.parse(text) as { events: Row[]; count: number; complete: boolean };
  if (count !== events.length || complete !== true)
    throw new Error('the document says that it is not complete');
  return events;
}
