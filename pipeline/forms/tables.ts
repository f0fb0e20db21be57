import type { Artifact } from '../artifacts/artifact.ts';
import { ARTIFACTS } from '../artifacts/table.ts';
import { type Column, columnsOf } from './columns.ts';

/** A table as a list of it: where its rows are in a published file, and what tells them apart. */
interface Listed {
  /** snake_case, unique: the table's name in SQLite, and with `-` for `_` the name of its files. */
  name: string;
  /** Of the artifact that holds it. */
  path: string;
  /**
   * Where the rows are in a JSON file, as the data dictionary writes it: `sentinels[]`, `by_cathedral.<name>`,
   * `deliberations[].sentinels[]`. Without it, the file is a CSV, or one row.
   */
  from?: string;
  /** Heading, where the file has more than this table. */
  title?: string;
  /** Of `<name>`: the column that holds the name. */
  named?: string;
  /** Of a list within a list: the column that holds the outer row's member. */
  parent?: { column: string; member: string };
  /**
   * Columns that tell rows apart; none where rows may repeat, as they do wherever a ledger may give an id again: to correct
   * a decision, to reopen a deliberation.
   */
  key: readonly string[];
  /** Column → the table whose key it holds. */
  references?: Readonly<Record<string, string>>;
}

const SENTINEL = { sentinel: 'sentinel_status' };
const ID_IS_SENTINEL = { id: 'sentinel_status' };

/**
 * Every public table. The audit trail is not one of them, for it is behind a key; nor are files that hold no list
 * (the transparency report), or prose (papers, citations).
 */
