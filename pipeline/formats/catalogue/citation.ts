import { type Cited, citeDataset } from '../../artifacts/academics/citations.ts';
import type { Artifact } from '../../artifacts/artifact.ts';
import { asOfFile } from '../../artifacts/as-of.ts';
import { type Author, authorWords } from '../../artifacts/format/bibliography.ts';
import { formatBibtex, fullNote, type PaperCitation } from '../../artifacts/format/bibtex.ts';

/** The citation of a file: its entry in `citations.bib`, and the time of the data. */
export interface DatasetCitation extends ReturnType<typeof citeDataset> {
  /** The organisation. */
  publisher: string;
  /** Time of the last event that the file reflects; null where it has none of its own. */
  asOf: string | null;
}

/** The citation of a paper has no time of data, and no publisher. */
export type OfferedCitation = DatasetCitation | (PaperCitation & { publisher?: undefined; asOf: null });

export function citeFile(cited: Cited, artifact: Artifact): DatasetCitation {
  return {
    ...citeDataset(cited, artifact),
    publisher: cited.organisation.name,
    asOf: asOfFile(cited, artifact),
  };
}

/** One line of text: authors (year), title, time of the data, permanent address, and the address of the newest version at the end. */
export function formatText(citation: OfferedCitation, kind?: string): string {
  const { year, title, note, permanent, url } = citation;
  const own = citation.publisher === undefined ? 'paper' : 'data set';
  const addresses = permanent === null ? ` ${url}` : ` ${permanent} Newest version: ${url}`;
  return `${authorWords(namesOf(citation))} (${year}). ${title} [${kind ?? own}]. ${note}${addresses}`;
}

/**
 * The entry as in `citations.bib`, but of the type misc, which every program keeps; the specification of that file asks for another.
 * Throws artifact_invalid for a control character.
 */
export function formatBibtexEntry(citation: OfferedCitation): string {
  const { publisher, asOf } = citation;
  const state = publisher === undefined ? 'the status of the paper' : 'the hash of the file';
  const version = asOf === null ? state : `the time of the data: ${asOf}`;
  return formatBibtex(`Cite with ${version}.`, [citation], citation.key, 'misc');
}

interface CslItem {
  id: string;
  type: 'dataset' | 'report';
  author: ({ literal: string } | { family: string; given: string })[];
  title: string;
  issued: { 'date-parts': [[year: number, month: number, day: number] | [year: number]] };
  publisher?: string;
  URL: string;
  note: string;
}

/** An item of CSL-JSON, as citation managers and styles read it. */
export function toCsl(citation: OfferedCitation): CslItem {
  const { key, publisher, title, year, url, asOf } = citation;
  const day = asOf?.slice(0, 10).split('-').map(Number) as [number, number, number] | undefined;
  return {
    id: key,
    type: publisher === undefined ? 'report' : 'dataset',
    author: namesOf(citation).map(cslName),
    title,
    issued: { 'date-parts': [day ?? [Number(year)]] },
    ...(publisher !== undefined && { publisher }),
    URL: url,
    note: fullNote(citation),
  };
}

function namesOf({ authors }: OfferedCitation): Author[] {
  return authors.map((one) => (typeof one === 'string' ? { name: one, isOrganisation: true } : one));
}

/** `Last, First`; an organisation, and a name of one part, as they are. */
function cslName({ name, isOrganisation }: Author): CslItem['author'][number] {
  const [family, ...given] = isOrganisation ? [name] : name.split(', ');
  return given.length === 0 ? { literal: name } : { family: family!, given: given.toReversed().join(', ') };
}

export function formatCslJson(citations: readonly OfferedCitation[]): string {
  return `${JSON.stringify(citations.map(toCsl), null, 2)}\n`;
}

/** RIS: a tag of two characters, two spaces, a hyphen, a space; lines end with CR LF. */
export function formatRis(citations: readonly OfferedCitation[]): string {
  return citations.map(formatEntry).join('');
}

function formatEntry(citation: OfferedCitation): string {
  const { key, publisher, title, year, url, asOf } = citation;
  const lines: [tag: string, value: string][] = [
    ['TY', publisher === undefined ? 'RPRT' : 'DATA'],
    ['ID', key],
    // A comma at the end: a name of one part, that of an organisation.
    ...namesOf(citation).map(({ name, isOrganisation }): [string, string] => [
      'AU',
      isOrganisation ? `${name},` : name,
    ]),
    ['TI', title],
    ['PY', year],
    ...(asOf === null ? [] : [['DA', `${asOf.slice(0, 10).replaceAll('-', '/')}/`] as [string, string]]),
    ...(publisher === undefined ? [] : [['PB', publisher] as [string, string]]),
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
  format(citation: OfferedCitation): string;
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
