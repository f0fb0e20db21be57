import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import type { Citation } from '../../../pipeline/artifacts/format/bibtex.ts';
import type { CitedRecord } from '../../../pipeline/formats/catalogue/record-citation.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';

/** Something short that is said about a record, with a link to it or not. */
export interface Note {
  /** In front of the link: `closed in`. */
  before?: string | undefined;
  text: string;
  href?: string | undefined;
  /** Drawn in front of the text for readers who cannot tell the colours apart. Screen readers skip it. */
  mark?: string;
  class?: string;
}

/** A record in a list. */
export interface Row {
  href: string;
  title: string;
  /** The day, in words; empty while it has none. */
  when: string;
  notes: readonly Note[];
}

/** A position, a dissent or an earlier record below the heading of a page. */
export interface Item {
  /** Makes the item an anchor, `position-1`. */
  id?: string;
  title: string;
  /** Where the title leads. */
  href?: string | undefined;
  notes: readonly Note[];
  texts: readonly { text: string; day: string; before?: string }[];
  /** What the item says where it has no text. */
  otherwise?: string;
}

/** What each page of a record has around its own text. */
export interface RecordView {
  /** The path of the page. */
  href: string;
  area: Area;
  /** Of the document; the heading is in full. */
  title: string;
  heading: string;
  description: string;
  /** The kind by its term in the glossary, and what follows it. */
  label: { term?: string; words: string };
  /** Below the heading. */
  notes: readonly Note[];
  /** What stands beside the text. */
  facts: readonly (readonly [name: string, notes: readonly Note[]])[];
  /** What to cite: the record, or a paper. Null while it is not over. */
  cited: CitedRecord | Citation | null;
  /** In schema.org’s terms, beside what all records have. */
  jsonLd?: { '@type': string; [member: string]: unknown };
  /** The list that it belongs to. */
  above: { href: string; label: string };
  /** The records before and after it. */
  earlier?: { href: string; title: string } | null | undefined;
  later?: { href: string; title: string } | null | undefined;
  /** The time of its figures, for a page that shows those of the release. */
  asOf?: string;
}

/** A note, unless there is nothing to say. */
export function noteOf(text: string | false | null | undefined, more: Omit<Note, 'text'> = {}): Note[] {
  return text ? [{ ...more, text }] : [];
}

/** A link to the proof of an event; nothing where its index in the log is not known. */
export function eventNote(index: number | null | undefined, before?: string): Note[] {
  const href = `/verification/?event=${index}#event`;
  return noteOf(index != null && `event ${formatNumber(index)}`, { before, href });
}

/** The text of an item; none if it is empty. */
export function textsOf(text: string, day: string, before?: string): Item['texts'] {
  return text.trim() === '' ? [] : [{ text, day, ...(before && { before }) }];
}
