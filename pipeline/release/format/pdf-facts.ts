import { CathedralError } from '../../errors.ts';

const AUTHOR = 'Cathedral Data Service';

/** The document information as Chromium writes it, uncompressed; the text of Creator is the browser's user agent. */
const CREATOR = /\/Creator \((?:[^()\\]|\\.)*\)/g;
/** `/CreationDate (D:20260301115500+00'00')` */
const TIMES = /(\/(?:Creation|Mod)Date) \(D:\d{14}\+00'00'\)/g;

/** Names of the tagged elements. Chromium numbers them from a counter that varies with its start-up. */
const NODES = /\bnode(\d{8})\b/g;

/** Chromium repeats a heading in the outline if it moved it to the next sheet: `(1. Title1. Title)`. */
const TWICE = /\/Title \(([^\n]+)\1\)/g;

/**
 * Replaces the time of printing by the data's time, adds an author, numbers the elements from one and removes repeated outline
 * titles. Each replacement keeps its length, because the file's cross-reference table holds byte offsets.
 */
export function withFacts(pdf: Uint8Array, asOf: string, place: string): Uint8Array {
  const text = Buffer.from(pdf).toString('latin1');
  const digits = new Date(asOf).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const creator = `/Author (${AUTHOR}) /Creator (${AUTHOR})`;
  const [found = ''] = text.match(CREATOR) ?? [];
  const counts = [text.match(CREATOR)?.length, text.match(TIMES)?.length];
  if (counts.join() !== '1,2' || found.length < creator.length) {
    const expected = 'a PDF with one Creator and two times, as the tested versions of Chromium write it';
    throw new CathedralError('site_failed', { place, expected, found: `${counts.join(' and ')}, ${found}` });
  }
  const nodes = [...new Set(text.match(NODES))].sort();
  const names = new Map(nodes.map((name, index) => [name, `node${String(index + 1).padStart(8, '0')}`]));
  const changed = text
    .replace(CREATOR, creator.padEnd(found.length))
    .replaceAll(TIMES, `$1 (D:${digits}+00'00')`)
    .replaceAll(NODES, (name) => names.get(name)!)
    .replaceAll(TWICE, (twice, title: string) => `/Title (${title})`.padEnd(twice.length));
  return Buffer.from(changed, 'latin1');
}
