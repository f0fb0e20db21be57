import { readFileSync } from 'node:fs';
import { CathedralError } from '../../errors.ts';
import { writeFileAtomically } from '../atomic-file.ts';
import type { LedgerEvent } from '../event.ts';
import { formatEventLine } from '../event-line.ts';
import { parseExactLine } from './exact-event.ts';

/**
 * The events of `head.ndjson` from seq `size` on; those before are sealed already. They print as the same bytes.
 * Throws `ledger_corrupt`, `ledger_order` or `ledger_unreadable`.
 */
export function readHeadEvents(path: string, size: number): LedgerEvent[] {
  // What follows the last line end is a line that is not there yet.
  const lines = readText(path).split('\n').slice(0, -1);
  const events = lines.map((line, index) => parseHeadLine(line, `head.ndjson:${index + 1}`));
  const head = events.filter(({ seq }) => seq >= size);
  head.forEach(({ seq }, index) => {
    if (seq === size + index) return;
    throw new CathedralError('ledger_order', {
      place: 'head.ndjson',
      expected: `seq ${size + index}`,
      found: `seq ${seq}`,
    });
  });
  return head;
}

/** Replaces `head.ndjson`. */
export function writeHeadEvents(path: string, events: readonly LedgerEvent[]): void {
  writeFileAtomically(path, events.map((event) => `${formatEventLine(event)}\n`).join(''), true);
}

function parseHeadLine(line: string, place: string): LedgerEvent {
  try {
    const event = parseExactLine(line);
    if (event) return event;
  } catch (cause) {
    throw corrupt(line, place, cause);
  }
  throw corrupt(line, place);
}

function corrupt(line: string, place: string, cause?: unknown): CathedralError {
  const found = JSON.stringify(line.slice(0, 80));
  return new CathedralError('ledger_corrupt', { place, expected: 'a line of an import', found, cause });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new CathedralError('ledger_unreadable', {
      place: path,
      expected: 'a readable file',
      found: `${code}`,
      cause,
    });
  }
}
