import type { Virtue } from '../../pipeline/ledger/events/vocabulary.ts';

export type { Virtue };

/** The ledger's virtues in its order. Repeated here so that a page with the engine need not load the event schemas. */
export const VIRTUES = [
  'integrity',
  'temperance',
  'justice',
  'prudence',
  'courage',
] as const satisfies readonly Virtue[];

export type ByVirtue = Readonly<Record<Virtue, number>>;

/** Calls `of` for each virtue, in their order. */
export function byVirtue(of: (virtue: Virtue) => number): ByVirtue {
  return Object.fromEntries(VIRTUES.map((virtue) => [virtue, of(virtue)])) as ByVirtue;
}
