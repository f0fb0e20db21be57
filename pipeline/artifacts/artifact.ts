import type { z } from 'zod';
import type { Companions } from '../attestation/companions.ts';
import type { Leaf } from '../ledger/leaf.ts';
import type { State } from '../model/state.ts';
import type { Documents } from './documents.ts';

/** The five areas and the path prefix of each. */
export const AREAS = ['government', 'economy', 'academics', 'philosophy', 'diplomacy'] as const;
export type Area = (typeof AREAS)[number];

/** What a document or a row is made of: nothing else reaches it, so the same ledger gives the same bytes. */
export interface View {
  state: State;
  documents: Documents;
  companions: Companions;
  /** Where the service is reachable, without a slash at the end: `https://data.example.org`. */
  baseUrl: string;
}

interface Described {
  /** The path below the service's root, exactly as published: `economy/supply`, `economy/mic-history.csv`. */
  path: string;
  area: Area;
  title: string;
  /** One or two sentences for a reader who has never heard of it; plain text. */
  description: string;
  mediaType:
    | 'application/json'
    | 'text/csv; charset=utf-8; header=present'
    | 'application/x-bibtex; charset=utf-8'
    | 'application/pdf';
  /** True: never in the public tree, served to a key only. */
  restricted: boolean;
  /** How soon a change in the ledger shows: with the next event, or with the next release. */
  refresh: 'real-time' | 'release';
}

/** A file that is rendered whole from the state: small, whatever the history's length. */
export interface DocumentArtifact extends Described {
  kind: 'document';
  /** Of the parsed file: a strict object for JSON, of one row for CSV. Members carry description, unit, range, formula as meta. */
  schema: z.ZodType;
  /** The whole file's text. Throws CathedralError artifact_invalid where it does not fit `schema`. */
  render(view: View): string;
  /** Data rows in the file, where it is a table. */
  rows?(view: View): number;
}

/**
 * A file that grows at its front: rows newest first. Its bytes are
 * head(view) + rows joined by `separator`, newest first + tail. What it was once is therefore its head of then and the end
 * of what it is now, which is how older snapshots are published.
 */
export interface HistoryArtifact extends Described {
  kind: 'history';
  schema: z.ZodType;
  /** `''` for CSV, whose rows end with their own line end; `',\n'` for a JSON array. */
  separator: '' | ',\n';
  head(view: View): string;
  /** The same in every release. */
  tail: string;
  /** The rows that one event adds, oldest first, checked against the schema. */
  rows(leaf: Leaf): string[];
  /**
   * Of a history by day: the rows of a day that is over, in the order of `rows`, from the state after the day's last
   * event. It is called before the first event of a later day is folded in.
   */
  dayRows?(state: State): string[];
  /** False: the file is never put together; the release holds its segments only (the audit trail's export). */
  assembled: boolean;
}

/** A JSON document of the year so far, and one per closed year (`government/transparency-2025.json`) that never changes. */
export interface YearlyArtifact extends Described {
  kind: 'yearly';
  schema: z.ZodType;
  /** `closed`: the state is the one after the year's last event, and the report is final. */
  render(view: View, closed: boolean): string;
  /** The path of a closed year's file. */
  closedPath(year: number): string;
}

/** A PDF printed from a page of the site, for the year so far and for each closed year. */
export interface PrintedArtifact extends Described {
  kind: 'printed';
  /** The page it is printed from, for the year so far: `/government/transparency/`. */
  page: string;
  closedPage(year: number): string;
  closedPath(year: number): string;
}

export type Artifact = DocumentArtifact | HistoryArtifact | YearlyArtifact | PrintedArtifact;
