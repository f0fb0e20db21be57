import { type Cited, citeDataset } from '../../artifacts/academics/citations.ts';
import type { Artifact } from '../../artifacts/artifact.ts';
import { asOfFile } from '../../artifacts/as-of.ts';
import { formatBibtex, fullNote } from '../../artifacts/format/bibtex.ts';
import { formatList } from '../../words/phrase.ts';

/** The citation of a file: its entry in `citations.bib`, and the time of the data. */
export interface DatasetCitation extends ReturnType<typeof citeDataset> {
  /** The organisation. */
  publisher: string;
  /** Time of the last event that the file reflects; null where it has none of its own. */
  asOf: string | null;
}

export function citeFile(cited: Cited, artifact: Artifact): DatasetCitation {
  return {
    ...citeDataset(cited, artifact),
    publisher: cited.organisation.name,
    asOf: asOfFile(cited, artifact),
  };
}

/** One line of text: authors (year), title, time of the data, permanent address, and the address of the newest version at the end. */
export function formatText(citation: DatasetCitation, kind = 'data set'): string {
  const { authors, year, title, note, permanent, url } = citation;
  const addresses = permanent === null ? ` ${url}` : ` ${permanent} Newest version: ${url}`;
  return `${formatList(authors)} (${year}). ${title} [${kind}]. ${note}${addresses}`;
}

/**
 * The entry as in `citations.bib`, but of the type misc, which every program keeps; the specification of that file asks for another.
 * Throws artifact_invalid for a control character.
 */
export function formatBibtexEntry(citation: DatasetCitation): string {
  const version = citation.asOf === null ? 'the hash of the file' : `the time of the data: ${citation.asOf}`;
  return formatBibtex(`Cite with ${version}.`, [citation], citation.key, 'misc');
}

interface CslItem {
  id: string;
  type: 'dataset';
  author: { literal: string }[];
  title: string;
  issued: { 'date-parts': [[year: number, month: number, day: number] | [year: number]] };
  publisher: string;
  URL: string;
  note: string;
}

/** An item of CSL-JSON, as citation managers and styles read it. */
export function toCsl(citation: DatasetCitation): CslItem {
  const { key, authors, publisher, title, year, url, asOf } = citation;
  const day = asOf?.slice(0, 10).split('-').map(Number) as [number, number, number] | undefined;
  return {
    id: key,
    type: 'dataset',
    author: authors.map((literal) => ({ literal })),
    title,
    issued: { 'date-parts': [day ?? [Number(year)]] },
    publisher,
    URL: url,
    note: fullNote(citation),
  };
}

export function formatCslJson(citations: readonly DatasetCitation[]): string {
  return `${JSON.stringify(citations.map(toCsl), null, 2)}\n`;
}

/** RIS: a tag of two characters, two spaces, a hyphen, a space; lines end with CR LF. */
export function formatRis(citations: readonly DatasetCitation[]): string {
  return citations.map(formatEntry).join('');
}

function formatEntry(citation: DatasetCitation): string {
  const { key, authors, publisher, title, year, url, asOf } = citation;
  const lines: [tag: string, value: string][] = [
    ['TY', 'DATA'],
    ['ID', key],
    // A comma at the end: a name of one part, that of an organisation.
    ...authors.map((name): [string, string] => ['AU', `${name},`]),
    ['TI', title],
    ['PY', year],
    ...(asOf === null ? [] : [['DA', `${asOf.slice(0, 10).replaceAll('-', '/')}/`] as [string, string]]),
    ['PB', publisher],
    ['UR', url],
    ['N1', fullNote(citation)],
    ['ER', ''],
  ];
  return `${lines.map(([tag, value]) => `${tag}  - ${oneLine(value)}\r\n`).join('')}\r\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

export interface CitationForm {
  /** The ending of its file: `citation.bib`. */
  ending: 'txt' | 'bib' | 'ris' | 'json';
  name: string;
  /** What it is for. */
  use: string;
  /** The whole file. BibTeX throws artifact_invalid for a character that LaTeX cannot print. */
  format(citation: DatasetCitation): string;
}

/** Every format in which one file can be cited. */
export const CITATION_FORMS: readonly CitationForm[] = [
  {
    ending: 'txt',
    name: 'Text',
    use: 'to paste into a text',
    format: (citation) => `${formatText(citation)}\n`,
  },
  { ending: 'bib', name: 'BibTeX', use: 'for LaTeX and biblatex', format: formatBibtexEntry },
  {
    ending: 'ris',
    name: 'RIS',
    use: 'for reference managers',
    format: (citation) => formatRis([citation]),
  },
  {
    ending: 'json',
    name: 'CSL-JSON',
    use: 'for Zotero, Pandoc and citation styles',
    format: (citation) => formatCslJson([citation]),
  },
];

/** The address in `permanent`, which says in words what it is: `Permanent address: https://…` → `https://…` */
export function addressIn(permanent: string | null): string | null {
  return permanent === null ? null : (/https?:\S+/.exec(permanent)?.[0] ?? null);
}
