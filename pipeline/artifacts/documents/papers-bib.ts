import { CathedralError, type Fault } from '../../errors.ts';
import { pageNames } from '../../words/page-names.ts';
import {
  type Author,
  type BibEntry,
  readAuthors,
  readBibliography,
  splitOutsideBraces,
} from '../format/bibliography.ts';
import { parseLatex, UnknownLatex } from '../format/latex-text.ts';
import { describe } from '../format/schema-fault.ts';
import { Paper, type WrittenPaper } from './papers.ts';
import { Prose } from './prose.ts';

export const PAPERS_FILE = 'papers.bib';

/** The name of the file with a paper's text. */
export function paperTextFile(key: string): string {
  return `papers/${key}.md`;
}

/** Every paper has a page, with or without its text. */
export function paperPage(id: string): string {
  return `/academics/papers/${pageNames([id]).get(id)!}/`;
}

/** `logistic-rewards` → `cathedral_paper_logistic_rewards` */
export function paperCitationKey(id: string): string {
  return `cathedral_paper_${pageNames([id])
    .get(id)!
    .replaceAll(/[^a-z0-9]/g, '_')}`;
}

const STATUS_WORDS: Readonly<Record<string, WrittenPaper['status']>> = {
  inpreparation: 'in_preparation',
  draft: 'draft',
  workingpaper: 'working_paper',
  preprint: 'working_paper',
  submitted: 'submitted',
  underreview: 'submitted',
  accepted: 'forthcoming',
  forthcoming: 'forthcoming',
  inpress: 'forthcoming',
  prepublished: 'forthcoming',
  published: 'published',
};

/** Where a work appeared: journals and proceedings, or else the first of the others that it has. */
const VENUES = ['journal', 'journaltitle', 'booktitle'];
const OTHER_VENUES = [
  'institution',
  'school',
  'howpublished',
  'organization',
  'publisher',
  'eprinttype',
  'archiveprefix',
];

/**
 * The papers of a bibliography in its order; `textOf` gives the text of a key. Throws document_invalid that names the first entry
 * that cannot be published as it is, and the keys of all others with the same fault.
 */
export function readPapers(
  bibliography: string,
  textOf: (key: string) => string | undefined,
  place: string,
): WrittenPaper[] {
  const { entries, faults } = readBibliography(bibliography, place);
  const papers: WrittenPaper[] = [];
  const lines = new Map<string, BibEntry>();
  for (const entry of entries) {
    const reader = new EntryReader(entry, place);
    const paper = reader.paper(textOf(entry.key), lines);
    lines.set(paperCitationKey(entry.key), lines.get(paperCitationKey(entry.key)) ?? entry);
    faults.push(...reader.faults);
    papers.push(paper);
  }
  refuseFaults(faults);
  return papers;
}

const MOST_NAMED = 20;

function refuseFaults(faults: readonly Fault[]): void {
  const [first, ...others] = faults;
  if (!first) return;
  // `papers.bib:12: smith.abstract` → `12: smith.abstract`
  const places = others.slice(0, MOST_NAMED).map(({ place }) => place.replace(/^.*?:(?=\d)/, ''));
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  const found =
    others.length === 0 ? first.found : `${first.found}; faults also at ${places.join(', ')}${more}`;
  throw new CathedralError('document_invalid', { ...first, found });
}

class EntryReader {
  readonly faults: Fault[] = [];
  readonly #entry: BibEntry;
  readonly #place: string;

  constructor(entry: BibEntry, place: string) {
    this.#entry = entry;
    this.#place = place;
  }

  paper(text: string | undefined, before: ReadonlyMap<string, BibEntry>): WrittenPaper {
    const { key } = this.#entry;
    this.#checkKey(before);
    for (const field of ['crossref', 'xdata'])
      if (this.#entry.fields.has(field))
        this.#fault(
          field,
          'every field in the entry itself (biber --tool --output-resolve-crossrefs copies them)',
          `${field} = …`,
        );
    const title = this.#title();
    const authors = this.#authors();
    const url = this.#url();
    if (url === null && text === undefined)
      this.#fault('url', `url = {https://…}, or its text in ${paperTextFile(key)}`, 'neither');
    return {
      id: key,
      title,
      status: this.#status(),
      venues: this.#venues(),
      key_result: this.#required('abstract', 'abstract = {…}, from which its key result is taken'),
      path: text === undefined ? (url ?? '') : paperPage(key),
      citationKey: paperCitationKey(key),
      authors,
      year: this.#year(),
      url,
    };
  }

