import type { Area } from '../../../pipeline/artifacts/artifact.ts';

/** One request that is about to be answered with data. */
export interface Take {
  /** `2025-12-01` */
  day: string;
  area: Area;
  /** Who is counted; never an address as it is. */
  subject: string;
  /** What the count may reach. */
  limit: number;
}

/**
 * Where requests are counted. Everything in it is exact whoever else counts in the same place, and what was answered
 * outlives the process, however that ends. Each method rejects with store_failed where the store does not work.
 */
export interface CountStore {
  /** All in one step. For each its number of the day, from 1, or null: the limit was reached before, nothing was counted. */
  takeAll(takes: readonly Take[]): Promise<readonly (number | null)[]>;
  /** How many were counted; 0 for who was never seen. */
  count(day: string, area: Area, subject: string): Promise<number>;
  /** The day's secret: the same for all who ask. `candidate` becomes it where the day has none yet. */
  secret(day: string, candidate: Uint8Array): Promise<Uint8Array>;
  /** Removes counts and secrets of the days before this one, so that they cannot be brought back. */
  prune(before: string): Promise<void>;
  /** Writes something, and nothing that is counted: rejects where counting would. */
  check(): Promise<void>;
  close(): Promise<void>;
}
