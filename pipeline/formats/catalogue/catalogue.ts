import type { Area, Artifact } from '../../artifacts/artifact.ts';
import { asOfFile, type Versions } from '../../artifacts/as-of.ts';
import { catalogueTitle, type Organisation } from '../../artifacts/documents/organisation.ts';
import type { Citation } from '../../artifacts/format/bibtex.ts';
import { ARTIFACTS, LIVE_PATHS } from '../../artifacts/table.ts';
import { yearText } from '../../model/period.ts';
import type { Blob, DraftFile, Facts } from '../../release/format/manifest.ts';
import { lineSchemaPath, schemaPath } from '../../release/format/schemas.ts';
import { formPath, TABLES, type Table, yearIn } from '../tables.ts';

/** What the description of a release follows from: its public facts, and the times of the ledger. */
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
  papers: readonly Citation[];
  /** The files staged so far. */
  files: readonly DraftFile[];
  /** Paths of the PDFs that are printed later, from the pages. */
  printed: readonly string[];
}

/** The one description of the published data. Every catalogue is a serialiser of it: Data Package, DCAT, Croissant and the others. */
export interface Catalogue extends Omit<CatalogueFacts, 'files' | 'printed'>, Required<Versions> {
  title: string;
  description: string;
  keywords: readonly string[];
  datasets: readonly Dataset[];
}

/** A published file with everything that can be downloaded of it. */
export interface Dataset {
  path: string;
  title: string;
  description: string;
  keywords: readonly string[];
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
  /** Null for the rows or the report of one year, which the title names. */
  description: string | null;
  /** Without parameters. */
  mediaType: string;
  /** The path of its schema. */
  schema: string | null;
  rows: number | null;
  /**
   * Null for what differs from one request to the next, so that no catalogue promises a digest that a download does not have: a real-time
   * file has new bytes with each event. Null also for a PDF, which is printed after the catalogues are written.
   */
  blob: Blob | null;
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

/** Every artifact in the order of the table, and the database at the end. */
export function describeCatalogue({ files, printed, ...facts }: CatalogueFacts): Catalogue {
  const versions = versionsOf(files);
  const listing = {
    find: (path: string) => versions.get(path),
    paths: (prefix: string) => [...versions.keys()].filter((path) => path.startsWith(prefix)),
    willHave: (path: string) => versions.has(path) || printed.includes(path),
  };
  const database = versions.get(DATABASE.path);
  return {
    ...facts,
    versions,
    title: catalogueTitle(facts.organisation),
    description: DESCRIPTION,
    keywords: ['open data', 'ledger', 'transparency', 'integrity'],
    datasets: [
      ...ARTIFACTS.map((artifact) => datasetOf({ asOf: facts.asOf, versions }, artifact, listing)),
      ...(database ? [databaseOf(facts.asOf, database)] : []),
    ],
  };
}

/** The files, by path. */
export function versionsOf(files: readonly DraftFile[]): ReadonlyMap<string, DraftFile> {
  return new Map(files.map((file) => [file.path, file]));
}

/** What lists the files of a release: `paths` those with a prefix, `willHave` also knows those that are printed later. */
export interface Listing {
  find(path: string): DraftFile | undefined;
  paths(prefix: string): readonly string[];
  willHave(path: string): boolean;
}

/** A file of the table of artifacts, as a release lists it. */
export function datasetOf(release: Versions, artifact: Artifact, listing: Listing): Dataset {
  const { path, title, description, area, restricted } = artifact;
  return {
    ...{ path, title, description, area, restricted, artifact },
    keywords: [area],
    page: `files/${path}/`,
    asOf: asOfFile(release, artifact),
    tables: TABLES.filter((table) => table.artifact === artifact),
    downloads: restricted ? [] : downloadsOf(artifact, listing),
  };
}

function databaseOf(asOf: string, file: DraftFile): Dataset {
  const about = { ...DATABASE, artifact: null, area: null, restricted: false, page: 'files/', tables: [] };
  return { ...about, keywords: ['SQLite'], asOf, downloads: [downloadOf(file, DATABASE, null)] };
}

/** The file itself, the files of closed years, and its tables in other formats. */
function downloadsOf(artifact: Artifact, listing: Listing): Download[] {
  const { path, mediaType } = artifact;
  const at = (path: string, about: About, schema: string | null): Download[] => {
    const file = listing.find(path);
    if (!file && !listing.willHave(path)) return [];
    return [downloadOf(file ?? { path, media_type: mediaType }, about, schema)];
  };
  const schema = schemaPath(artifact);
  const closed = closedFiles(artifact, listing).flatMap(({ path, year }) =>
    at(path, ofYear(artifact, year), schema),
  );
  const tables = TABLES.filter((table) => table.artifact === artifact).flatMap((table) => [
    ...at(formPath(table, '.ndjson'), table, lineSchemaPath(artifact)),
    ...at(formPath(table, '.xlsx'), table, null),
    ...listing.paths(formPath(table, '-')).flatMap((one) => {
      const year = yearIn(table, one);
      return year === undefined ? [] : at(one, ofYear(table, year), null);
    }),
  ]);
  return [...at(path, artifact, schema), ...closed, ...tables];
}

type About = Pick<Download, 'title' | 'description'>;

function ofYear({ title }: Pick<About, 'title'>, year: string): About {
  return { title: `${title} ${year}`, description: null };
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
  { title, description }: About,
  schema: string | null,
): Download {
  const { path, media_type, rows = null, bytes, sha256 } = file;
  const mediaType = media_type.split(';', 1)[0]!;
  const isWritten = bytes !== undefined && sha256 !== undefined;
  const isFixed = mediaType !== 'application/pdf' && !LIVE_PATHS.includes(path);
  const name = path.replaceAll('/', '-').toLowerCase();
  return {
    path,
    name,
    title,
    description,
    mediaType,
    schema,
    rows,
    blob: isWritten && isFixed ? { bytes, sha256 } : null,
  };
}
