import { CathedralError } from '../../errors.ts';

/** The document information as Chromium writes it, uncompressed; the text of Creator is the browser's user agent. */
const CREATOR = /\/Creator \((?:[^()\\]|\\.)*\)/g;
/** `/CreationDate (D:20260301115500+00'00')` */
const TIMES = /(\/(?:Creation|Mod)Date) \(D:\d{14}\+00'00'\)/g;

/** Names of the tagged elements. Chromium numbers them from a counter that varies with its start-up. */
const NODES = /\bnode(\d{8})\b/g;

/** Chromium repeats a heading in the outline if it moved it to the next sheet: `(1. Title1. Title)`. */
const TWICE = /\/Title \(([^\n]+)\1\)/g;

/** What a reader of the document information is told. */
export interface PdfFacts {
  /** ISO 8601; it replaces the time of printing. */
  asOf: string;
  author: string;
  /** For messages. */
  place: string;
}

/**
 * Replaces the time of printing by the data's time, and the browser's name by the author; numbers the elements from one and removes
 * repeated outline titles. All but the author keep their length, because the file's cross-reference table holds byte offsets.
 */
export function withFacts(pdf: Uint8Array, { asOf, author, place }: PdfFacts): Uint8Array {
  const text = Buffer.from(pdf).toString('latin1');
  const digits = new Date(asOf).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const [found = ''] = text.match(CREATOR) ?? [];
  const counts = [text.match(CREATOR)?.length, text.match(TIMES)?.length];
  if (counts.join() !== '1,2') {
    const expected = 'a PDF with one Creator and two times, as the tested versions of Chromium write it';
    throw new CathedralError('print_failed', { place, expected, found: `${counts.join(' and ')}, ${found}` });
  }
  const nodes = [...new Set(text.match(NODES))].sort();
  const names = new Map(nodes.map((name, index) => [name, `node${String(index + 1).padStart(8, '0')}`]));
  const changed = text
    .replaceAll(TIMES, `$1 (D:${digits}+00'00')`)
    .replaceAll(NODES, (name) => names.get(name)!)
    .replaceAll(TWICE, (twice, title: string) => `/Title (${title})`.padEnd(twice.length));
  return Buffer.from(withAuthor(changed, found, author), 'latin1');
}

/** Puts the author in the place of `creator`, and moves the offsets of all that follows. */
function withAuthor(text: string, creator: string, author: string): string {
  const name = pdfText(author);
  const written = `/Author ${name} /Creator ${name}`;
  const [at, table] = [text.indexOf(creator), text.lastIndexOf('\nxref\n')];
  const moved = (offset: string) =>
    Number(offset) + (Number(offset) > at ? written.length - creator.length : 0);
  const offsets = text
    .slice(table)
    .replaceAll(/^(\d{10})(?= \d{5} n)/gm, (offset) => String(moved(offset)).padStart(10, '0'))
    .replace(/(?<=startxref\n)\d+/, (offset) => String(moved(offset)));
  return text.slice(0, at) + written + text.slice(at + creator.length, table) + offsets;
}

/** A text string (ISO 32000-1, 7.9.2.2): UTF-16 with a byte order mark, in hex, so that any name fits. */
function pdfText(text: string): string {
  return `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;
}
