import type { Area } from '../../../pipeline/artifacts/artifact.ts';

/** One request that is about to be answered with data. */
export interface CountRequest {
  /** `2025-12-01` */
  day: string;
  area: Area;
  /** The counted subject; never a plain address. */
  subject: string;
  /** The highest permitted count. */
  limit: number;
}

/**
 * The storage of request counts. Counts stay exact when several processes share the storage, and the counts of answered
 * requests survive a kill. Every method rejects with store_failed if the storage fails.
 */
export interface CountStore {
  /**
   * Counts all requests in one transaction. Returns each request's number within the day, from 1, or null if the limit was
   * already reached and nothing was counted.
   */
  takeAll(takes: readonly CountRequest[]): Promise<readonly (number | null)[]>;
  /** The current count; 0 for an unknown subject. */
  count(day: string, area: Area, subject: string): Promise<number>;
  /** The secret of the day, the same for all callers. Stores `candidate` if the day has none yet. */
  secret(day: string, candidate: Uint8Array): Promise<Uint8Array>;
  /** Deletes the counts and secrets of earlier days beyond recovery. */
  prune(before: string): Promise<void>;
  /** Writes without counting. Rejects if counting would. */
  check(): Promise<void>;
  close(): Promise<void>;
}
