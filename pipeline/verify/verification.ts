import { CathedralError, type ErrorCode } from '../errors.ts';
import type { PublicManifest } from '../release/format/public-manifest.ts';
import { withClientErrors } from './origin/client-errors.ts';

/** One thing that is not as it should be. */
export interface Finding {
  code: ErrorCode;
  place: string;
  expected: string;
  found: string;
}

/** What was looked at, in this order. */
export const CHECKS = ['signature', 'freshness', 'files', 'log', 'checkpoint', 'snapshots'] as const;
export type Check = (typeof CHECKS)[number];

export interface Verdict {
  check: Check;
  state: 'verified' | 'failed' | 'not checked';
  /** A clause: what was compared, or why it was not. */
  detail: string;
}

export interface Verification {
  /** What is signed; null where nothing is. */
  manifest: PublicManifest | null;
  verdicts: Verdict[];
  findings: Finding[];
  /** What is signed, and makes trouble all the same. */
  warnings: string[];
  /** Paths that answered with newer data than the release, which nobody has signed; in order. */
  notProven: string[];
}

/** Collects verdicts: a check that throws has failed, and the others go on. */
export class Findings {
  readonly #verdicts: Verdict[] = [];
  readonly #findings: Finding[] = [];
  readonly #warnings: string[] = [];
  #notProven: readonly string[] = [];

  result(): Omit<Verification, 'manifest'> {
    const [verdicts, findings, warnings] = [this.#verdicts, this.#findings, this.#warnings];
    return { verdicts, findings, warnings, notProven: [...this.#notProven] };
  }

  warn(warning: string): void {
    this.#warnings.push(warning);
  }

  /** Answers that are neither right nor wrong by what is signed. */
  leaveOpen(paths: readonly string[]): void {
    this.#notProven = paths;
  }

  /** `work` gives the detail. Null: it failed. */
  async check(check: Check, work: () => Promise<string>): Promise<void> {
    const before = this.#findings.length;
    const detail = await this.attempt(work);
    const found = this.#findings.length - before;
    if (found === 0) this.#verdicts.push({ check, state: 'verified', detail: detail! });
    else
      this.#verdicts.push({ check, state: 'failed', detail: `${found} ${found === 1 ? 'fault' : 'faults'}` });
  }

  skip(check: Check, why: string): void {
    this.#verdicts.push({ check, state: 'not checked', detail: why });
  }

  /** What `work` gives; null where it throws, which is a finding. */
  async attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await withClientErrors(work);
    } catch (error) {
      // What ends the run says nothing of the file that was to be read.
      if (!(error instanceof CathedralError) || error.code === 'mirror_stopped') throw error;
      const { code, place, expected, found } = error;
      this.#findings.push({ code, place, expected, found });
      return null;
    }
  }
}
