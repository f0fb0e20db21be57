import { CITATIONS_PATH } from '../../artifacts/academics/citations.ts';
import { type Author, authorWords, nameParts } from '../../artifacts/format/bibliography.ts';
import { type Citation, formatBibtex, fullNote } from '../../artifacts/format/bibtex.ts';
import { unlessRefused } from '../../errors.ts';

/** A format of citations. */
interface CitationForm {
  /** Of the file as which a reader saves one citation. */
  ending: 'txt' | 'bib' | 'ris' | 'json';
  name: string;
  /** What it is for. */
  use: string;
  /** The published file with all citations in this format; null for none. */
  list: string | null;
  /** As a page shows it. BibTeX throws artifact_invalid for a character that LaTeX cannot print. */
  format(citation: Citation): string;
}

/** Every format in which a source can be cited. */
export const CITATION_FORMS: readonly CitationForm[] = [
  { ending: 'txt', name: 'Text', use: 'to paste into a text', list: null, format: formatText },
  {
    ending: 'bib',
    name: 'BibTeX',
    use: 'for LaTeX and biblatex',
    list: CITATIONS_PATH,
    format: formatBibtexEntry,
  },
  {
    ending: 'ris',
    name: 'RIS',
    use: 'for reference managers',
    list: 'citations.ris',
    format: (citation) => formatRis([citation]),
  },
  {
    ending: 'json',
    name: 'CSL-JSON',
    use: 'for Zotero, Pandoc and citation styles',
    list: 'citations.csl.json',
    format: (citation) => formatCslJson([citation]),
  },
];

/** A citation in one format. */
export interface CitationText extends Pick<CitationForm, 'ending' | 'name' | 'use'> {
  text: string;
}

/** A citation in each format that can write it: LaTeX has no control characters, which a ledger's text may have. */
export function citationTexts(citation: Citation): CitationText[] {
  return CITATION_FORMS.flatMap(({ ending, name, use, format }) => {
    const text = unlessRefused(() => format(citation), 'artifact_invalid');
    // An RIS record ends with a space, so only line ends are trimmed.
    return text === null ? [] : [{ ending, name, use, text: text.replace(/[\r\n]+$/, '') }];
  });
}

/** One line of text: authors (year), title, time of the data, permanent address, and the address of the newest version. */
export function formatText({ authors, year, title, kind, note, permanent, url }: Citation): string {
  const addresses = permanent === null ? ` ${url}` : ` ${permanent} (newest version: ${url})`;
  return `${authorWords(authors)} (${year}). ${title} [${kind}]. ${note}${addresses}`;
}

/**
 * The entry as in `citations.bib`, but of the type misc, which every program keeps; the specification of that file asks for another.
 * Throws artifact_invalid for a control character.
 */
export function formatBibtexEntry(citation: Citation): string {
  const { kind, asOf } = citation;
  const state = kind === 'paper' ? 'the status of the paper' : 'the hash of the file';
  const version = asOf === null ? state : `the time of the data: ${asOf}`;
  return formatBibtex(`Cite with ${version}.`, [citation], citation.key, 'misc');
}

interface CslItem {
  id: string;
  type: 'dataset' | 'report';
  author: ({ literal: string } | { family: string; given: string; suffix?: string })[];
  title: string;
  issued: { 'date-parts': [[year: number, month: number, day: number] | [year: number]] };
  publisher?: string;
  URL: string;
  note: string;
}

/** An item of CSL-JSON, as citation managers and styles read it. */
export function toCsl(citation: Citation): CslItem {
  const { key, kind, authors, publisher, title, year, url, asOf } = citation;
  const day = asOf?.slice(0, 10).split('-').map(Number) as [number, number, number] | undefined;
  return {
    id: key,
    type: kind === 'paper' ? 'report' : 'dataset',
    author: authors.map(cslName),
    title,
    issued: { 'date-parts': [day ?? [Number(year)]] },
    ...(publisher !== null && { publisher }),
    URL: url,
    note: fullNote(citation),
  };
}

/** An organisation, and a name of one part, as they are. */
function cslName(author: Author): CslItem['author'][number] {
  const { last: family, suffix, first: given } = nameParts(author);
  if (given === undefined) return { literal: family };
  return { family, given, ...(suffix.length > 0 && { suffix: suffix.join() }) };
}

/**
 * `Last, First, Jr.` A comma at the end: a name of one part, that of an organisation. At any other comma readers take it apart, as
 * `Inc. Acme`.
 */
function risName(author: Author): string {
  const { last, suffix, first } = nameParts(author);
  if (author.isOrganisation) return `${last.replaceAll(/\s*,\s*/g, ' ').trim()},`;
  return first === undefined ? last : [last, first, ...suffix].join(', ');
}

export function formatCslJson(citations: readonly Citation[]): string {
  return `${JSON.stringify(citations.map(toCsl), null, 2)}\n`;
}

/** RIS: a tag of two characters, two spaces, a hyphen, a space; lines end with CR LF. */
export function formatRis(citations: readonly Citation[]): string {
  return citations.map(formatRisRecord).join('');
}

function formatRisRecord(citation: Citation): string {
  const { key, kind, authors, publisher, title, year, url, asOf } = citation;
  const lines: [tag: string, value: string][] = [
    ['TY', kind === 'paper' ? 'RPRT' : 'DATA'],
    ['ID', key],
    ...authors.map((author): [string, string] => ['AU', risName(author)]),
    ['TI', title],
    ['PY', year],
    ...(asOf === null ? [] : [['DA', `${asOf.slice(0, 10).replaceAll('-', '/')}/`] as [string, string]]),
    ...(publisher === null ? [] : [['PB', publisher] as [string, string]]),
    ['UR', url],
    ['N1', fullNote(citation)],
    ['ER', ''],
  ];
  return `${lines.map(([tag, value]) => `${tag}  - ${oneLine(value)}\r\n`).join('')}\r\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** The address in `permanent`, which says in words what it is: `Permanent address: https://…` → `https://…` */
export function addressIn(permanent: string | null): string | null {
  return permanent === null ? null : (/https?:\S+/.exec(permanent)?.[0] ?? null);
}