  /** Two keys whose pages or citations would have one address, as `Smith` and `smith`. */
  #checkKey(before: ReadonlyMap<string, BibEntry>): void {
    const { key } = this.#entry;
    const other = before.get(paperCitationKey(key));
    if (other)
      this.#fault(
        null,
        `a key that differs from ${other.key} in line ${other.line} in more than case and punctuation`,
        key,
      );
    const isKey = Paper.shape.id.safeParse(key);
    if (!isKey.success) this.#fault(null, isKey.error.issues[0]!.message, describe(key));
  }

  #title(): string {
    const title = this.#required('title', 'title = {…}');
    const subtitle = this.#optional('subtitle');
    return subtitle === '' ? title : `${title}: ${subtitle}`;
  }

  #authors(): readonly Author[] {
    const field = this.#entry.fields.has('author') ? 'author' : 'editor';
    const latex = this.#latex(field);
    const expected = 'author = {Last, First and Last, First}, or {{Name of an organisation}}';
    const authors = latex === null ? null : this.#read(field, () => readAuthors(latex));
    if (authors === null) this.#fault('author', expected, latex === null ? 'nothing' : describe(latex));
    return authors ?? [];
  }

  #status(): WrittenPaper['status'] {
    const words = this.#optional('pubstate');
    const status = STATUS_WORDS[words.toLowerCase().replaceAll(/[^a-z]/g, '')];
    if (status === undefined) {
      const known = 'inpreparation, draft, workingpaper, submitted, forthcoming or published';
      this.#fault('pubstate', `pubstate = {…} with ${known}`, words === '' ? 'nothing' : describe(words));
    }
    return status ?? 'draft';
  }

  #venues(): string[] {
    const own = VENUES.flatMap((field) => this.#venuesIn(field));
    const others =
      own.length > 0
        ? own
        : OTHER_VENUES.map((field) => this.#venuesIn(field)).find(({ length }) => length > 0);
    if (!others)
      this.#fault(
        'journal',
        'journal = {…} or booktitle = {…}, several venues with semicolons between them',
        'neither',
      );
    return [...new Set(others)];
  }

  /** A semicolon in braces is part of a name, and one of `&amp;` as well. */
  #venuesIn(field: string): string[] {
    const latex = this.#latex(field) ?? '';
    if (/^\s*(\\url|https?:)/.test(latex)) return [];
    const names = splitOutsideBraces(latex, /(?<!&#?\w+);/g).map((name) => this.#text(field, name));
    return names.filter((name) => name !== '');
  }

  #year(): string {
    const written = this.#optional('year') || this.#optional('date');
    const year = /^(\d{4})(?!\d)/.exec(written)?.[1];
    if (year === undefined)
      this.#fault(
        'year',
        'year = {2026}, or date = {2026-05-31}',
        written === '' ? 'nothing' : describe(written),
      );
    return year ?? '';
  }

  #url(): string | null {
    const url = addressIn(this.#latex('url') ?? '');
    const doi = addressIn(this.#latex('doi') ?? '').replace(/^(https?:\/\/(dx\.)?doi\.org\/|doi:\s*)/i, '');
    const address =
      url !== '' || doi === ''
        ? url
        : `https://doi.org/${encodeURI(doi).replaceAll(/[?#]/g, encodeURIComponent)}`;
    if (address === '') return null;
    if (/^https?:\/\/\S+$/i.test(address) && URL.canParse(address)) return plainAddress(address);
    this.#fault('url', 'one address that begins with https:// or http://', describe(address));
    return null;
  }

  /** The text of a field that the paper cannot do without. */
  #required(field: string, expected: string): string {
    const text = this.#optional(field);
    if (text === '') this.#fault(field, expected, 'nothing');
    return text;
  }

  #optional(field: string): string {
    return this.#text(field, this.#latex(field) ?? '');
  }

  #latex(field: string): string | null {
    const value = this.#entry.fields.get(field);
    if (value === undefined || typeof value === 'string') return value ?? null;
    this.#fault(field, value.expected, value.found);
    return null;
  }

  #text(field: string, latex: string): string {
    const text = this.#read(field, () => parseLatex(latex)) ?? '';
    if (text === '' || Prose.safeParse(text).success) return text;
    this.#fault(field, 'text without control characters', describe(text));
    return '';
  }

  #read<T>(field: string, read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (error instanceof RangeError)
        this.#fault(field, 'braces that are not nested so deeply', 'thousands of them');
      else if (error instanceof UnknownLatex)
        this.#fault(
          field,
          'plain text: write a character itself instead of its LaTeX command',
          error.message,
        );
      else throw error;
      return null;
    }
  }

  #fault(field: string | null, expected: string, found: string): void {
    const { key, line } = this.#entry;
    const place = `${this.#place}:${line}: ${key}${field === null ? '' : `.${field}`}`;
    // What is unreadable is not also missing.
    if (!this.faults.some((fault) => fault.place === place)) this.faults.push({ place, expected, found });
  }
}

/** An address as programs export it: with escapes, in braces, in `\url{}`. */
function addressIn(latex: string): string {
  return latex
    .replace(/^\s*\\url\s*/, '')
    .replaceAll(/\\textasciitilde\b|\\~\{\}/g, '~')
    .replaceAll(/\\([^A-Za-z])/g, '$1')
    .replaceAll(/[{}]/g, '')
    .trim();
}

/** ASCII only, and nothing that ends a field of BibTeX. */
function plainAddress(address: string): string {
  const { href } = new URL(address);
  const text = /[^\x21-\x7e]/.test(address) ? href : address;
  return text.replaceAll(/["\\^`{|}<>]/g, (sign) => encodeURIComponent(sign));
}
