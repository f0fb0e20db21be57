import { isDeepStrictEqual } from 'node:util';
import bibtexParse from 'bibtex-parse';
import * as z from 'zod/mini';
import { CathedralError } from '../../errors.ts';
import { described } from '../../words/described.ts';
import { counted } from '../../words/number.ts';
import type { Author } from './bibliography.ts';
import { curlQuotes, formatLatex } from './latex.ts';
import { describe, schemaFault } from './schema-fault.ts';

/** The citation of a source in plain text. Every format is written from it. */
export interface Citation {
  /** ASCII, stable across releases: `cathedral_economy_supply`. */
  key: string;
  /** What it is called in running text. Everything but a paper is data. */
  kind: 'data set' | 'chart' | 'decision' | 'deliberation' | 'sentinel' | 'paper';
  authors: readonly Author[];
  title: string;
  year: string;
  /** The organisation; null for a paper. */
  publisher: string | null;
  url: string;
  note: string;
  /** Words with the address of the version that is cited, where `url` has the newest one. Null for a source without one. */
  permanent: string | null;
  /** Time of the last event that it reflects, or the day; null where it states none of its own. */
  asOf: string | null;
}

/** What stands in the note of every format that has one. */
export function fullNote({ note, permanent }: Pick<Citation, 'note' | 'permanent'>): string {
  return permanent === null ? note : `${note} ${permanent}`;
}

export type EntryType = z.infer<typeof BibtexEntry>['type'];

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern forbids them.
const ONE_LINE = /^[^\u0000-\u001f\u007f-\u009f]+$/;
const Latex = z.string().check(z.regex(ONE_LINE, 'text without control characters'));

/** An entry as it stands in the file: values are LaTeX, between the outer braces of the field. */
const BibtexEntry = described(
  z.strictObject({
    type: described(z.enum(['software', 'misc']), 'Entry type; in the database software'),
    key: described(
      z.string().check(z.regex(/^[a-z][a-z0-9_]*$/, 'a key of lower-case letters, digits and underscores')),
      'Citation key, stable across releases',
      { example: 'cathedral_economy_supply' },
    ),
    author: described(
      Latex,
      'Whom to cite; an organisation in braces so that it is not read as a person’s name',
    ),
    title: described(
      Latex.check(z.regex(/^\{.*\}$/, 'a title in braces')),
      'Title, in braces so that no style changes its capitals',
    ),
    year: described(
      z.string().check(z.regex(/^\d{4}$/, 'a year')),
      'Year of the state that is cited; of a paper, the year it was written',
      { example: '2026' },
    ),
    // Not escaped: biblatex and \url take it verbatim. These characters need no escape and cannot end the field.
    url: described(
      z.string().check(z.regex(/^https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/, 'an http or https URL')),
      'Address, not escaped',
    ),
    note: described(
      Latex,
      'What it is, the time of the state that is cited, and the permanent address of that state',
    ),
  }),
  'One entry of the citation database',
);
type BibtexEntry = z.infer<typeof BibtexEntry>;

export const BibtexFile = z.array(BibtexEntry).check((context) => {
  const keys = new Set<string>();
  context.value.forEach(({ key }, index) => {
    if (keys.has(key)) {
      const message = 'expected a key that no other entry has';
      context.issues.push({ code: 'custom', path: [index, 'key'], message, input: key });
    }
    keys.add(key);
  });
});

/**
 * A BibTeX file, parsed again with bibtex-parse before it is returned. `heading` becomes a comment. Throws artifact_invalid if an entry
 * is invalid or does not survive the round trip.
 */
export function formatBibtex(
  heading: string,
  citations: readonly Citation[],
  place: string,
  type: EntryType = 'software',
): string {
  const entries = citations.map((citation) => toEntry(citation, type, place));
  const result = BibtexFile.safeParse(entries);
  if (!result.success)
    throw new CathedralError('artifact_invalid', schemaFault(place, result.error, entries));
  const comment = formatLatex(heading, place).replaceAll('@', '(at)');
  const text = `% ${comment}\n\n${PREAMBLE}\n\n${entries.map(formatEntry).join('\n')}`;
  assertReadsBack(text, entries, place);
  return text;
}

/**
 * Lines end where they should, whatever a document loads: without the package url there is a `\url` that may break at each character, and
 * biblatex, unlike the classic styles, stretches no line by itself.
 */
const PREAMBLE =
  '@preamble{"\\providecommand{\\url}[1]{{\\ttfamily\\def\\each##1{\\ifx##1\\relax\\else\\string##1\\allowbreak\\expandafter\\each\\fi}\\each#1\\relax}}\\ifdefined\\printbibliography\\AtBeginBibliography{\\emergencystretch=3em}\\fi"}';

/** An address in a text, without the punctuation behind it. `\url` breaks it at the end of a line. */
const ADDRESS = /(https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*[A-Za-z0-9/=_~-])/;

/** A text as LaTeX that never runs off the page: addresses and hashes may break. */
function formatProse(text: string, latex: (text: string) => string): string {
  const parts = curlQuotes(text)
    .split(ADDRESS)
    .map((part, index) => {
      if (index % 2 === 0)
        return latex(part.replaceAll(/\b[0-9a-f]{64}\b/g, (hash) => hash.replaceAll(/.{4}(?=.)/g, '$& ')));
      // The text has the hash, too.
      const [address, ...hash] = part.split(/(?<=\?sha256=)(?=[0-9a-f]{64}$)/);
      return `\\url{${address!.replaceAll(/[%#]/g, '\\$&')}}${hash.length > 0 ? ' and the hash' : ''}`;
    });
  return parts.join('');
}

function toEntry(citation: Citation, type: EntryType, place: string): BibtexEntry {
  const { key, authors, title, year, url } = citation;
  const latex = (text: string, field: string) => formatLatex(text, `${place}: ${key}.${field}`);
  return {
    type,
    key,
    author: authors
      .map(({ name, isOrganisation }) =>
        isOrganisation ? `{${latex(name, 'author')}}` : latex(name, 'author'),
      )
      .join(' and '),
    title: `{${latex(title, 'title')}}`,
    year,
    url,
    note: formatProse(fullNote(citation), (text) => latex(text, 'note')),
  };
}

function formatEntry({ type, key, ...fields }: BibtexEntry): string {
  const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}}`);
  return `@${type}{${key},\n${lines.join(',\n')}\n}\n`;
}

function assertReadsBack(text: string, entries: readonly BibtexEntry[], place: string): void {
  const found = parseBibtex(text);
  if (found.length !== entries.length) {
    throw new CathedralError('artifact_invalid', {
      place,
      expected: counted(entries.length, 'entry', 'entries'),
      found: `${found.length} when it was read back`,
    });
  }
  entries.forEach((entry, index) => {
    if (isDeepStrictEqual(found[index], { ...entry })) return;
    throw new CathedralError('artifact_invalid', {
      place: `${place}: ${entry.key}`,
      expected: 'the entry that was written',
      found: describe(JSON.stringify(found[index])),
    });
  });
}

/** The entries of a BibTeX text with raw values. Comments and the preamble are left out; a string comes back as null. */
function parseBibtex(text: string): unknown[] {
  return bibtexParse
    .parse(text, { number: 'string' })
    .filter(({ itemtype }) => itemtype !== 'comment' && itemtype !== 'preamble')
    .map((item) => {
      if (item.itemtype !== 'entry') return null;
      const fields = item.fields.map(({ name, value }) => [name, value] as const);
      const names = new Set(fields.map(([name]) => name));
      return names.size === fields.length
        ? { type: item.type, key: item.key, ...Object.fromEntries(fields) }
        : null;
    });
}
