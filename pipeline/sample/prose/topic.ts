import type { Virtue } from '../../ledger/event.ts';
import type { SentinelId } from '../../model/sentinel-profiles.ts';

/**
 * What the sentinels have to say on one question. Texts hold places like `{amount}`: of the subject in hand, and
 * `{quarter}`, `{nextQuarter}`, `{cycle}` of the day. Each text is whole sentences, but for `conditions`, which go on
 * after "on condition", and `questions`, which go on after "it is not known".
 */
export interface Topic {
  /** The question, without a mark at its end. */
  question: string;
  /** What it is asked about; each time it comes up, the next one. */
  subjects: readonly Readonly<Record<string, string>>[];
  /** Virtues that are at stake. */
  virtues: readonly Virtue[];
  /** Share of the sentinels that tend to be against. */
  contested: number;
  for: Readonly<Record<SentinelId, string>>;
  /** Who has nothing here does not oppose. */
  against: Readonly<Partial<Record<SentinelId, string>>>;
  conditions: readonly string[];
  questions: readonly string[];
  /** How it ends: consensus in favour, consensus against, no consensus. */
  adopted: string;
  declined: string;
  open: string;
  /** For the decision archive. */
  frameworks: readonly string[];
  reasoning: readonly string[];
  lessons: readonly string[];
}