const LISTED: readonly Listed[] = [
  {
    name: 'sentinel_status',
    path: 'government/sentinel-status.json',
    from: 'sentinels[]',
    key: ['id'],
  },
  {
    name: 'alerts',
    path: 'government/sentinel-status.json',
    from: 'alerts[]',
    title: 'Alerts',
    key: ['id'],
    references: SENTINEL,
  },
  { name: 'supply', path: 'economy/supply', key: [] },
  { name: 'mii', path: 'economy/mii', key: [] },
  {
    name: 'coordination',
    path: 'economy/coordination',
    from: 'sentinels[]',
    key: ['id'],
    references: ID_IS_SENTINEL,
  },
  {
    name: 'roi',
    path: 'economy/roi',
    from: 'by_cathedral.<name>',
    named: 'cathedral',
    key: ['cathedral'],
  },
  { name: 'mic_history', path: 'economy/mic-history.csv', key: [], references: SENTINEL },
  {
    name: 'sentinel_roi',
    path: 'economy/sentinel-roi.json',
    from: 'sentinels[]',
    key: ['id'],
    references: ID_IS_SENTINEL,
  },
  { name: 'cathedral_multipliers', path: 'economy/cathedral-multipliers.csv', key: [] },
  { name: 'supply_by_day', path: 'economy/supply-by-day.csv', key: ['date'] },
  { name: 'minting_by_day', path: 'economy/minting-by-day.csv', key: ['date', 'cathedral'] },
  { name: 'mii_by_day', path: 'economy/mii-by-day.csv', key: ['date'] },
  {
    name: 'dataset_sentinels',
    path: 'academics/dataset.json',
    from: 'sentinels[]',
    key: ['id'],
    references: ID_IS_SENTINEL,
    title: 'System dataset: sentinels',
  },
  { name: 'apps', path: 'academics/dataset.json', from: 'apps[]', key: ['name'], title: 'Applications' },
  {
    name: 'packages',
    path: 'academics/dataset.json',
    from: 'packages[]',
    key: ['name'],
    title: 'Packages',
  },
  { name: 'mii_timeline', path: 'academics/mii-timeline.csv', key: [] },
  {
    name: 'sentinel_coordination',
    path: 'academics/sentinel-coordination.json',
    from: 'sentinels[]',
    key: ['id'],
    references: ID_IS_SENTINEL,
  },
  { name: 'papers', path: 'academics/papers.json', from: 'papers[]', key: ['id'] },
  {
    name: 'sentinels_by_day',
    path: 'academics/sentinels-by-day.csv',
    key: ['date', 'sentinel'],
    references: SENTINEL,
  },
  { name: 'events_by_day', path: 'academics/events-by-day.csv', key: ['date', 'event_type'] },
  { name: 'deliberations', path: 'philosophy/deliberations.json', from: 'deliberations[]', key: [] },
  {
    name: 'positions',
    path: 'philosophy/deliberations.json',
    from: 'deliberations[].sentinels[]',
    title: 'Positions taken in deliberations',
    parent: { column: 'deliberation', member: 'id' },
    key: [],
    references: ID_IS_SENTINEL,
  },
  {
    name: 'deliberation_archive',
    path: 'philosophy/deliberation-archive.json',
    from: 'deliberations[]',
    key: [],
  },
  {
    name: 'virtues',
    path: 'philosophy/virtues.json',
    from: 'virtues.<name>',
    named: 'virtue',
    key: ['virtue'],
  },
  { name: 'decisions', path: 'philosophy/decisions.json', from: 'decisions[]', key: [] },
  {
    name: 'drift_trends',
    path: 'philosophy/drift-analysis.json',
    from: 'trends[]',
    title: 'Drift by metric',
    key: ['metric'],
  },
  { name: 'metrics_by_day', path: 'philosophy/metrics-by-day.csv', key: ['date'] },
  {
    name: 'companion_attestations',
    path: 'philosophy/companions.json',
    from: 'attestations[]',
    key: ['id'],
  },
  {
    name: 'companion_keys',
    path: 'philosophy/companions.json',
    from: 'companions[].keys[]',
    title: 'Public keys of companions',
    parent: { column: 'companion', member: 'companion' },
    key: ['companion', 'public_key'],
  },
  {
    name: 'companion_wallets',
    path: 'philosophy/companions.json',
    from: 'wallets[]',
    title: 'Wallets behind ledger ids',
    key: ['ledger_id'],
  },
  {
    name: 'treaty_articles',
    path: 'diplomacy/treaty-framework.json',
    from: 'articles[]',
    title: 'Treaty framework: articles',
    key: ['number'],
  },
  {
    name: 'treaty_paragraphs',
    path: 'diplomacy/treaty-framework.json',
    from: 'articles[].paragraphs[]',
    title: 'Treaty framework: paragraphs',
    parent: { column: 'article', member: 'number' },
    key: ['article', 'number'],
    references: { article: 'treaty_articles' },
  },
  {
    name: 'treaty_obligations',
    path: 'diplomacy/treaty-framework.json',
    from: 'obligations[]',
    title: 'Treaty framework: obligations',
    key: ['id'],
  },
  {
    name: 'standards',
    path: 'diplomacy/standards.json',
    from: 'standards[]',
    title: 'International standards',
    key: ['id'],
  },
  {
    name: 'standard_clauses',
    path: 'diplomacy/standards.json',
    from: 'standards[].clauses[]',
    title: 'International standards: clauses',
    parent: { column: 'standard', member: 'id' },
    key: ['id'],
    references: { standard: 'standards' },
  },
  {
    name: 'protocols',
    path: 'diplomacy/protocols.json',
    from: 'protocols[]',
    title: 'Diplomatic protocols',
    key: ['id'],
  },
  {
    name: 'protocol_steps',
    path: 'diplomacy/protocols.json',
    from: 'protocols[].steps[]',
    title: 'Diplomatic protocols: steps',
    parent: { column: 'protocol', member: 'id' },
    key: ['protocol', 'order'],
    references: { protocol: 'protocols' },
  },
];

/** One public table, whatever form it is written in. */
export interface Table extends Required<Pick<Listed, 'name' | 'title' | 'key' | 'references'>> {
  artifact: Artifact;
  from: string;
  named: string | null;
  parent: Listed['parent'] | null;
  description: string;
  columns: readonly Column[];
  /** Rows are added to it for ever; else it is written anew by each run. */
  grows: boolean;
}

export const TABLES: readonly Table[] = LISTED.map(toTable);

/** Path of a table's file in another form: `economy/mic-history.xlsx`. */
export function formPath(
  { artifact: { area }, name }: Pick<Table, 'artifact' | 'name'>,
  ending: string,
): string {
  return `${area}/${name.replaceAll('_', '-')}${ending}`;
}

/** Number of the column that says when a row of a growing table happened: a date, or a date-time. */
export function timeColumn({ columns }: Pick<Table, 'columns'>): number {
  return columns.findIndex(({ type }) => type === 'datetime' || type === 'date');
}

function toTable(listed: Listed): Table {
  const artifact = ARTIFACTS.find(({ path }) => path === listed.path)!;
  const { from = '', named = null, parent = null, references = {} } = listed;
  const { columns, description } = columnsOf(artifact, { from, named, parent });
  return {
    ...listed,
    artifact,
    from,
    named,
    parent,
    references,
    title: listed.title ?? artifact.title,
    description: listed.title ? description : artifact.description,
    columns,
    grows: artifact.kind === 'history',
  };
}
