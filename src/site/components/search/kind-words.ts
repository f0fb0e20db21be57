import type { SearchKind } from '../../../../pipeline/release/format/search-kinds.ts';

/** What readers call the kinds of pages, one and many. */
export const KIND_WORDS: Readonly<Record<SearchKind, { one: string; many: string }>> = {
  sentinel: { one: 'Sentinel', many: 'Sentinels' },
  deliberation: { one: 'Deliberation', many: 'Deliberations' },
  decision: { one: 'Decision', many: 'Decisions' },
  cycle: { one: 'Cycle', many: 'Cycles' },
  chart: { one: 'Chart', many: 'Charts' },
  file: { one: 'File', many: 'Files' },
  page: { one: 'Page', many: 'Other pages' },
};
