import { EVENT_DATA, type KnownType } from '../ledger/events/event.ts';
import type { Artifact } from './artifact.ts';

// Without the table of files: browsers prove rows with the types of one file.

/** Files that an event of any type changes, even of one without an effect: they list or count all events. */
export const FILES_OF_EVERY_EVENT: readonly string[] = [
  'government/ledger/export',
  'government/transparency.json',
  'academics/events-by-day.csv',
];

/** The event types that a file's content follows from, in the order of the schemas. */
export function typesOf({ followsFrom = [] }: Pick<Artifact, 'followsFrom'>): KnownType[] {
  return (Object.keys(EVENT_DATA) as KnownType[]).filter((type) => followsFrom.includes(type));
}
