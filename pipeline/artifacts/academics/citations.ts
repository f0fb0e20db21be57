import { CathedralError } from '../../errors.ts';
import type { Artifact, DocumentArtifact, View } from '../artifact.ts';
import { asOfFile, firstSnapshotAfter, permanentPath, type Versions } from '../as-of.ts';
import { authorsOf, catalogueTitle, licenceWords, type Organisation } from '../documents/organisation.ts';
import type { WrittenPaper } from '../documents/papers.ts';
import { BibtexFile, type Citation, formatBibtex } from '../format/bibtex.ts';
import { describe } from '../format/schema-fault.ts';

export const CITATIONS_PATH = 'academics/citations.bib';

const FORMS: Record<Artifact['mediaType'], string> = {
  'application/json': 'JSON',
  'text/csv; charset=utf-8; header=present': 'CSV',
  'application/x-bibtex; charset=utf-8': 'BibTeX',
  'application/pdf': 'PDF',
};

const PAPER_STATUS: Record<WrittenPaper['status'], string> = {
  in_preparation: 'Paper in preparation, not peer reviewed',
  draft: 'Draft, not peer reviewed',
  working_paper: 'Working paper, not peer reviewed',
  submitted: 'Submitted paper, not yet reviewed',
  forthcoming: 'Accepted paper, not yet published',
  published: 'Published paper',
};

const HEADING =
  'Entries are of the type software. biblatex knows it; a style that does not sets them as misc and says so.';

/**
 * The citation database: the system, each paper, and each dataset, restricted ones included. The table of artifacts holds
 * this artifact too, so it is read when the file is rendered.
 */
export function citations(artifacts: () => readonly Artifact[]): DocumentArtifact {
  return {
    kind: 'document',
    path: CITATIONS_PATH,
    area: 'academics',
    title: 'Citation database',
    description:
      'A BibTeX entry for the system, for each paper and for each dataset, with the time of the data cited.',
    limits: [
      'It cites the versions of its own release: keep an entry together with the data that you downloaded.',
      'Entries are of the type software; a BibTeX style that does not know it sets them as misc.',
    ],
    mediaType: 'application/x-bibtex; charset=utf-8',
    restricted: false,
    refresh: 'release',
    schema: BibtexFile,
    tables: [],
    render: (view) => formatBibtex(HEADING, list(view, artifacts()), CITATIONS_PATH),
    rows: (view) => list(view, artifacts()).length,
  };
}

function list(view: View, artifacts: readonly Artifact[]): Citation[] {
  const { documents, baseUrl, state, versions } = view;
  const cited = { organisation: documents.organisation, baseUrl, asOf: state.asOf, versions };
  return citeAll(cited, citePapers(view), artifacts);
}

/** What every list of citations has, in its order: the service, each paper, each file. */
export function citeAll(
  cited: Cited,
  papers: readonly Citation[],
  artifacts: readonly Artifact[],
): Citation[] {
  return [citeService(cited), ...papers, ...artifacts.map((artifact) => citeDataset(cited, artifact))];
}

function citeService({ organisation, baseUrl, asOf }: Cited): Citation {
  const { doi } = organisation;
  return {
    key: 'cathedral_data_service',
    ...citedData(organisation),
    title: `${catalogueTitle(organisation)} of an append-only ledger`,
    year: yearOf(asOf),
    url: `${baseUrl}/`,
    note: [
      'JSON, CSV, BibTeX and PDF files that follow from the ledger, with a signed manifest.',
      `Data under ${licenceWords(organisation)}.`,
      ...(doi === undefined ? [] : [`https://doi.org/${doi}`]),
    ].join(' '),
    permanent: `${PERMANENT} ${baseUrl}/snapshots/${firstSnapshotAfter(asOf, false)}/index.json`,
    asOf,
  };
}

/** What the citations of all data of an organisation have in common. */
export function citedData(organisation: Organisation): Pick<Citation, 'kind' | 'authors' | 'publisher'> {
  const authors = authorsOf(organisation).map((name) => ({ name, isOrganisation: true }));
  return { kind: 'data set', authors, publisher: organisation.name };
}

export function citePapers({
  documents: { papers },
  baseUrl,
}: Pick<View, 'documents' | 'baseUrl'>): Citation[] {
  return papers.map(({ citationKey: key, authors, title, year, url, path, ...paper }) =>
    citePaper({ key, authors, title, year, url: url ?? baseUrl + path, ...paper }),
  );
}

export function citePaper({
  status,
  key_result,
  ...cited
}: Pick<Citation, 'key' | 'authors' | 'title' | 'year' | 'url'> &
  Pick<WrittenPaper, 'status' | 'key_result'>): Citation {
  const { key, authors, title, year, url } = cited;
  const note = `${PAPER_STATUS[status]}. ${key_result}`;
  return {
    key,
    kind: 'paper',
    authors,
    title,
    year,
    publisher: null,
    url,
    note,
    permanent: null,
    asOf: null,
  };
}

/** The facts that a citation adds to the file's own. */
export interface Cited extends Versions {
  organisation: Organisation;
  baseUrl: string;
}

/**
 * The entry of one file, with the same words in this file and in every other citation format. It says which version is cited, the state
 * at a time or else the bytes, and where that version stays.
 */
export function citeDataset(cited: Cited, artifact: Artifact): Citation {
  const { organisation, baseUrl, versions } = cited;
  const asOf = asOfFile(cited, artifact);
  const sha256 = artifact.restricted ? undefined : versions?.get(artifact.path)?.sha256;
  const version = asOf ? `State of the ledger at ${asOf}.` : sha256 ? `SHA-256 ${sha256}.` : '';
  const terms = artifact.restricted ? 'Access with an API key.' : `${licenceWords(organisation)}.`;
  return {
    key: `cathedral_${toKey(artifact.path)}`,
    ...citedData(organisation),
    title: artifact.title,
    year: yearOf(asOf ?? cited.asOf),
    url: `${baseUrl}/${artifact.path}`,
    note: [`${FORMS[artifact.mediaType]} file.`, version, terms].filter((words) => words !== '').join(' '),
    permanent: artifact.restricted ? null : permanentAddress(`${baseUrl}/`, artifact.path, asOf, sha256),
    asOf,
  };
}

const PERMANENT = 'Permanent address:';

/** Snapshots have the versions by time. A text has none, so its version is named by its bytes, whatever snapshot has them. */
function permanentAddress(
  root: string,
  path: string,
  asOf: string | null,
  sha256: string | undefined,
): string | null {
  if (asOf !== null) return `${PERMANENT} ${root}${permanentPath(path, asOf)}`;
  return sha256 === undefined ? null : `${PERMANENT} ${root}${path}?sha256=${sha256}`;
}

/** `economy/mic-history.csv` → `economy_mic_history_csv`. */
function toKey(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}

function yearOf(time: string): string {
  const year = /^(\d{4})-\d{2}-\d{2}T/.exec(time)?.[1];
  if (year !== undefined) return year;
  const expected = 'a ledger whose last event has a time';
  throw new CathedralError('artifact_invalid', { place: CITATIONS_PATH, expected, found: describe(time) });
}
