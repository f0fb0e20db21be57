import type { Artifact } from '../../artifacts/artifact.ts';
import { ARTIFACTS } from '../../artifacts/table.ts';
import type { DraftFile, Facts } from '../../release/format/manifest.ts';
import { TABLES, type Table } from '../tables.ts';

/** What the catalogues follow from: the public facts of a release, and the times of the ledger. */
export interface CatalogueFacts {
  /** Without a slash at the end. */
  baseUrl: string;
  /** The publishing organisation. */
  author: string;
  /** Name and version of the software that makes the release. */
  software: string;
  /** Times of the first and the last event. */
  since: string;
  asOf: string;
  /** Label of the cycle of the last event. */
  cycle: string;
  ledger: Facts['ledger'];
  /** The files staged so far. */
  files: readonly DraftFile[];
}

export const TITLE = 'Cathedral Data Service';
export const DESCRIPTION =
  'Open data of an append-only ledger: supply and minting of MIC, the integrity index, sentinels and their coordination, deliberations and decisions, treaty documents. Every number follows from the ledger alone and can be verified against it.';
export const LICENCE = {
  name: 'CC-BY-4.0',
  title: 'Creative Commons Attribution 4.0 International',
  path: 'https://creativecommons.org/licenses/by/4.0/',
} as const;
/** All public tables in one file. */
export const DATABASE = {
  path: 'cathedral.sqlite',
  title: 'All public tables',
  description:
    'Every public table in one SQLite file, with types, keys and indices; the tables _meta and _about describe them.',
} as const;
const EXTRA_FORMS = ['.ndjson', '.xlsx', '.parquet'];

/** An artifact with every format in which it can be downloaded. */
export interface Described {
  artifact: Artifact;
  tables: readonly Table[];
  /** The file itself first; empty if it is restricted. */
  files: readonly DraftFile[];
}

/** The files, by path. */
export function versionsOf({ files }: Pick<CatalogueFacts, 'files'>): ReadonlyMap<string, DraftFile> {
  return new Map(files.map((file) => [file.path, file]));
}

/** Every artifact in the order of the table. */
export function describedFiles({ files }: Pick<CatalogueFacts, 'files'>): Described[] {
  const byPath = new Map(files.filter(({ restricted }) => !restricted).map((file) => [file.path, file]));
  return ARTIFACTS.map((artifact) => {
    const tables = TABLES.filter((table) => table.artifact === artifact);
    const own = byPath.get(artifact.path);
    const forms = tables.flatMap((table) => files.filter(({ path }) => isFormOf(path, table)));
    return { artifact, tables, files: [...(own ? [own] : []), ...forms] };
  });
}

/** `economy/mic-history-2026.parquet` is a format of `mic_history`. */
function isFormOf(path: string, { name, artifact: { area } }: Table): boolean {
  const stem = `${area}/${name.replaceAll('_', '-')}`;
  if (!path.startsWith(stem)) return false;
  return EXTRA_FORMS.includes(path.slice(stem.length).replace(/^-\d{4}(?=\.parquet$)/, ''));
}

/** The page that describes a file. */
export function pageUrl(
  { baseUrl }: Pick<CatalogueFacts, 'baseUrl'>,
  { path }: Pick<Artifact, 'path'>,
): string {
  return `${baseUrl}/files/${path}/`;
}

/** `economy/mic-history.csv` → `economy-mic-history.csv`: a name without a slash. */
export function plainName(path: string): string {
  return path.replaceAll('/', '-').toLowerCase();
}

/** A media type without its parameters. */
export function plainType(mediaType: string): string {
  return mediaType.split(';', 1)[0]!;
}
