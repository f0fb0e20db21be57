import type { CathedralError, ErrorCode } from '../../errors.ts';
import type { EventWarning } from '../events/draft.ts';

/** What each warning means. Those of events are also in `EventWarning`. */
export const WARNINGS = {
  type: 'A type that the service does not know is near one that it knows: `mint` for `mic_mint`. The fold ignores these events.',
  member:
    'The same for a member of `data`; or a row of JSON lacks a member that the mapping file names, and has one with nearly that name, or no row has it.',
  id: 'A spreadsheet would change this id, or it needs escaping in an address.',
  cycle: 'The cycle is not that of the event’s day.',
  name: 'The name differs from one in an event before it only by white space, case, normal form, a kind of dash or apostrophe, or a Cyrillic letter that looks like a Latin one.',
  value:
    'The value is the error of a spreadsheet, such as `#REF!`, or a text that pandas, R and others read as a missing one, such as `NA`, `None`, `null` or `nan`, also as an id; or a time that programs write for a missing one, such as `0001-01-01T00:00:00Z`, or with a year of two digits that were filled up, `0026`; or a text that was read in a wrong encoding, such as `MÃ¼ller`.',
  quote:
    'Of a CSV file that is appended: a cell has lines that are rows by themselves, so a quote may not be closed.',
  fold: 'The event contradicts others. The service publishes an alert.',
  clock: 'The event is later than the clock of this machine.',
  slot: 'The event is in a ledger snapshot, but not before the end of its slot.',
  unsealed:
    'The slot of the event has ended, and the event is still in the head: run `cathedral ledger seal`.',
  unfinished: 'A writer was killed, or is writing now. The next writer finishes or removes what it left.',
  stray: 'The folder contains something that does not belong to a ledger.',
  origin: 'The log origin changes within the ledger.',
  key: 'A signing key can be read by others, or is in the folder of the ledger, where everybody who copies it gets it.',
} as const satisfies Record<EventWarning['kind'], string> & Record<string, string>;

export type WarningKind = keyof typeof WARNINGS;

/** An error makes readers refuse the ledger. A warning is probably a mistake. */
export interface LedgerFinding {
  severity: 'error' | 'warning';
  /** An error's code, or the kind of a warning. */
  code: ErrorCode | WarningKind;
  /** The first place, if there are several. */
  place: string;
  message: string;
  /** How many places have it. */
  count: number;
}

/** A ledger can have a finding per event. This many of each code are listed, and the others are counted. */
const MAX_LISTED = 100;

/** The findings of a check, in bounded memory. */
export class LedgerFindings {
  readonly #listed = new Map<string, LedgerFinding>();
  readonly #codes = new Map<string, number>();
  /** How many findings of each code are not listed. */
  readonly more = new Map<LedgerFinding['code'], number>();

  /** In the order in which they were found. */
  get listed(): LedgerFinding[] {
    return [...this.#listed.values()];
  }

  /** Two readers may report the same error. It is listed once for each code and place. */
  error({ code, place, expected, found }: CathedralError): void {
    const finding = { severity: 'error', code, place, count: 1 } as const;
    if (!this.#listed.has(`${code} ${place}`))
      this.#add(`${code} ${place}`, { ...finding, message: `expected ${expected}, found ${found}` });
  }

  /** Warnings with the same `key`, by default the place, are one finding with a count. */
  warn(code: WarningKind, place: string, message: string, key = place): void {
    const known = this.#listed.get(`${code} ${key}`);
    if (known) known.count += 1;
    else this.#add(`${code} ${key}`, { severity: 'warning', code, place, message, count: 1 });
  }

  #add(key: string, finding: LedgerFinding): void {
    const { code } = finding;
    const count = (this.#codes.get(code) ?? 0) + 1;
    this.#codes.set(code, count);
    if (count <= MAX_LISTED) this.#listed.set(key, finding);
    else this.more.set(code, count - MAX_LISTED);
  }
}
