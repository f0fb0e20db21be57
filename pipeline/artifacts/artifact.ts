import type * as z from 'zod/mini';
import type { Companions } from '../attestation/companions.ts';
import type { KnownType } from '../ledger/events/event.ts';
import type { Leaf } from '../ledger/log/leaf.ts';
import type { State } from '../model/state.ts';
import type { Documents } from './documents.ts';

/** The five areas and the path prefix of each. */
export const AREAS = ['government', 'economy', 'academics', 'philosophy', 'diplomacy'] as const;
export type Area = (typeof AREAS)[number];

/** `economy/supply` → `economy` */
export function areaOf(path: string): Area {
  return path.split('/', 1)[0] as Area;
}

/** Everything that a file is rendered from, so the same ledger gives the same bytes. */
export interface View {
  state: State;
  documents: Documents;
  companions: Companions;
  /** Where the service is reachable, without a slash at the end: `https://data.example.org`. */
  baseUrl: string;
  /** The files that are already written, by path: the citation database is written last and cites their versions. */
  versions?: ReadonlyMap<string, FileVersion>;
}

/** What tells one version of a file from another. */
export interface FileVersion {
  /** Time of the last event that it reflects. Absent where it has none of its own, as a written text. */
  as_of?: string | undefined;
  sha256: string;
}

/** A list of rows in a public file. It is also published as a table of its own: in SQLite, Parquet, XLSX and NDJSON. */
export interface FileTable {
  /** snake_case, unique: the table's name in SQLite, and with `-` for `_` the name of its files. */
  name: string;
  /**
   * Where the rows are in a JSON file, as the data dictionary writes it: `sentinels[]`, `by_cathedral.<name>`,
   * `deliberations[].sentinels[]`. Omitted for a CSV, and for a JSON document that is itself the only row.
   */
  from?: string;
  /** Its heading; the file's title by default. */
  title?: string;
  /** For rows that are named members (`<name>`): the column that holds the name. */
  named?: string;
  /** For a list inside the rows of another list: the column that holds the outer row's member. */
  parent?: { column: string; member: string };
  /** Columns that identify a row. Empty where the ledger may repeat an id: to correct a decision, to reopen a deliberation. */
  key: readonly string[];
  /** Column → the table whose key it holds. */
  references?: Readonly<Record<string, string>>;
}

/** A change of a file's schema since the first version of the software. */
export interface SchemaChange {
  /** The software version that brought it. */
  version: string;
  /** YYYY-MM-DD. */
  date: string;
  /** What the author of a program that reads the file has to know. A sentence. */
  change: string;
}

/** The beginning of each schema's history. */
export const FIRST_VERSION: SchemaChange = {
  version: '1.0.0',
  date: '2026-11-22',
  change: 'First published.',
};

/** A value that pages keep up to date from the live stream. */
export interface LiveValue {
  /** The list that holds it. Pages name a row of the list by its `id`. */
  list: string;
  /** The members that lead from the row to the value: `['performance', 'gi_score']`. */
  members: readonly string[];
  /** How pages write it. */
  format: 'word' | 'time' | 'integer' | 'score' | 'points';
}

/** Everything known about a file. Pages, schemas, other formats, citations, OpenAPI and the data dictionary are derived from it. */
interface Described {
  /** The path below the service's root, exactly as published: `economy/supply`, `economy/mic-history.csv`. */
  path: string;
  area: Area;
  title: string;
  /** One or two sentences of plain text for a reader who has never heard of the file. */
  description: string;
  /**
   * What a reader has to know before relying on the file: what it leaves out, and where it misleads. Sentences. `limitsOf` adds what
   * follows from its kind.
   */
  limits: readonly string[];
  mediaType:
    | 'application/json'
    | 'text/csv; charset=utf-8; header=present'
    | 'application/x-bibtex; charset=utf-8'
    | 'application/pdf';
  /** True: the file is never in the public tree and is only served with a key. */
  restricted: boolean;
  /**
   * An invented example of a restricted file, whose contents must not appear in public documents: the whole document of a
   * JSON file, the rows of a CSV. The example of a public file is its own beginning.
   */
  example?: unknown;
  /**
   * The types of events that its numbers follow from, beyond the list and the counts of all events. A test computes them: it compares the
   * file with that of the same ledger without what the events of the type say. An event that contradicts others may change
   * government/sentinel-status.json as well, whatever its type.
   */
  followsFrom?: readonly KnownType[];
  /** How soon a change in the ledger shows: with the next event, or with the next release. */
  refresh: 'real-time' | 'release';
  /** Values that pages update live, by name; only for real-time files. */
  liveValues?: Readonly<Record<string, LiveValue>>;
}

interface Structured extends Described {
  /** Strict. Describes the whole document of a JSON file, one row of a CSV. Members carry description, unit, range and formula. */
  schema: z.ZodMiniType;
  /** Empty for restricted files, and for files that hold no list worth a table. */
  tables: readonly FileTable[];
  /** Newest first. */
  schemaChanges?: readonly SchemaChange[];
}

/** A file that is rendered whole from the state: small, however long the history is. */
export interface DocumentArtifact extends Structured {
  kind: 'document';
  /** The text of the file. Throws CathedralError artifact_invalid where it does not fit `schema`. */
  render(view: View): string;
  /** The number of data rows, for tables. */
  rows?(view: View): number;
}

/**
 * A file that grows at its front. Its bytes are head(view), the rows (newest first, joined by `separator`) and `tail`. So
 * an old version is its own head plus the last bytes of today's file, which is how snapshots are published.
 */
export interface HistoryArtifact extends Structured {
  kind: 'history';
  /** `''` for CSV, whose rows end with their own line end; `',\n'` for a JSON array. */
  separator: '' | ',\n';
  head(view: View): string;
  /** The same in every release. */
  tail: string;
  /**
   * A row in JSON lines, Parquet and SQLite, strict: its columns, except lists of objects, and then the events that it follows from, by their
   * index in the log. The last member may be a list of them. Null for a history without other formats.
   */
  line: z.ZodMiniObject | null;
  /**
   * The rows that one event adds, oldest first, checked against the schema. Each is linked with that event. Not called for a history by
   * day.
   */
  rows(leaf: Leaf): string[];
  /**
   * For a history by day, instead: the rows of a finished day, oldest first, from the state after the day's last event. Called
   * before the first event of a later day is folded in.
   */
  dayRows?(state: State): string[];
  /** The events of each of `dayRows`, as the end of `line` has them. By default, the first and the last one of the day. */
  dayEvents?(state: State): readonly (readonly number[])[];
  /** False: the release holds only the segments, and the server assembles each response (the audit trail export). */
  assembled: boolean;
}

/** A JSON document of the year so far, and one for each closed year (`government/transparency-2025.json`) that never changes. */
export interface YearlyArtifact extends Structured {
  kind: 'yearly';
  /** `closed`: the year is over, and `view` holds the state after its last event. */
  render(view: View, closed: boolean): string;
  /** The path of a closed year's file. */
  closedPath(year: number): string;
}

/** A PDF printed from a page of the site, for the year so far and for each closed year. */
export interface PrintedArtifact extends Described {
  kind: 'printed';
  /** The page that is printed for the year so far: `/government/transparency/`. */
  page: string;
  closedPage(year: number): string;
  closedPath(year: number): string;
}

export type Artifact = DocumentArtifact | HistoryArtifact | YearlyArtifact | PrintedArtifact;
