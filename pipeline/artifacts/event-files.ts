import { EVENT_DATA, type KnownType } from '../ledger/events/event.ts';
import { ARTIFACTS } from './table.ts';

/** Files that an event of any type changes, even of one without an effect: they list or count all events. */
export const FILES_OF_EVERY_EVENT: readonly string[] = [
  'government/ledger/export',
  'government/transparency.json',
  'academics/events-by-day.csv',
];

/** The paths of the files that follow from events of a type, besides these, in the order of the table. */
export function filesOf(type: KnownType): string[] {
  return ARTIFACTS.filter(({ followsFrom = [] }) => followsFrom.includes(type)).map(({ path }) => path);
}

/** The event types that a file's content follows from, in the order of the schemas. */
export function typesOf(path: string): KnownType[] {
  const { followsFrom = [] } = ARTIFACTS.find((artifact) => artifact.path === path) ?? {};
  return (Object.keys(EVENT_DATA) as KnownType[]).filter((type) => followsFrom.includes(type));
}
