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
  const before = new Map<string, BibEntry>();
  const papers = entries.map((entry) => {
    const fields = new PaperFields(entry, place);
    const paper = readPaper(fields, textOf(entry.key), before);
    before.set(paper.citationKey, before.get(paper.citationKey) ?? entry);
    faults.push(...fields.faults);
    return paper;
  });
  refuseFaults(faults);
  return papers;
}

const MOST_NAMED = 20;

function refuseFaults([first, ...others]: readonly Fault[]): void {
  if (!first) return;
  // `papers.bib:12: smith.abstract` → `12: smith.abstract`
  const places = others.slice(0, MOST_NAMED).map(({ place }) => place.replace(/^.*?:(?=\d)/, ''));
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  const found =
    others.length === 0 ? first.found : `${first.found}; faults also at ${places.join(', ')}${more}`;
  throw new CathedralError('document_invalid', { ...first, found });
}

/** The fields of an entry as texts, and what is wrong with them. */
class PaperFields {
  readonly entry: BibEntry;
  readonly faults: Fault[] = [];
  readonly #place: string;

  constructor(entry: BibEntry, place: string) {
    this.entry = entry;
    this.#place = place;
  }

  /** Null for a field that is not there, or whose value cannot be read. */
  latex(field: string): string | null {
    const value = this.entry.fields.get(field);
    if (value === undefined || typeof value === 'string') return value ?? null;
    this.fault(field, value.expected, value.found);
    return null;
  }

  /** Empty for an entry without this field. */
  text(field: string, latex = this.latex(field) ?? ''): string {
    const text = this.read(field, () => parseLatex(latex)) ?? '';
    const { error } = Prose.safeParse(text);
    if (text === '' || !error) return text;
    this.fault(field, error.issues[0]!.message, describe(text));
    return '';
  }

  /** The text of a field that the paper cannot do without. */
  required(field: string, expected: string): string {
    const text = this.text(field);
    if (text === '') this.fault(field, expected, 'nothing');
    return text;
  }

  read<T>(field: string, read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      const known = 'plain text: write a character itself instead of its LaTeX command';
      if (error instanceof UnknownLatex) this.fault(field, known, error.message);
      else if (!(error instanceof RangeError)) throw error;
      else this.fault(field, 'braces that are not nested so deeply', 'thousands of them');
      return null;
    }
  }

  /** `field`: null for the key. */
  fault(field: string | null, expected: string, found: string): void {
    const { key, line } = this.entry;
    const place = `${this.#place}:${line}: ${key}${field === null ? '' : `.${field}`}`;
    // What is unreadable is not also missing.
    if (!this.faults.some((fault) => fault.place === place)) this.faults.push({ place, expected, found });
  }
}

function readPaper(
  fields: PaperFields,
  text: string | undefined,
  before: ReadonlyMap<string, BibEntry>,
): WrittenPaper {
  const { entry } = fields;
  const { key } = entry;
  checkKey(fields, before);
  const copied = 'every field in the entry itself (biber --tool --output-resolve-crossrefs copies them)';
  for (const field of ['crossref', 'xdata'])
    if (entry.fields.has(field)) fields.fault(field, copied, `${field} = …`);
  const title = fields.required('title', 'title = {…}');
  const subtitle = fields.text('subtitle');
  const authors = readNames(fields);
  const url = readUrl(fields);
  if (url === null && text === undefined)
    fields.fault('url', `url = {https://…}, or its text in ${paperTextFile(key)}`, 'neither');
  return {
    id: key,
    title: subtitle === '' ? title : `${title}: ${subtitle}`,
    status: readStatus(fields),
    venues: readVenues(fields),
    key_result: fields.required('abstract', 'abstract = {…}, from which its key result is taken'),
    path: text === undefined ? (url ?? '') : paperPage(key),
    citationKey: paperCitationKey(key),
    authors,
    year: readYear(fields),
    url,
  };
}

/** Two keys whose pages or citations would have one address, as `Smith` and `smith`. */
function checkKey(fields: PaperFields, before: ReadonlyMap<string, BibEntry>): void {
  const { key } = fields.entry;
  const other = before.get(paperCitationKey(key));
  const differs = `a key that differs from ${other?.key} in line ${other?.line} in more than case and punctuation`;
  if (other) fields.fault(null, differs, key);
  const isKey = Paper.shape.id.safeParse(key);
  if (!isKey.success) fields.fault(null, isKey.error.issues[0]!.message, describe(key));
}

function readNames(fields: PaperFields): readonly Author[] {
  const field = fields.entry.fields.has('author') ? 'author' : 'editor';
  const latex = fields.latex(field);
  const authors = latex === null ? null : fields.read(field, () => readAuthors(latex));
  const expected = 'author = {Last, First and Last, First}, or {{Name of an organisation}}';
  if (authors === null) fields.fault('author', expected, latex === null ? 'nothing' : describe(latex));
  return authors ?? [];
}

function readStatus(fields: PaperFields): WrittenPaper['status'] {
  const words = fields.text('pubstate');
  const status = STATUS_WORDS[words.toLowerCase().replaceAll(/[^a-z]/g, '')];
  const known = 'inpreparation, draft, workingpaper, submitted, forthcoming or published';
  if (status === undefined) fields.fault('pubstate', `pubstate = {…} with ${known}`, shown(words));
  return status ?? 'draft';
}

function readVenues(fields: PaperFields): string[] {
  const own = VENUES.flatMap((field) => venuesIn(fields, field));
  const others = () => OTHER_VENUES.map((field) => venuesIn(fields, field)).find(({ length }) => length > 0);
  const venues = own.length > 0 ? own : others();
  const expected = 'journal = {…} or booktitle = {…}, several venues with semicolons between them';
  if (!venues) fields.fault('journal', expected, 'neither');
  return [...new Set(venues)];
}

/** A semicolon in braces is part of a name, and one of `&amp;` as well. */
function venuesIn(fields: PaperFields, field: string): string[] {
  const latex = fields.latex(field) ?? '';
  if (/^\s*(\\url|https?:)/.test(latex)) return [];
  const names = splitOutsideBraces(latex, /(?<!&#?\w+);/g).map((name) => fields.text(field, name));
  return names.filter((name) => name !== '');
}

function readYear(fields: PaperFields): string {
  const written = fields.text('year') || fields.text('date');
  const year = /^(\d{4})(?!\d)/.exec(written)?.[1];
  if (year === undefined) fields.fault('year', 'year = {2026}, or date = {2026-05-31}', shown(written));
  return year ?? '';
}

function readUrl(fields: PaperFields): string | null {
  const url = addressIn(fields.latex('url') ?? '');
  const doi = addressIn(fields.latex('doi') ?? '').replace(/^(https?:\/\/(dx\.)?doi\.org\/|doi:\s*)/i, '');
  const escaped = encodeURI(doi).replaceAll(/[?#]/g, encodeURIComponent);
  const address = url !== '' || doi === '' ? url : `https://doi.org/${escaped}`;
  if (address === '') return null;
  if (/^https?:\/\/\S+$/i.test(address) && URL.canParse(address)) return plainAddress(address);
  fields.fault('url', 'one address that begins with https:// or http://', describe(address));
  return null;
}

function shown(text: string): string {
  return text === '' ? 'nothing' : describe(text);
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
