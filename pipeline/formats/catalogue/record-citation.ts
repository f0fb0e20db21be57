import { citedData } from '../../artifacts/academics/citations.ts';
import { permanentPathOfSource } from '../../artifacts/as-of.ts';
import { licenceWords, type Organisation } from '../../artifacts/documents/organisation.ts';
import type { Citation } from '../../artifacts/format/bibtex.ts';
import { sentinelStatus } from '../../artifacts/government/sentinel-status.ts';
import { formatDay } from '../../words/moment.ts';
import { formatNumber } from '../../words/number.ts';

/** What a page of the ledger's records is about. */
export interface CitedRecord {
  kind: 'decision' | 'deliberation' | 'sentinel';
  /** The path of its page. */
  href: string;
  title: string;
  /** The day of the record, or the time of the figures. */
  date: string;
  /** The events in the log that it follows from, the first and the last; null where they are not known. */
  events: readonly [first: number, last: number] | null;
}

/**
 * The citation of a record, in the form of those of files. Its page stays at its address for good, so that is what is cited; the events
 * say which record it is, even if a later one has the same id. It contains nothing that a later event changes.
 */
export function citeRecord(
  { organisation, baseUrl, origin }: { organisation: Organisation; baseUrl: string; origin: string },
  record: CitedRecord,
): Citation {
  const { kind, href, title, date, events } = record;
  const slug = href.split('/').at(-2)!.toLowerCase();
  return {
    key: `cathedral_${kind}_${slug}`.replaceAll(/[^a-z0-9]/g, '_'),
    ...citedData(organisation),
    kind,
    title,
    year: date.slice(0, 4),
    url: baseUrl + href,
    note: [
      TIMES[kind](date),
      `Ledger ${origin}${events ? `, ${eventWords(events)}` : ''}.`,
      `${licenceWords(organisation)}.`,
    ].join(' '),
    // The page of a sentinel shows its present state; the others stay.
    permanent:
      kind === 'sentinel'
        ? `Figures at that time: ${baseUrl}/${permanentPathOfSource(sentinelStatus.path, date)}`
        : null,
    asOf: date,
  };
}

/** What the time of a record is. */
const TIMES: Readonly<Record<CitedRecord['kind'], (date: string) => string>> = {
  decision: (day) => `Recorded on ${formatDay(day)}.`,
  deliberation: (day) => `Closed on ${formatDay(day)}.`,
  sentinel: (time) => `State of the ledger at ${time}.`,
};

function eventWords([first, last]: readonly [number, number]): string {
  return first === last
    ? `event ${formatNumber(first)}`
    : `events ${formatNumber(first)} to ${formatNumber(last)}`;
}
