import type { Area, Artifact } from '../../artifacts/artifact.ts';
import { asOfFile } from '../../artifacts/as-of.ts';
import type { Organisation } from '../../artifacts/documents/organisation.ts';
import type { PaperCitation } from '../../artifacts/format/bibtex.ts';
import { ARTIFACTS, LIVE_PATHS } from '../../artifacts/table.ts';
import { yearText } from '../../model/period.ts';
import type { Blob, DraftFile, Facts } from '../../release/format/manifest.ts';
import { lineSchemaPath, schemaPath } from '../../release/format/schemas.ts';
import { formPath, TABLES, type Table, yearIn } from '../tables.ts';

/** What the catalogues follow from: the public facts of a release, and the times of the ledger. */
export interface CatalogueFacts {
  /** Without a slash at the end. */
  baseUrl: string;
  organisation: Organisation;
  /** Name and version of the software that makes the release. */
  software: string;
  /** Times of the first and the last event. */
  since: string;
  asOf: string;
  ledger: Facts['ledger'];
  papers: readonly PaperCitation[];
  /** The files staged so far. */
  files: readonly DraftFile[];
  /** Paths of the PDFs that are printed later, from the pages. */
  printed: readonly string[];
}

export const DESCRIPTION =
  'Open data of an append-only ledger: supply and minting of MIC, the integrity index, sentinels and their coordination, deliberations and decisions, treaty documents. Every number follows from the ledger alone and can be verified against it.';
/** All public tables in one file. */
export const DATABASE = {
  path: 'cathedral.sqlite',
  title: 'All public tables',
  description:
    'Every public table in one SQLite file, with types, keys and indices; the tables _meta and _about describe them.',
} as const;

/** A published file with everything that can be downloaded of it. */
export interface Dataset {
  path: string;
  title: string;
  description: string;
  /** Null for the file of all tables. */
  artifact: Artifact | null;
  area: Area | null;
  restricted: boolean;
  /** The path of the page that describes it. */
  page: string;
  /** Time of the last event that it reflects; null for a written text. */
  asOf: string | null;
  tables: readonly Table[];
  /** The file itself first; empty if it is restricted. */
  downloads: readonly Download[];
}

/** A file that everyone can download. */
export interface Download {
  path: string;
  /** The path without slashes: `economy-mic-history.csv`. */
  name: string;
  title: string;
  /** Without parameters. */
  mediaType: string;
  /** As data portals call it: `CSV`. */
  format: string;
  /** The path of its schema. */
  schema: string | null;
  rows: number | null;
  /**
   * Null for what differs from one request to the next, so that no catalogue promises a digest that a download does not have: a real-time
   * file has new bytes with each event. Null also for a PDF, which is printed after the catalogues are written.
   */
  blob: Blob | null;
}

/** The format of each media type. */
const FORMATS: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'application/pdf': 'PDF',
  'application/vnd.apache.parquet': 'Parquet',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'XLSX',
  'application/vnd.sqlite3': 'SQLite',
  'application/x-bibtex': 'BibTeX',
  'application/x-ndjson': 'NDJSON',
  'text/csv': 'CSV',
};

/** What lists the files of a release: `paths` those with a prefix, `willHave` also knows those that are printed later. */
export interface Listing {
  find(path: string): DraftFile | undefined;
  paths(prefix: string): readonly string[];
  willHave(path: string): boolean;
}

function listingOf({ files, printed }: Pick<CatalogueFacts, 'files' | 'printed'>): Listing {
  const versions = versionsOf({ files });
  return {
    find: (path) => versions.get(path),
    paths: (prefix) => [...versions.keys()].filter((path) => path.startsWith(prefix)),
    willHave: (path) => versions.has(path) || printed.includes(path),
  };
}

/** The files, by path. */
export function versionsOf({ files }: Pick<CatalogueFacts, 'files'>): ReadonlyMap<string, DraftFile> {
  return new Map(files.map((file) => [file.path, file]));
}

/** Every artifact in the order of the table, and the database at the end. */
export function datasetsOf(facts: CatalogueFacts): Dataset[] {
  const versions = versionsOf(facts);
  const listing = listingOf(facts);
  const database = versions.get(DATABASE.path);
  return [
    ...ARTIFACTS.map((artifact) => ({
      ...artifact,
      artifact,
      page: pagePath(artifact),
      asOf: asOfFile({ asOf: facts.asOf, versions }, artifact),
      tables: TABLES.filter((table) => table.artifact === artifact),
      downloads: downloadsOf(artifact, listing),
    })),
    ...(database ? [databaseOf(facts, database)] : []),
  ];
}

function databaseOf({ asOf }: CatalogueFacts, file: DraftFile): Dataset {
  const about = { ...DATABASE, artifact: null, area: null, restricted: false, page: 'files/', tables: [] };
  return { ...about, asOf, downloads: [downloadOf(file, DATABASE.title, null)] };
}

/** The file itself, the files of closed years, and its tables in other formats. */
export function downloadsOf(artifact: Artifact, listing: Listing): Download[] {
  const { path, title, restricted } = artifact;
  if (restricted) return [];
  const at = (path: string, title: string, schema: string | null): Download[] => {
    const file = listing.find(path);
    if (file) return [downloadOf(file, title, schema)];
    return listing.willHave(path)
      ? [downloadOf({ path, media_type: artifact.mediaType }, title, schema)]
      : [];
  };
  const schema = schemaPath(artifact);
  const closed = closedFiles(artifact, listing).flatMap(({ path, year }) =>
    at(path, `${title} ${year}`, schema),
  );
  const tables = TABLES.filter((table) => table.artifact === artifact).flatMap((table) => [
    ...at(formPath(table, '.ndjson'), table.title, lineSchemaPath(artifact)),
    ...at(formPath(table, '.xlsx'), table.title, null),
    ...listing
      .paths(formPath(table, '-'))
      .filter((one) => yearIn(table, one) !== undefined)
      .flatMap((one) => at(one, table.title, null)),
  ]);
  return [...at(path, title, schema), ...closed, ...tables];
}

/** The files of the closed years of a yearly artifact, oldest first. The data of a year has the same name as its printed report. */
function closedFiles(artifact: Artifact, listing: Listing): { path: string; year: string }[] {
  if (!('closedPath' in artifact)) return [];
  const stem = artifact.closedPath(0).slice(0, artifact.closedPath(0).indexOf(yearText(0)));
  const years = listing.paths(stem).map((path) => path.slice(stem.length, stem.length + 4));
  return [...new Set(years)]
    .filter((year) => /^\d{4}$/.test(year))
    .map((year) => ({ path: artifact.closedPath(Number(year)), year }));
}

function downloadOf(
  file: Pick<DraftFile, 'path' | 'media_type'> & Partial<DraftFile>,
  title: string,
  schema: string | null,
): Download {
  const { path, media_type, rows = null, bytes, sha256 } = file;
  const mediaType = media_type.split(';', 1)[0]!;
  const isFixed =
    bytes !== undefined &&
    sha256 !== undefined &&
    mediaType !== 'application/pdf' &&
    !LIVE_PATHS.includes(path);
  return {
    path,
    name: path.replaceAll('/', '-').toLowerCase(),
    title,
    mediaType,
    format: FORMATS[mediaType] ?? mediaType,
    schema,
    rows,
    blob: isFixed ? { bytes, sha256 } : null,
  };
}

/** The path of the page that describes a file. */
export function pagePath({ path }: Pick<Artifact, 'path'>): string {
  return `files/${path}/`;
}
